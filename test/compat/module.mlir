// A plan that carries the module it was made of.

gpuvm.program private @double(%x: tensor<4xi32>) -> (y: tensor<4xi32>) {
  %y = gpuvm.stage @add(%v = %x : tensor<4xi32>) -> tensor<4xi32> {
    %r = arith.addi %v, %v : tensor<4xi32>
    gpuvm.send %r : tensor<4xi32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<4xi32>>
}

gpuvm.program @whole(%x: tensor<4xi32>) -> (y: tensor<4xi32>) {
  %a = gpuvm.call @double as @first (%x) : (tensor<4xi32>) -> !gpuvm.message<tensor<4xi32>>
  %b = gpuvm.call @double as @second (%a) : (!gpuvm.message<tensor<4xi32>>) -> !gpuvm.message<tensor<4xi32>>
  gpuvm.return %b : !gpuvm.message<tensor<4xi32>>
}
