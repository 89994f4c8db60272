// Indices of 32 bits on the device reach so many elements and no more.

// RUN: gpuvm-opt %s --gpuvm-pipeline --split-input-file --verify-diagnostics

gpuvm.program @tooMany(%x: tensor<2146435072xi8>) -> (y: tensor<2146435072xi8>) {
  %a = gpuvm.stage @a(%v = %x : tensor<2146435072xi8>) -> tensor<2146435072xi8> {
    // expected-error @below {{a tensor of 2146435072 elements has too many (2146435071 at most: indices have 32 bits on the device)}}
    %r = arith.addi %v, %v : tensor<2146435072xi8>
    gpuvm.send %r : tensor<2146435072xi8>
  }
  gpuvm.return %a : !gpuvm.message<tensor<2146435072xi8>>
}

// -----

// Neither operand is large; what is reduced is.
gpuvm.program @outer(%x: tensor<65536xf32>) -> (y: tensor<f32>) {
  %a = gpuvm.stage @a(%v = %x : tensor<65536xf32>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    // expected-error @below {{reduces 4294967296 elements to one, too many (2146435071 at most: indices have 32 bits on the device)}}
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%v, %v : tensor<65536xf32>, tensor<65536xf32>) outs(%zero : tensor<f32>) {
    ^bb0(%p: f32, %q: f32, %acc: f32):
      %s = arith.mulf %p, %q : f32
      %t = arith.addf %acc, %s : f32
      linalg.yield %t : f32
    } -> tensor<f32>
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %a : !gpuvm.message<tensor<f32>>
}
