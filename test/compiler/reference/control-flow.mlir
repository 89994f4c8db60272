// Branches and loops of bodies, point by point, and what they must not do.

// RUN: gpuvm-interpret %s --program=swap --input=n=4xi32=0,1,5,12 | FileCheck %s --check-prefix=SWAP
// RUN: gpuvm-interpret %s --program=digits --input=n=5xi64=0,7,10,99999,100000 | FileCheck %s --check-prefix=DIGITS
// RUN: gpuvm-interpret %s --program=guard --input=a=4xi32=7,8,9,10 --input=b=4xi32=2,0,0,5 | FileCheck %s --check-prefix=GUARD
// RUN: not gpuvm-interpret %s --program=guard --input=a=4xi32=7,8,9,-2147483648 --input=b=4xi32=2,0,0,-1 2>&1 | FileCheck %s --check-prefix=FAULT
// RUN: not gpuvm-interpret %s --program=count --input=from=i8=100 --input=step=i8=20 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: not gpuvm-interpret %s --program=count --input=from=i8=100 --input=step=i8=0 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: gpuvm-interpret %s --program=count --input=from=i8=-128 --input=step=i8=51 | FileCheck %s --check-prefix=COUNT

// Fibonacci numbers: the values of a loop change places.
// SWAP: y: 4xi32=0 1 5 144
gpuvm.program @swap(%n: tensor<4xi32>) -> (y: tensor<4xi32>) {
  %m = gpuvm.stage @s(%x = %n : tensor<4xi32>) -> tensor<4xi32> {
    %e = tensor.empty() : tensor<4xi32>
    %r = linalg.map ins(%x : tensor<4xi32>) outs(%e : tensor<4xi32>) (%v: i32, %o: i32) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %f:2 = scf.for %i = %zero to %v step %one iter_args(%a = %zero, %b = %one) -> (i32, i32) : i32 {
        %c = arith.addi %a, %b : i32
        scf.yield %b, %c : i32, i32
      }
      linalg.yield %f#0 : i32
    }
    gpuvm.send %r : tensor<4xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<4xi32>>
}

// What the condition hands over is what the loop gives, also at the first test.
// DIGITS: y: 5xi64=1 1 2 5 6
gpuvm.program @digits(%n: tensor<5xi64>) -> (y: tensor<5xi64>) {
  %m = gpuvm.stage @s(%x = %n : tensor<5xi64>) -> tensor<5xi64> {
    %e = tensor.empty() : tensor<5xi64>
    %r = linalg.map ins(%x : tensor<5xi64>) outs(%e : tensor<5xi64>) (%v: i64, %o: i64) {
      %one = arith.constant 1 : i64
      %ten = arith.constant 10 : i64
      %zero = arith.constant 0 : i64
      %f = scf.while (%a = %v, %c = %zero) : (i64, i64) -> i64 {
        %many = arith.cmpi sge, %a, %ten : i64
        %d = arith.addi %c, %one : i64
        scf.condition(%many) %d : i64
      } do {
      ^bb0(%d: i64):
        %rest = scf.for %i = %zero to %d step %one iter_args(%b = %v) -> i64 : i64 {
          %q = arith.divui %b, %ten : i64
          scf.yield %q : i64
        }
        scf.yield %rest, %d : i64, i64
      }
      linalg.yield %f : i64
    }
    gpuvm.send %r : tensor<5xi64>
  }
  gpuvm.return %m : !gpuvm.message<tensor<5xi64>>
}

// What a point does not get to cannot fail.
// GUARD: y: 4xi32=3 8 9 2
// FAULT: 'arith.divsi' op signed division overflow (the smallest integer by -1) at point (3)
gpuvm.program @guard(%a: tensor<4xi32>, %b: tensor<4xi32>) -> (y: tensor<4xi32>) {
  %m = gpuvm.stage @s(%x = %a : tensor<4xi32>, %y = %b : tensor<4xi32>) -> tensor<4xi32> {
    %e = tensor.empty() : tensor<4xi32>
    %r = linalg.map ins(%x, %y : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) (%v: i32, %w: i32, %o: i32) {
      %zero = arith.constant 0 : i32
      %there = arith.cmpi ne, %w, %zero : i32
      %q = scf.if %there -> i32 {
        %d = arith.divsi %v, %w : i32
        scf.yield %d : i32
      } else {
        scf.yield %v : i32
      }
      linalg.yield %q : i32
    }
    gpuvm.send %r : tensor<4xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<4xi32>>
}

// BEYOND: 'scf.for' op counts past the greatest number of its type
// STEP: 'scf.for' op counts in steps of 0
// COUNT: y: i8=5
gpuvm.program @count(%from: tensor<i8>, %step: tensor<i8>) -> (y: tensor<i8>) {
  %m = gpuvm.stage @s(%x = %from : tensor<i8>, %y = %step : tensor<i8>) -> tensor<i8> {
    %e = tensor.empty() : tensor<i8>
    %r = linalg.map ins(%x, %y : tensor<i8>, tensor<i8>) outs(%e : tensor<i8>) (%v: i8, %w: i8, %o: i8) {
      %zero = arith.constant 0 : i8
      %one = arith.constant 1 : i8
      %most = arith.constant 127 : i8
      %q = scf.for %i = %v to %most step %w iter_args(%c = %zero) -> i8 : i8 {
        %d = arith.addi %c, %one : i8
        scf.yield %d : i8
      }
      linalg.yield %q : i8
    }
    gpuvm.send %r : tensor<i8>
  }
  gpuvm.return %m : !gpuvm.message<tensor<i8>>
}
