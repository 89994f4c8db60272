gpuvm.program @atomics(%at: tensor<16xi32>, %x: tensor<16xi64>, %s: tensor<70000xi64>) -> (y: tensor<70000xi64>) {
  %y = gpuvm.stage @add(%a = %at : tensor<16xi32>, %u = %x : tensor<16xi64>, %z = %s : tensor<70000xi64>) -> tensor<70000xi64> {
    %r = gpuvm.scatter add %u at %a into %z : (tensor<16xi64>, tensor<16xi32>, tensor<70000xi64>) -> tensor<70000xi64>
    gpuvm.send %r : tensor<70000xi64>
  }
  gpuvm.return %y : !gpuvm.message<tensor<70000xi64>>
}
