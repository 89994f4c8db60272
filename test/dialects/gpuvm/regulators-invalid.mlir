// Rules of regulators and the clock: what they reject.

// RUN: gpuvm-opt %s --split-input-file --verify-diagnostics

gpuvm.program @other_shape(%m: tensor<4xf32>) -> (s: tensor<4xf32>) {
  %s = gpuvm.stage @r(%v = %m : tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{C1: 'tensor<4xf32>' and 'tensor<i32>' are not f32 and i32 in one shape}}
    %x, %ok = gpuvm.regulate %v towards 10.0 between 5.0 and 20.0 : tensor<4xf32>, tensor<i32>
    gpuvm.send %x : tensor<4xf32>
  }
  gpuvm.return %s : !gpuvm.message<tensor<4xf32>>
}

// -----

gpuvm.program @nothing_between(%m: tensor<f32>) -> (s: tensor<f32>) {
  %s = gpuvm.stage @r(%v = %m : tensor<f32>) -> tensor<f32> {
    // expected-error @+1 {{C2: there is nothing between 2.000000e+01 : f32 and 5.000000e+00 : f32, or nothing finite}}
    %x, %ok = gpuvm.regulate %v towards 10.0 between 20.0 and 5.0 : tensor<f32>, tensor<i32>
    gpuvm.send %x : tensor<f32>
  }
  gpuvm.return %s : !gpuvm.message<tensor<f32>>
}

// -----

gpuvm.program @counts_are_words(%m: tensor<f32>, %n: tensor<i64>) -> (s: tensor<f32>) {
  %s = gpuvm.stage @r(%v = %m : tensor<f32>, %k = %n : tensor<i64>) -> tensor<f32> {
    // expected-error @+1 {{C1: 'tensor<f32>' and 'tensor<i64>' are not f32 and i32 in one shape}}
    %x, %more = gpuvm.running_mean %v, %k with %v : tensor<f32>, tensor<i64>
    gpuvm.send %x : tensor<f32>
  }
  gpuvm.return %s : !gpuvm.message<tensor<f32>>
}

// -----

gpuvm.program @clock() {
  // expected-error @+1 {{C1: makes 'tensor<i64>', not a tensor<3xi64>}}
  %t = gpuvm.clock -> tensor<i64>
  gpuvm.return
}
