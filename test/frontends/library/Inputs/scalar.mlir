gpuvm.program @p(%x: tensor<8xf32>) -> (y: tensor<f32>) {
  %y = gpuvm.stage @s(%v = %x : tensor<8xf32>) -> tensor<f32> {
    %z = arith.constant 0.0 : f32
    %r = linalg.reduce { arith.addf } ins(%v : tensor<8xf32>) outs(%z : f32) dimensions = [0]
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<f32>>
}
