gpuvm.program @p(%old: tensor<0x2xi32>, %new: tensor<2x2xi32>) -> (columns: tensor<2x0xi32>, all: tensor<2x2xi32>) {
  %columns, %joined = gpuvm.stage @join(%o = %old : tensor<0x2xi32>, %n = %new : tensor<2x2xi32>) -> (tensor<2x0xi32>, tensor<2x2xi32>) {
    %c = tensor.empty() : tensor<2x0xi32>
    %j = tensor.concat dim(0) %o, %n : (tensor<0x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
    gpuvm.send %c, %j : tensor<2x0xi32>, tensor<2x2xi32>
  }
  gpuvm.return %columns, %joined : !gpuvm.message<tensor<2x0xi32>>, !gpuvm.message<tensor<2x2xi32>>
}
