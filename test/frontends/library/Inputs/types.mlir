gpuvm.program @p(%x: tensor<8xf32>) -> (y: tensor<8xf32>) {
  %y = gpuvm.stage @s(%v = %x : tensor<8xf32>) -> tensor<8xf32> {
    %z = arith.constant 0.0 : f32
    %r = arith.addf %v, %z : tensor<8xf32>
    gpuvm.send %r : tensor<8xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xf32>>
}
