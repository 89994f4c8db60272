gpuvm.program @double(%x: tensor<4x2xf32>) -> (y: tensor<4x2xf32>) {
  %y = gpuvm.stage @twice(%v = %x : tensor<4x2xf32>) -> tensor<4x2xf32> {
    %s = arith.addf %v, %v : tensor<4x2xf32>
    gpuvm.send %s : tensor<4x2xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<4x2xf32>>
}
