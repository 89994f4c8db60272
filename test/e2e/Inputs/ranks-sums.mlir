// What is added up is in shards, how often is the same everywhere, and `own` is of each rank.
gpuvm.parameter @ranks = 2
gpuvm.parameter @rows = 12
!rows = tensor<@rows floordiv ranks@x3xi32>
gpuvm.program @sums(%x: !rows) -> (sum: !rows, times: tensor<i32>) ranks(@ranks@) {
  gpuvm.global @sums : !rows
  gpuvm.global @count : tensor<i32>
  %m:2 = gpuvm.stage @add(%v = %x : !rows) -> (!rows, tensor<i32>) {
    %old = gpuvm.load @sums : !rows
    %n = gpuvm.load @count : tensor<i32>
    %one = arith.constant dense<1> : tensor<i32>
    %three = arith.constant dense<3> : !rows
    %scaled = arith.muli %old, %three : !rows
    %new = arith.addi %scaled, %v : !rows
    %more = arith.addi %n, %one : tensor<i32>
    gpuvm.store %new, @sums : !rows
    gpuvm.store %more, @count : tensor<i32>
    gpuvm.send %new, %more : !rows, tensor<i32>
  }
  %all = gpuvm.all_reduce %m#1 max : !gpuvm.message<tensor<i32>>
  gpuvm.return %m#0, %all : !gpuvm.message<!rows>, tensor<i32>
}
