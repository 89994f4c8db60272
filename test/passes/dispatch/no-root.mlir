// RUN: gpuvm-opt %s --split-input-file --verify-diagnostics --gpuvm-choose-launches
// A kernel that a user has written, whose body has nothing of its root.

gpuvm.program @named(%x: tensor<8xf32>) -> (y: tensor<f32>) {
  // expected-error @+1 {{has no operation with root reduce}}
  %sum = flow.dispatch @sum_0 reduce ["sum"] (%x) {
  ^bb0(%in: tensor<8xf32>):
    %zero = arith.constant dense<0.0> : tensor<f32>
    %r = linalg.reduce { arith.addf } ins(%in : tensor<8xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.yield %r : tensor<f32>
  } : (tensor<8xf32>) -> tensor<f32>
  gpuvm.return %sum : tensor<f32>
}

// -----

gpuvm.program @other(%x: tensor<8xf32>) -> (y: tensor<8xf32>) {
  // expected-error @+1 {{has no operation with root sort}}
  %y = flow.dispatch @sorted_0 sort ["sorted"] (%x) {
  ^bb0(%in: tensor<8xf32>):
    gpuvm.yield %in : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  gpuvm.return %y : tensor<8xf32>
}
