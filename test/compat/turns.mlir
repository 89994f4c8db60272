// Neighbours' sums, which lie in two places by turns.
gpuvm.program @turns(%x: tensor<4xi32>) -> (y: tensor<4xi32>) {
  %y = gpuvm.repeat @sum up_to 3 (%v = %x : tensor<4xi32>) {
    %s = gpuvm.stage @add(%a = %v : !gpuvm.message<tensor<4xi32>>) -> tensor<4xi32> {
      %r = tensor.generate {
      ^bb0(%i: index):
        %c1 = arith.constant 1 : index
        %c3 = arith.constant 3 : index
        %j0 = arith.addi %i, %c1 : index
        %j = arith.andi %j0, %c3 : index
        %e = tensor.extract %a[%i] : tensor<4xi32>
        %f = tensor.extract %a[%j] : tensor<4xi32>
        %t = arith.addi %e, %f : i32
        tensor.yield %t : i32
      } : tensor<4xi32>
      gpuvm.send %r : tensor<4xi32>
    }
    gpuvm.next %s : !gpuvm.message<tensor<4xi32>>
  }
  gpuvm.return %y : !gpuvm.message<tensor<4xi32>>
}
