// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-make-exact --split-input-file --verify-diagnostics | FileCheck %s
// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-make-exact --canonicalize --cse --canonicalize --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=FOLDED

// Operands are flushed, and results of what rounds.
// CHECK-LABEL: gpuvm.program @arithmetic
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK: %[[X:.*]] = gpuvm.flush %[[A]] : f32
// CHECK: %[[Y:.*]] = gpuvm.flush %[[B]] : f32
// CHECK: %[[SUM:.*]] = arith.addf %[[X]], %[[Y]] : f32
// CHECK: %[[FLUSHED:.*]] = gpuvm.flush %[[SUM]] : f32
// CHECK: linalg.yield %[[FLUSHED]] : f32
gpuvm.program @arithmetic(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %m = gpuvm.stage @s(%x = %a : tensor<8xf32>, %y = %b : tensor<8xf32>) -> tensor<8xf32> {
    %sum = arith.addf %x, %y : tensor<8xf32>
    gpuvm.send %sum : tensor<8xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<8xf32>>
}

// -----

// What the canonicalizer folds away has been flushed before.
// FOLDED-LABEL: gpuvm.program @largest
// FOLDED: ^bb0(%[[A:.*]]: f64, %{{.*}}: f64):
// FOLDED-NEXT: %[[X:.*]] = gpuvm.flush %[[A]] : f64
// FOLDED-NEXT: linalg.yield %[[X]] : f64
gpuvm.program @largest(%a: tensor<8xf64>) -> tensor<8xf64> {
  %m = gpuvm.stage @s(%in = %a : tensor<8xf64>) -> tensor<8xf64> {
    %empty = tensor.empty() : tensor<8xf64>
    %r = linalg.map ins(%in : tensor<8xf64>) outs(%empty : tensor<8xf64>) (%x: f64, %out: f64) {
      %same = arith.maximumf %x, %x : f64
      linalg.yield %same : f64
    }
    gpuvm.send %r : tensor<8xf64>
  }
  gpuvm.return %m : !gpuvm.message<tensor<8xf64>>
}

// -----

// A subnormal constant is a zero; flush of a flush is one.
// FOLDED-LABEL: gpuvm.program @constants
// FOLDED: %[[ZERO:.*]] = arith.constant -0.000000e+00 : f32
// FOLDED: ^bb0(%[[A:.*]]: f32, %{{.*}}: f32):
// FOLDED-NEXT: %[[X:.*]] = gpuvm.flush %[[A]] : f32
// FOLDED-NEXT: %[[MAX:.*]] = arith.maximumf %[[X]], %[[ZERO]] : f32
// FOLDED-NEXT: linalg.yield %[[MAX]] : f32
gpuvm.program @constants(%a: tensor<8xf32>) -> tensor<8xf32> {
  %m = gpuvm.stage @s(%in = %a : tensor<8xf32>) -> tensor<8xf32> {
    %empty = tensor.empty() : tensor<8xf32>
    %r = linalg.map ins(%in : tensor<8xf32>) outs(%empty : tensor<8xf32>) (%x: f32, %out: f32) {
      %tiny = arith.constant -1.0e-40 : f32
      %f = gpuvm.flush %x : f32
      %max = arith.maximumf %f, %tiny : f32
      linalg.yield %max : f32
    }
    gpuvm.send %r : tensor<8xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<8xf32>>
}

// -----

// Moving a number is no arithmetic, and integers have no subnormal numbers.
// CHECK-LABEL: gpuvm.program @moves
// CHECK-NOT: gpuvm.flush
gpuvm.program @moves(%a: tensor<8xf32>, %c: tensor<8xi1>) -> tensor<8xi32> {
  %m = gpuvm.stage @s(%x = %a : tensor<8xf32>, %y = %c : tensor<8xi1>) -> tensor<8xi32> {
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %chosen = arith.select %y, %x, %one : tensor<8xi1>, tensor<8xf32>
    %bits = arith.bitcast %chosen : tensor<8xf32> to tensor<8xi32>
    %r = arith.addi %bits, %bits : tensor<8xi32>
    gpuvm.send %r : tensor<8xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<8xi32>>
}

// -----

// Neither does a read of a table.
// CHECK-LABEL: gpuvm.program @table
// CHECK: tensor.extract
// CHECK-NOT: gpuvm.flush
gpuvm.program @table(%a: tensor<8xf32>, %i: tensor<8xi32>) -> tensor<8xf32> {
  %m = gpuvm.stage @s(%x = %a : tensor<8xf32>, %at = %i : tensor<8xi32>) -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    %r = linalg.map ins(%at : tensor<8xi32>) outs(%e : tensor<8xf32>) (%p: i32, %o: f32) {
      %n = arith.index_cast %p : i32 to index
      %g = tensor.extract %x[%n] : tensor<8xf32>
      linalg.yield %g : f32
    }
    gpuvm.send %r : tensor<8xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<8xf32>>
}

// -----

gpuvm.program @division(%a: tensor<8xf32>) -> tensor<8xf32> {
  %m = gpuvm.stage @s(%x = %a : tensor<8xf32>) -> tensor<8xf32> {
    // expected-error@+1 {{does not give the same bits on every device on 'f32' and cannot be compiled with --exact}}
    %r = arith.divf %x, %x : tensor<8xf32>
    gpuvm.send %r : tensor<8xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<8xf32>>
}

// -----

// f64 is added and multiplied exactly, too, and so is every remainder; whole numbers need no flush after them.
// CHECK-LABEL: gpuvm.program @wide
// CHECK: %[[X:.*]] = gpuvm.flush %{{.*}} : f64
// CHECK: %[[SUM:.*]] = arith.addf %[[X]], %{{.*}} : f64
// CHECK: gpuvm.flush %[[SUM]] : f64
// CHECK: %[[REST:.*]] = arith.remf %{{.*}}, %{{.*}} : f64
// CHECK: gpuvm.flush %[[REST]] : f64
// CHECK: %[[WHOLE:.*]] = math.round %{{.*}} : f64
// CHECK: linalg.yield %[[WHOLE]] : f64
gpuvm.program @wide(%a: tensor<8xf64>) -> tensor<8xf64> {
  %m = gpuvm.stage @s(%x = %a : tensor<8xf64>) -> tensor<8xf64> {
    %e = tensor.empty() : tensor<8xf64>
    %r = linalg.map ins(%x : tensor<8xf64>) outs(%e : tensor<8xf64>) (%v: f64, %o: f64) {
      %sum = arith.addf %v, %v : f64
      %rest = arith.remf %sum, %v : f64
      %whole = math.round %rest : f64
      linalg.yield %whole : f64
    }
    gpuvm.send %r : tensor<8xf64>
  }
  gpuvm.return %m : !gpuvm.message<tensor<8xf64>>
}

// -----

// f16 is not.
gpuvm.program @half(%a: tensor<8xf16>) -> tensor<8xf16> {
  %m = gpuvm.stage @s(%x = %a : tensor<8xf16>) -> tensor<8xf16> {
    // expected-error@+1 {{does not give the same bits on every device on 'f16' and cannot be compiled with --exact}}
    %r = arith.addf %x, %x : tensor<8xf16>
    gpuvm.send %r : tensor<8xf16>
  }
  gpuvm.return %m : !gpuvm.message<tensor<8xf16>>
}
