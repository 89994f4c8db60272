gpuvm.program @hello(%x: tensor<8xf32>) -> (sum: tensor<f32>) {
  %squares = gpuvm.stage @square(%v = %x : tensor<8xf32>) -> tensor<8xf32> {
    %s = arith.mulf %v, %v : tensor<8xf32>
    gpuvm.send %s : tensor<8xf32>
  }
  %sum = gpuvm.stage @total(%v = %squares : !gpuvm.message<tensor<8xf32>>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %t = linalg.reduce { arith.addf } ins(%v : tensor<8xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.send %t : tensor<f32>
  }
  gpuvm.return %sum : !gpuvm.message<tensor<f32>>
}
