// TPC-H query 6 over lineitem in shards: each rank runs the query on its lines, and
// sums are added up.
//
//   gpuvm-compile q6.mlir --link=../tpch/q6.mlir --set ranks=4 --set q6.lines=1500304

gpuvm.parameter @ranks = 2

!sum = !gpuvm.message<tensor<i64>>

gpuvm.program @q6_shards() -> (revenue: tensor<i64>) ranks(@ranks@) {
  %own = gpuvm.call @q6 as @shard () : () -> !sum
  %revenue = gpuvm.all_reduce %own add : !sum
  gpuvm.return %revenue : tensor<i64>
}
