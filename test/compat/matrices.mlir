gpuvm.program @matrices(%a: tensor<32x32xf16>, %b: tensor<32x32xf16>) -> (c: tensor<32x32xf32>) {
  %c = gpuvm.stage @multiply(%x = %a : tensor<32x32xf16>, %y = %b : tensor<32x32xf16>) -> tensor<32x32xf32> {
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    %r = linalg.matmul ins(%x, %y : tensor<32x32xf16>, tensor<32x32xf16>) outs(%zero : tensor<32x32xf32>) -> tensor<32x32xf32>
    gpuvm.send %r : tensor<32x32xf32>
  }
  gpuvm.return %c : !gpuvm.message<tensor<32x32xf32>>
}
