gpuvm.program @bf16(%x: tensor<4xbf16>) -> (y: tensor<4xbf16>) {
  %y = gpuvm.stage @add(%v = %x : tensor<4xbf16>) -> tensor<4xbf16> {
    %c = arith.constant dense<0.00390625> : tensor<4xbf16>
    %r = arith.addf %v, %c : tensor<4xbf16>
    gpuvm.send %r : tensor<4xbf16>
  }
  gpuvm.return %y : !gpuvm.message<tensor<4xbf16>>
}
