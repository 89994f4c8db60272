// The barriers a chain without fusion needs: no fewer and no more.

// RUN: gpuvm-compile %s --program=diamond --fusion=stages --chains=never -o %t.diamond.gvplan
// RUN: gpuvm-plan show --format=json %t.diamond.gvplan | FileCheck %s --check-prefix=DIAMOND
// RUN: gpuvm-run %t.diamond.gvplan --validate --input=x=64xf32=3 --output=y | FileCheck %s --check-prefix=DIAMOND-DATA
// RUN: gpuvm-interpret %s --program=diamond --input=x=64xf32=3 --output=y | FileCheck %s --check-prefix=DIAMOND-DATA
// RUN: gpuvm-compile %s --program=join --fusion=stages --chains=never -o %t.join.gvplan
// RUN: gpuvm-plan show --format=json %t.join.gvplan | FileCheck %s --check-prefix=JOIN
// RUN: gpuvm-run %t.join.gvplan --validate --input=x=64xf32=3 --output=y | FileCheck %s --check-prefix=JOIN-DATA
// RUN: gpuvm-interpret %s --program=join --input=x=64xf32=3 --output=y | FileCheck %s --check-prefix=JOIN-DATA
// RUN: gpuvm-compile %s --program=halves --fusion=stages --chains=never -o %t.halves.gvplan
// RUN: gpuvm-plan show --format=json %t.halves.gvplan | FileCheck %s --check-prefix=HALVES
// RUN: gpuvm-run %t.halves.gvplan --validate --input=x=64xf32=3 --output=r | FileCheck %s --check-prefix=HALVES-DATA
// RUN: gpuvm-interpret %s --program=halves --input=x=64xf32=3 --output=r | FileCheck %s --check-prefix=HALVES-DATA
// RUN: gpuvm-compile %s --program=reuse --fusion=stages --chains=never -o %t.reuse.gvplan
// RUN: gpuvm-plan show --format=json %t.reuse.gvplan | FileCheck %s --check-prefix=REUSE
// RUN: gpuvm-run %t.reuse.gvplan --validate --input=x=64xf32=3 --output=y | FileCheck %s --check-prefix=REUSE-DATA
// RUN: gpuvm-interpret %s --program=reuse --input=x=64xf32=3 --output=y | FileCheck %s --check-prefix=REUSE-DATA
// RUN: gpuvm-compile %s --program=readers --fusion=stages --chains=never -o %t.readers.gvplan
// RUN: gpuvm-plan show --format=json %t.readers.gvplan | FileCheck %s --check-prefix=READERS
// RUN: gpuvm-run %t.readers.gvplan --validate --input=x=64xf32=3 --output=y --output=z | FileCheck %s --check-prefix=READERS-DATA
// RUN: gpuvm-interpret %s --program=readers --input=x=64xf32=3 --output=y --output=z | FileCheck %s --check-prefix=READERS-DATA

!v = tensor<64xf32>
!m = !gpuvm.message<!v>

// DIAMOND-DATA: y: 64xf32=30 30
// DIAMOND: "commands"
// DIAMOND: "op": "dispatch"
// DIAMOND: "op": "barrier"
// DIAMOND: "op": "dispatch"
// DIAMOND: "op": "dispatch"
// DIAMOND: "op": "barrier"
// DIAMOND: "op": "dispatch"
// DIAMOND-NOT: "op"
gpuvm.program @diamond(%x: !v) -> (y: !v) {
  %a = gpuvm.stage @a(%v = %x : !v) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %b = gpuvm.stage @b(%v = %a : !m) -> !v {
    %r = arith.mulf %v, %v : !v
    gpuvm.send %r : !v
  }
  %c = gpuvm.stage @c(%v = %a : !m) -> !v {
    %r = arith.negf %v : !v
    gpuvm.send %r : !v
  }
  %d = gpuvm.stage @d(%v = %b : !m, %w = %c : !m) -> !v {
    %r = arith.addf %v, %w : !v
    gpuvm.send %r : !v
  }
  gpuvm.return %d : !m
}

// Eight independent stages and one that joins them.
// JOIN-DATA: y: 64xf32=132 132
// JOIN: "commands"
// JOIN-COUNT-8: "op": "dispatch"
// JOIN: "op": "barrier"
// JOIN: "op": "dispatch"
// JOIN-NOT: "op"
gpuvm.program @join(%x: !v) -> (y: !v) {
  %m0 = gpuvm.stage @s0(%v = %x : !v) -> !v {
    %k = arith.constant dense<2.0> : !v
    %r = arith.mulf %v, %k : !v
    gpuvm.send %r : !v
  }
  %m1 = gpuvm.stage @s1(%v = %x : !v) -> !v {
    %k = arith.constant dense<3.0> : !v
    %r = arith.mulf %v, %k : !v
    gpuvm.send %r : !v
  }
  %m2 = gpuvm.stage @s2(%v = %x : !v) -> !v {
    %k = arith.constant dense<4.0> : !v
    %r = arith.mulf %v, %k : !v
    gpuvm.send %r : !v
  }
  %m3 = gpuvm.stage @s3(%v = %x : !v) -> !v {
    %k = arith.constant dense<5.0> : !v
    %r = arith.mulf %v, %k : !v
    gpuvm.send %r : !v
  }
  %m4 = gpuvm.stage @s4(%v = %x : !v) -> !v {
    %k = arith.constant dense<6.0> : !v
    %r = arith.mulf %v, %k : !v
    gpuvm.send %r : !v
  }
  %m5 = gpuvm.stage @s5(%v = %x : !v) -> !v {
    %k = arith.constant dense<7.0> : !v
    %r = arith.mulf %v, %k : !v
    gpuvm.send %r : !v
  }
  %m6 = gpuvm.stage @s6(%v = %x : !v) -> !v {
    %k = arith.constant dense<8.0> : !v
    %r = arith.mulf %v, %k : !v
    gpuvm.send %r : !v
  }
  %m7 = gpuvm.stage @s7(%v = %x : !v) -> !v {
    %k = arith.constant dense<9.0> : !v
    %r = arith.mulf %v, %k : !v
    gpuvm.send %r : !v
  }
  %j = gpuvm.stage @join(%v0 = %m0 : !m, %v1 = %m1 : !m, %v2 = %m2 : !m, %v3 = %m3 : !m, %v4 = %m4 : !m, %v5 = %m5 : !m, %v6 = %m6 : !m, %v7 = %m7 : !m) -> !v {
    %a1 = arith.addf %v0, %v1 : !v
    %a2 = arith.addf %a1, %v2 : !v
    %a3 = arith.addf %a2, %v3 : !v
    %a4 = arith.addf %a3, %v4 : !v
    %a5 = arith.addf %a4, %v5 : !v
    %a6 = arith.addf %a5, %v6 : !v
    %a7 = arith.addf %a6, %v7 : !v
    gpuvm.send %a7 : !v
  }
  gpuvm.return %j : !m
}

// Disjoint halves of one register.
// HALVES-DATA: r: 128xf32=6 {{(6 )+}}-3 -3
// HALVES: "commands"
// HALVES-COUNT-2: "op": "dispatch"
// HALVES-NOT: "op"
gpuvm.program @halves(%x: !v) {
  gpuvm.register @r : tensor<128xf32>
  gpuvm.stage @low(%v = %x : !v) {
    %r = arith.addf %v, %v : !v
    gpuvm.store %r, @r[0] : !v
  }
  gpuvm.stage @high(%v = %x : !v) {
    %r = arith.negf %v : !v
    gpuvm.store %r, @r[64] : !v
  }
  gpuvm.return
}

// The last stage writes the window that the first message had: who read it goes first.
// REUSE-DATA: y: 64xf32=-36 -36
// REUSE: "commands"
// REUSE: "op": "dispatch"
// REUSE: "op": "barrier"
// REUSE: "op": "dispatch"
// REUSE: "op": "barrier"
// REUSE: "kind": "WAR"
// REUSE: "op": "dispatch"
// REUSE-NOT: "op"
gpuvm.program @reuse(%x: !v) -> (y: !v) {
  %a = gpuvm.stage @a(%v = %x : !v) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %b = gpuvm.stage @b(%v = %a : !m) -> !v {
    %r = arith.mulf %v, %v : !v
    gpuvm.send %r : !v
  }
  %c = gpuvm.stage @c(%v = %b : !m) -> !v {
    %r = arith.negf %v : !v
    gpuvm.send %r : !v
  }
  gpuvm.return %c : !m
}

// Two readers of one input.
// READERS-DATA: y: 64xf32=6 6
// READERS-DATA: z: 64xf32=9 9
// READERS: "commands"
// READERS-COUNT-2: "op": "dispatch"
// READERS-NOT: "op"
gpuvm.program @readers(%x: !v) -> (y: !v, z: !v) {
  %a = gpuvm.stage @a(%v = %x : !v) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %b = gpuvm.stage @b(%v = %x : !v) -> !v {
    %r = arith.mulf %v, %v : !v
    gpuvm.send %r : !v
  }
  gpuvm.return %a, %b : !m, !m
}
