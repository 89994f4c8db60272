// Matrices of different heights times one vector: one dispatch where asked for, with the
// results of separate ones. Two of one height are one kernel in any case.

// RUN: gpuvm-opt %s --gpuvm-pipeline=join-kernels=true | FileCheck %s
// RUN: gpuvm-opt %s --gpuvm-pipeline | FileCheck %s --check-prefix=APART
// RUN: gpuvm-compile %s --program=heights --join-kernels -o %t.gvplan
// RUN: gpuvm-plan verify %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate --input=x=256xf32=0.5 --input=q=48x256xf16=0.25 --input=k=7x256xf16=2 --input=v=7x256xf16=-1 --input=b=48xf32=1 > %t.joined
// RUN: gpuvm-interpret %s --program=heights --input=x=256xf32=0.5 --input=q=48x256xf16=0.25 --input=k=7x256xf16=2 --input=v=7x256xf16=-1 --input=b=48xf32=1 > %t.wanted
// RUN: diff %t.joined %t.wanted
// RUN: gpuvm-compile %s --program=bytes --join-kernels -o %t.bytes.gvplan
// RUN: gpuvm-plan show %t.bytes.gvplan | FileCheck %s --check-prefix=BYTES
// RUN: gpuvm-run %t.bytes.gvplan --validate --input=x=1024xi8=3 --input=a=40x1024xi8=2 --input=b=9x1024xi8=-5 > %t.joined
// RUN: gpuvm-interpret %s --program=bytes --input=x=1024xi8=3 --input=a=40x1024xi8=2 --input=b=9x1024xi8=-5 > %t.wanted
// RUN: diff %t.joined %t.wanted

// CHECK-LABEL: chain.plan @heights
// CHECK: chain.dispatch {{.*}}"q+k+v"
// CHECK-NOT: chain.dispatch
// APART-LABEL: chain.plan @heights
// APART: chain.dispatch {{.*}}"q"
// APART-NOT: chain.barrier
// APART: chain.dispatch {{.*}}"k+v"
gpuvm.program @heights(%x: tensor<256xf32>, %q: tensor<48x256xf16>, %k: tensor<7x256xf16>, %v: tensor<7x256xf16>, %b: tensor<48xf32>)
    -> (mq: tensor<48xf32>, mk: tensor<7xf32>, mv: tensor<7xf32>) {
  %mq = gpuvm.stage @q(%in = %x : tensor<256xf32>, %w = %q : tensor<48x256xf16>, %bias = %b : tensor<48xf32>) -> tensor<48xf32> {
    %wide = arith.extf %w : tensor<48x256xf16> to tensor<48x256xf32>
    %zero = arith.constant dense<0.0> : tensor<48xf32>
    %r = linalg.matvec ins(%wide, %in : tensor<48x256xf32>, tensor<256xf32>) outs(%zero : tensor<48xf32>) -> tensor<48xf32>
    %s = arith.addf %r, %bias : tensor<48xf32>
    gpuvm.send %s : tensor<48xf32>
  }
  %mk = gpuvm.stage @k(%in = %x : tensor<256xf32>, %w = %k : tensor<7x256xf16>) -> tensor<7xf32> {
    %wide = arith.extf %w : tensor<7x256xf16> to tensor<7x256xf32>
    %zero = arith.constant dense<0.0> : tensor<7xf32>
    %r = linalg.matvec ins(%wide, %in : tensor<7x256xf32>, tensor<256xf32>) outs(%zero : tensor<7xf32>) -> tensor<7xf32>
    gpuvm.send %r : tensor<7xf32>
  }
  %mv = gpuvm.stage @v(%in = %x : tensor<256xf32>, %w = %v : tensor<7x256xf16>) -> tensor<7xf32> {
    %wide = arith.extf %w : tensor<7x256xf16> to tensor<7x256xf32>
    %zero = arith.constant dense<0.0> : tensor<7xf32>
    %r = linalg.matvec ins(%wide, %in : tensor<7x256xf32>, tensor<256xf32>) outs(%zero : tensor<7xf32>) -> tensor<7xf32>
    gpuvm.send %r : tensor<7xf32>
  }
  gpuvm.return %mq, %mk, %mv : !gpuvm.message<tensor<48xf32>>, !gpuvm.message<tensor<7xf32>>, !gpuvm.message<tensor<7xf32>>
}

// CHECK-LABEL: chain.plan @bytes
// APART-LABEL: chain.plan @bytes
// BYTES: gives way to
// BYTES: dispatch for stage "first+second"
// BYTES-NOT: dispatch for
#row = affine_map<(i, j) -> (i, j)>
#in = affine_map<(i, j) -> (j)>
#out = affine_map<(i, j) -> (i)>
gpuvm.program @bytes(%x: tensor<1024xi8>, %a: tensor<40x1024xi8>, %b: tensor<9x1024xi8>) -> (ma: tensor<40xi32>, mb: tensor<9xi32>) {
  %ma = gpuvm.stage @first(%in = %x : tensor<1024xi8>, %w = %a : tensor<40x1024xi8>) -> tensor<40xi32> {
    %zero = arith.constant dense<0> : tensor<40xi32>
    %r = linalg.generic {indexing_maps = [#row, #in, #out], iterator_types = ["parallel", "reduction"]}
        ins(%w, %in : tensor<40x1024xi8>, tensor<1024xi8>) outs(%zero : tensor<40xi32>) {
    ^bb0(%p: i8, %q: i8, %acc: i32):
      %pw = arith.extsi %p : i8 to i32
      %qw = arith.extsi %q : i8 to i32
      %m = arith.muli %pw, %qw : i32
      %s = arith.addi %acc, %m : i32
      linalg.yield %s : i32
    } -> tensor<40xi32>
    gpuvm.send %r : tensor<40xi32>
  }
  %mb = gpuvm.stage @second(%in = %x : tensor<1024xi8>, %w = %b : tensor<9x1024xi8>) -> tensor<9xi32> {
    %zero = arith.constant dense<0> : tensor<9xi32>
    %r = linalg.generic {indexing_maps = [#row, #in, #out], iterator_types = ["parallel", "reduction"]}
        ins(%w, %in : tensor<9x1024xi8>, tensor<1024xi8>) outs(%zero : tensor<9xi32>) {
    ^bb0(%p: i8, %q: i8, %acc: i32):
      %pw = arith.extsi %p : i8 to i32
      %qw = arith.extsi %q : i8 to i32
      %m = arith.muli %pw, %qw : i32
      %s = arith.addi %acc, %m : i32
      linalg.yield %s : i32
    } -> tensor<9xi32>
    gpuvm.send %r : tensor<9xi32>
  }
  gpuvm.return %ma, %mb : !gpuvm.message<tensor<40xi32>>, !gpuvm.message<tensor<9xi32>>
}
