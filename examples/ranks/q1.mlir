// TPC-H query 1 over lineitem in shards: each rank runs the query on its lines, and
// sums are added up. Any lines may lie on any rank; shards that are shorter are
// filled up with lines of the year 2200, which the query leaves out.
//
//   gpuvm-compile q1.mlir --link=../tpch/q1.mlir --set ranks=4 --set q1.lines=1500304

gpuvm.parameter @ranks = 2

!groups = tensor<6xi64>
!sums   = !gpuvm.message<!groups>

gpuvm.program @q1_shards() -> (sum_qty: !groups, sum_base_price: !groups, sum_disc_price: !groups,
                               sum_charge: !groups, sum_discount: !groups, count_order: !groups) ranks(@ranks@) {
  %s:6 = gpuvm.call @q1 as @shard () : () -> (!sums, !sums, !sums, !sums, !sums, !sums)
  %qty = gpuvm.all_reduce %s#0 add : !sums
  %base = gpuvm.all_reduce %s#1 add : !sums
  %disc = gpuvm.all_reduce %s#2 add : !sums
  %charge = gpuvm.all_reduce %s#3 add : !sums
  %discount = gpuvm.all_reduce %s#4 add : !sums
  %count = gpuvm.all_reduce %s#5 add : !sums
  gpuvm.return %qty, %base, %disc, %charge, %discount, %count
      : !groups, !groups, !groups, !groups, !groups, !groups
}
