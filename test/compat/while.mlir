// A repeat with a condition: counts to a number.

gpuvm.program @while(%end: tensor<i32>) -> (count: tensor<i32>, total: tensor<i32>) {
  gpuvm.global @sum : tensor<i32>
  %zero = arith.constant dense<0> : tensor<i32>
  %n = gpuvm.repeat @count up_to 2000000000 (%i = %zero : tensor<i32>) {
    %m, %done = gpuvm.stage @more(%c = %i : !gpuvm.message<tensor<i32>>, %e = %end : tensor<i32>) -> (tensor<i32>, tensor<i1>) {
      %one = arith.constant dense<1> : tensor<i32>
      %next = arith.addi %c, %one : tensor<i32>
      %is = arith.cmpi sge, %next, %e : tensor<i32>
      gpuvm.send %next, %is : tensor<i32>, tensor<i1>
    }
    gpuvm.next %m : !gpuvm.message<tensor<i32>> until %done : !gpuvm.message<tensor<i1>>
  }
  %t = gpuvm.stage @add(%c = %n : !gpuvm.message<tensor<i32>>) -> tensor<i32> {
    %s = gpuvm.load @sum : tensor<i32>
    %r = arith.addi %s, %c : tensor<i32>
    gpuvm.store %r, @sum : tensor<i32>
    gpuvm.send %r : tensor<i32>
  }
  gpuvm.return %n, %t : !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<i32>>
}
