// TPC-H query 3 over lineitem and orders in shards by order key, as q5.mlir has them.
// Each rank has its own ten orders of the most revenue; of those of all ranks the
// first ten are the answer. Orders that are not there have the revenue 0.
//
//   gpuvm-compile q3.mlir --link=../tpch/q3.mlir --set ranks=4 --set keys_of_rank=1500000 --set q3.keys=1500001 ...

gpuvm.parameter @ranks = 2
gpuvm.parameter @keys_of_rank = 3000000 "order keys of each rank's range"

!rows     = tensor<?xi32, #gpuvm.bound<10>>
!amounts  = tensor<?xi64, #gpuvm.bound<10>>
!ten      = tensor<10xi32>
!keys     = tensor<10xi64>
!all      = tensor<@10 * ranks@xi32>
!all_keys = tensor<@10 * ranks@xi64>
#row = affine_map<(row) -> (row)>

gpuvm.program @q3_shards() -> (orderkey: !ten, revenue: !keys, orderdate: !ten, shippriority: !ten) ranks(@ranks@) {
  %s:4 = gpuvm.call @q3 as @shard ()
      : () -> (!gpuvm.message<!rows>, !gpuvm.message<!amounts>, !gpuvm.message<!rows>, !gpuvm.message<!rows>)

  // Ten rows, whatever there is; a key that sorts as the query does, as in q3 itself.
  %own_key, %own_order, %own_priority = gpuvm.stage @fill(
      %order = %s#0 : !gpuvm.message<!rows>, %revenue = %s#1 : !gpuvm.message<!amounts>,
      %date = %s#2 : !gpuvm.message<!rows>, %priority = %s#3 : !gpuvm.message<!rows>) -> (!keys, !ten, !ten) {
    %rank = gpuvm.rank : tensor<i32>
    %at = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
        ins(%order : !rows) outs(%order : !rows) {
    ^bb0(%key: i32, %unused: i32):
      %i = linalg.index 0 : index
      %number = arith.index_cast %i : index to i32
      linalg.yield %number : i32
    } -> !rows
    %sort_key = linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]}
        ins(%revenue, %date : !amounts, !rows) outs(%revenue : !amounts) {
    ^bb0(%r: i64, %d: i32, %unused: i64):
      %shift = arith.constant 16 : i64
      %lowest = arith.constant 65535 : i64
      %high = arith.shli %r, %shift : i64
      %day = arith.extsi %d : i32 to i64
      %low = arith.subi %lowest, %day : i64
      %both = arith.addi %high, %low : i64
      linalg.yield %both : i64
    } -> !amounts
    %global = linalg.generic {indexing_maps = [#row, affine_map<(row) -> ()>, #row], iterator_types = ["parallel"]}
        ins(%order, %rank : !rows, tensor<i32>) outs(%order : !rows) {
    ^bb0(%key: i32, %r: i32, %unused: i32):
      %keys = arith.constant @keys_of_rank@ : i32
      %first = arith.muli %r, %keys : i32
      %sum = arith.addi %first, %key : i32
      linalg.yield %sum : i32
    } -> !rows
    %none = arith.constant dense<0> : !ten
    %zero = arith.constant dense<0> : !keys
    %k = gpuvm.scatter add %sort_key at %at into %zero : (!amounts, !rows, !keys) -> !keys
    %o = gpuvm.scatter add %global at %at into %none : (!rows, !rows, !ten) -> !ten
    %p = gpuvm.scatter add %priority at %at into %none : (!rows, !rows, !ten) -> !ten
    gpuvm.send %k, %o, %p : !keys, !ten, !ten
  }

  %k = gpuvm.all_gather %own_key axis(0) : !gpuvm.message<!keys> -> !all_keys
  %o = gpuvm.all_gather %own_order axis(0) : !gpuvm.message<!ten> -> !all
  %p = gpuvm.all_gather %own_priority axis(0) : !gpuvm.message<!ten> -> !all

  %first:4 = gpuvm.stage @order(%keys = %k : !all_keys, %orders = %o : !all, %priorities = %p : !all)
      -> (!ten, !keys, !ten, !ten) {
    %top, %places = gpuvm.top_k %keys : !all_keys -> !keys, !ten
    %revenue = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
        ins(%top : !keys) outs(%top : !keys) {
    ^bb0(%both: i64, %unused: i64):
      %shift = arith.constant 16 : i64
      %high = arith.shrui %both, %shift : i64
      linalg.yield %high : i64
    } -> !keys
    %init = tensor.empty() : !ten
    %date = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
        ins(%top : !keys) outs(%init : !ten) {
    ^bb0(%both: i64, %unused: i32):
      %lowest = arith.constant 65535 : i64
      %low = arith.andi %both, %lowest : i64
      %day = arith.subi %lowest, %low : i64
      %d = arith.trunci %day : i64 to i32
      linalg.yield %d : i32
    } -> !ten
    %order = gpuvm.gather %orders[%places] : !all, !ten -> !ten
    %priority = gpuvm.gather %priorities[%places] : !all, !ten -> !ten
    gpuvm.send %order, %revenue, %date, %priority : !ten, !keys, !ten, !ten
  }
  gpuvm.return %first#0, %first#1, %first#2, %first#3
      : !gpuvm.message<!ten>, !gpuvm.message<!keys>, !gpuvm.message<!ten>, !gpuvm.message<!ten>
}
