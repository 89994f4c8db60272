// Loops in the body of a scan: the greatest common divisor of all elements so far. One that may run long is for devices
// that never end a loop.

// RUN: gpuvm-compile %s --program=counted -o %t.gvplan && gpuvm-run %t.gvplan --input=x=5xi32=12,8,18,10,6 | FileCheck %s
// RUN: gpuvm-interpret %s --program=counted --input=x=5xi32=12,8,18,10,6 | FileCheck %s
// CHECK: y: 5xi32=12 4 2 2 2

// RUN: gpuvm-compile %s --program=tested -o %t.long.gvplan
// RUN: %python -c "import subprocess, sys; run = subprocess.run(sys.argv[1:], stderr=subprocess.STDOUT); assert run.returncode in (0, 4)" \
// RUN:   gpuvm-run %t.long.gvplan --input=x=5xi32=12,8,18,10,6 | FileCheck %s --check-prefix=LONG
// LONG: {{y: 5xi32=12 4 2 2 2|unlimited_loops .a driver that does not end loops}}

gpuvm.program @counted(%x: tensor<5xi32>) -> (y: tensor<5xi32>) {
  %a = gpuvm.stage @s(%v = %x : tensor<5xi32>) -> tensor<5xi32> {
    %r = gpuvm.scan %v dimension 0 : (tensor<5xi32>) -> tensor<5xi32> {
    ^bb0(%p: i32, %q: i32):
      %z = arith.constant 0 : i32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c50 = arith.constant 50 : index
      %one = arith.constant 1 : i32
      %g:2 = scf.for %i = %c0 to %c50 step %c1 iter_args(%u = %p, %w = %q) -> (i32, i32) {
        %is = arith.cmpi eq, %w, %z : i32
        %d = arith.select %is, %one, %w : i32
        %m = arith.remui %u, %d : i32
        %nu = arith.select %is, %u, %w : i32
        %nw = arith.select %is, %z, %m : i32
        scf.yield %nu, %nw : i32, i32
      }
      gpuvm.yield %g#0 : i32
    }
    gpuvm.send %r : tensor<5xi32>
  }
  gpuvm.return %a : !gpuvm.message<tensor<5xi32>>
}

gpuvm.program @tested(%x: tensor<5xi32>) -> (y: tensor<5xi32>) {
  %a = gpuvm.stage @s(%v = %x : tensor<5xi32>) -> tensor<5xi32> {
    %r = gpuvm.scan %v dimension 0 : (tensor<5xi32>) -> tensor<5xi32> {
    ^bb0(%p: i32, %q: i32):
      %z = arith.constant 0 : i32
      %g:2 = scf.while (%u = %p, %w = %q) : (i32, i32) -> (i32, i32) {
        %go = arith.cmpi ne, %w, %z : i32
        scf.condition(%go) %u, %w : i32, i32
      } do {
      ^bb0(%u: i32, %w: i32):
        %m = arith.remui %u, %w : i32
        scf.yield %w, %m : i32, i32
      }
      gpuvm.yield %g#0 : i32
    }
    gpuvm.send %r : tensor<5xi32>
  }
  gpuvm.return %a : !gpuvm.message<tensor<5xi32>>
}
