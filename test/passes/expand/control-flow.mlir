// RUN: gpuvm-opt %s --gpuvm-generalize --split-input-file --verify-diagnostics | FileCheck %s

// Named operations and generated tensors may branch and loop, too.
// CHECK-LABEL: gpuvm.program @forms
// CHECK:         linalg.generic
// CHECK:           scf.if
// CHECK:         linalg.generic
// CHECK:           scf.for
gpuvm.program @forms(%x: tensor<8xi32>) -> (y: tensor<8xi32>) {
  %m = gpuvm.stage @s(%v = %x : tensor<8xi32>) -> tensor<8xi32> {
    %e = tensor.empty() : tensor<8xi32>
    %r = linalg.map ins(%v : tensor<8xi32>) outs(%e : tensor<8xi32>) (%a: i32, %o: i32) {
      %zero = arith.constant 0 : i32
      %c = arith.cmpi slt, %a, %zero : i32
      %b = scf.if %c -> (i32) {
        scf.yield %zero : i32
      } else {
        scf.yield %a : i32
      }
      linalg.yield %b : i32
    }
    %g = tensor.generate {
    ^bb0(%i: index):
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %none = arith.constant 0 : i32
      %s = scf.for %j = %zero to %i step %one iter_args(%t = %none) -> (i32) {
        %k = arith.index_cast %j : index to i32
        %u = arith.addi %t, %k : i32
        scf.yield %u : i32
      }
      tensor.yield %s : i32
    } : tensor<8xi32>
    %sum = arith.addi %r, %g : tensor<8xi32>
    gpuvm.send %sum : tensor<8xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<8xi32>>
}

// -----

gpuvm.program @other(%x: tensor<8xi32>) -> (y: tensor<8xi32>) {
  %m = gpuvm.stage @s(%v = %x : tensor<8xi32>) -> tensor<8xi32> {
    %e = tensor.empty() : tensor<8xi32>
    %r = linalg.map ins(%v : tensor<8xi32>) outs(%e : tensor<8xi32>) (%a: i32, %o: i32) {
      // expected-error@+1 {{C3: cannot stand in a stage}}
      %b = scf.execute_region -> i32 {
        scf.yield %a : i32
      }
      linalg.yield %b : i32
    }
    gpuvm.send %r : tensor<8xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<8xi32>>
}

// -----

// A loop of tensors is none of a body's; a branch becomes a choice.
gpuvm.program @outside(%x: tensor<8xi32>) -> (y: tensor<8xi32>) {
  %m = gpuvm.stage @s(%v = %x : tensor<8xi32>) -> tensor<8xi32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error@+1 {{C3: cannot stand in a stage}}
    %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%s = %v) -> tensor<8xi32> {
      %t = arith.addi %s, %v : tensor<8xi32>
      scf.yield %t : tensor<8xi32>
    }
    gpuvm.send %r : tensor<8xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<8xi32>>
}

// -----

gpuvm.program @tensor(%x: tensor<8xi32>) -> (y: tensor<8xi32>) {
  %m = gpuvm.stage @s(%v = %x : tensor<8xi32>) -> tensor<8xi32> {
    %e = tensor.empty() : tensor<8xi32>
    %r = linalg.map ins(%v : tensor<8xi32>) outs(%e : tensor<8xi32>) (%a: i32, %o: i32) {
      %none = arith.constant 0 : i32
      %c = arith.cmpi slt, %a, %none : i32
      // expected-error@+1 {{cannot be compiled: it is not scalar arith, math or scf code}}
      %b = scf.if %c -> (tensor<2xi32>) {
        %two = arith.constant dense<2> : tensor<2xi32>
        scf.yield %two : tensor<2xi32>
      } else {
        %one = arith.constant dense<1> : tensor<2xi32>
        scf.yield %one : tensor<2xi32>
      }
      %zero = arith.constant 0 : index
      %k = tensor.extract %b[%zero] : tensor<2xi32>
      linalg.yield %k : i32
    }
    gpuvm.send %r : tensor<8xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<8xi32>>
}

// -----

// CHECK-LABEL: gpuvm.program @captures
// CHECK: ^bb0
// CHECK: %[[FOUR:.*]] = arith.muli
// CHECK: scf.yield %[[FOUR]]
gpuvm.program @captures(%x: tensor<8xi32>) -> (y: tensor<8xi32>) {
  %m = gpuvm.stage @s(%v = %x : tensor<8xi32>) -> tensor<8xi32> {
    %e = tensor.empty() : tensor<8xi32>
    %two = arith.constant 2 : i32
    %four = arith.muli %two, %two : i32
    %r = linalg.map ins(%v : tensor<8xi32>) outs(%e : tensor<8xi32>) (%a: i32, %o: i32) {
      %c = arith.cmpi slt, %a, %two : i32
      %b = scf.if %c -> (i32) {
        scf.yield %four : i32
      } else {
        scf.yield %a : i32
      }
      linalg.yield %b : i32
    }
    gpuvm.send %r : tensor<8xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<8xi32>>
}

// -----

gpuvm.program @unsigned(%x: tensor<8xi32>) -> (y: tensor<8xi32>) {
  %m = gpuvm.stage @s(%v = %x : tensor<8xi32>) -> tensor<8xi32> {
    %e = tensor.empty() : tensor<8xi32>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %r = linalg.map ins(%v : tensor<8xi32>) outs(%e : tensor<8xi32>) (%a: i32, %o: i32) {
      // expected-error@+1 {{cannot be compiled: its bounds are compared as unsigned numbers}}
      %b = scf.for unsigned %i = %zero to %a step %one iter_args(%s = %a) -> (i32) : i32 {
        %t = arith.xori %s, %i : i32
        scf.yield %t : i32
      }
      linalg.yield %b : i32
    }
    gpuvm.send %r : tensor<8xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<8xi32>>
}

// -----

gpuvm.program @claim(%x: tensor<8x8xi32>) -> (y: tensor<8xi32>) {
  %m = gpuvm.stage @s(%v = %x : tensor<8x8xi32>) -> tensor<8xi32> {
    %e = arith.constant dense<0> : tensor<8xi32>
    %zero = arith.constant 0 : i32
    // expected-error@+1 {{claims to be associative (gpuvm.associative), but the element that each accumulator is combined with cannot be told}}
    %r = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%v : tensor<8x8xi32>) outs(%e : tensor<8xi32>) attrs = {gpuvm.associative} {
    ^bb0(%a: i32, %s: i32):
      %c = arith.cmpi slt, %a, %zero : i32
      %b = scf.if %c -> (i32) {
        scf.yield %s : i32
      } else {
        %t = arith.addi %s, %a : i32
        scf.yield %t : i32
      }
      linalg.yield %b : i32
    } -> tensor<8xi32>
    gpuvm.send %r : tensor<8xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<8xi32>>
}
