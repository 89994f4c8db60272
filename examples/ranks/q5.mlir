// TPC-H query 5 over lineitem and orders in shards by order key: rank r has the
// orders of a range of keys, counted from 1 in each range, and their lines; the small
// tables are on every rank. Each rank runs the query, its revenues go back to where
// their nations stand, are added up and put in order again.
//
//   gpuvm-compile q5.mlir --link=../tpch/q5.mlir --set ranks=4 --set q5.lines=...

gpuvm.parameter @ranks = 2

!numbers  = tensor<25xi32>
!revenues = tensor<25xi64>

gpuvm.program @q5_shards() -> (nation: !numbers, revenue: !revenues) ranks(@ranks@) {
  %n, %r = gpuvm.call @q5 as @shard () : () -> (!gpuvm.message<!numbers>, !gpuvm.message<!revenues>)
  %own = gpuvm.stage @by_nation(%nation = %n : !gpuvm.message<!numbers>, %revenue = %r : !gpuvm.message<!revenues>) -> !revenues {
    %zero = arith.constant dense<0> : !revenues
    %s = gpuvm.scatter add %revenue at %nation into %zero : (!revenues, !numbers, !revenues) -> !revenues
    gpuvm.send %s : !revenues
  }
  %all = gpuvm.all_reduce %own add : !gpuvm.message<!revenues>
  %nation, %revenue = gpuvm.stage @order(%s = %all : !revenues) -> (!numbers, !revenues) {
    %sorted, %numbers = gpuvm.sort %s descending numbers : !revenues
    gpuvm.send %numbers, %sorted : !numbers, !revenues
  }
  gpuvm.return %nation, %revenue : !gpuvm.message<!numbers>, !gpuvm.message<!revenues>
}
