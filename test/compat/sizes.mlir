gpuvm.parameter @n = 4
gpuvm.parameter @rate = 0.5
gpuvm.program @scale(%x: tensor<@n@xf32>) -> (y: tensor<@n@xf32>) {
  %y = gpuvm.stage @s(%a = %x : tensor<@n@xf32>) -> tensor<@n@xf32> {
    %c = arith.constant dense<@rate@> : tensor<@n@xf32>
    %d = arith.mulf %a, %c : tensor<@n@xf32>
    gpuvm.send %d : tensor<@n@xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<@n@xf32>>
}
