// Two programs that share a global; each keeps a count of its own.

gpuvm.global @sum : tensor<4xi32>
gpuvm.heap @weights : tensor<4xi32>

gpuvm.program @add(%x: tensor<4xi32>) -> (times: tensor<i32>) {
  gpuvm.register @count : tensor<i32>
  %t = gpuvm.stage @more(%a = %x : tensor<4xi32>) -> tensor<i32> {
    %w = gpuvm.load @weights : tensor<4xi32>
    %s = gpuvm.load @sum : tensor<4xi32>
    %p = arith.muli %a, %w : tensor<4xi32>
    %r = arith.addi %s, %p : tensor<4xi32>
    gpuvm.store %r, @sum : tensor<4xi32>
    %one = arith.constant dense<1> : tensor<i32>
    %c = gpuvm.load @count : tensor<i32>
    %n = arith.addi %c, %one : tensor<i32>
    gpuvm.store %n, @count : tensor<i32>
    gpuvm.send %n : tensor<i32>
  }
  gpuvm.return %t : !gpuvm.message<tensor<i32>>
}

gpuvm.program @get(%x: tensor<4xi32>) -> (y: tensor<4xi32>, times: tensor<i32>) {
  gpuvm.register @count : tensor<i32> = dense<100> : tensor<i32>
  %y, %t = gpuvm.stage @less(%a = %x : tensor<4xi32>) -> (tensor<4xi32>, tensor<i32>) {
    %s = gpuvm.load @sum : tensor<4xi32>
    %d = arith.subi %s, %a : tensor<4xi32>
    %one = arith.constant dense<1> : tensor<i32>
    %c = gpuvm.load @count : tensor<i32>
    %n = arith.addi %c, %one : tensor<i32>
    gpuvm.store %n, @count : tensor<i32>
    gpuvm.send %d, %n : tensor<4xi32>, tensor<i32>
  }
  gpuvm.return %y, %t : !gpuvm.message<tensor<4xi32>>, !gpuvm.message<tensor<i32>>
}
