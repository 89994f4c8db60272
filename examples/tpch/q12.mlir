// TPC-H query 12: whether slow ways to ship make urgent orders late.
//
//   select l_shipmode,
//       sum(case when o_orderpriority = '1-URGENT' or o_orderpriority = '2-HIGH'
//           then 1 else 0 end) as high_line_count,
//       sum(case when o_orderpriority <> '1-URGENT' and o_orderpriority <> '2-HIGH'
//           then 1 else 0 end) as low_line_count
//   from orders, lineitem
//   where o_orderkey = l_orderkey and l_shipmode in ('MAIL', 'SHIP')
//     and l_commitdate < l_receiptdate and l_shipdate < l_commitdate
//     and l_receiptdate >= date '1994-01-01' and l_receiptdate < date '1995-01-01'
//   group by l_shipmode order by l_shipmode
//
// One line in 200 is kept. These are put side by side, find their order by its key
// in a hash table of all orders (gpuvm.match), and are counted by ship mode; a mode
// that nothing falls into has the counts 0.

!days   = tensor<6001215xi32>
!small  = tensor<6001215xi8>
!mask   = tensor<6001215xi1>
!keys   = tensor<93833xi32>    // room for a 64th of the lines, and 64
!modes  = tensor<93833xi8>
!counts = tensor<93833xi64>
!orders = tensor<1500000xi32>
!ranks  = tensor<1500000xi8>
!groups = tensor<7xi64>
#row = affine_map<(row) -> (row)>

gpuvm.program @q12() -> (high_line_count: !groups, low_line_count: !groups) {
  gpuvm.heap @l_orderkey : !days
  gpuvm.heap @l_shipmode : !small       // 2 is MAIL, 5 is SHIP
  gpuvm.heap @l_shipdate : !days        // days since 1970-01-01
  gpuvm.heap @l_commitdate : !days
  gpuvm.heap @l_receiptdate : !days
  gpuvm.heap @o_orderkey : !orders
  gpuvm.heap @o_orderpriority : !ranks  // 0 is 1-URGENT, 1 is 2-HIGH
  gpuvm.metric @KEPT : tensor<i32>      // must not be more than there is room for

  %late = gpuvm.stage @filter() -> !mask {
    %mode = gpuvm.load @l_shipmode : !small
    %ship = gpuvm.load @l_shipdate : !days
    %commit = gpuvm.load @l_commitdate : !days
    %receipt = gpuvm.load @l_receiptdate : !days
    %mail = arith.constant dense<2> : !small
    %sea = arith.constant dense<5> : !small
    %from = arith.constant dense<8766> : !days   // 1994-01-01
    %to = arith.constant dense<9131> : !days     // 1995-01-01
    %by_mail = arith.cmpi eq, %mode, %mail : !small
    %by_ship = arith.cmpi eq, %mode, %sea : !small
    %slow = arith.ori %by_mail, %by_ship : !mask
    %missed = arith.cmpi slt, %commit, %receipt : !days
    %in_time = arith.cmpi slt, %ship, %commit : !days
    %since = arith.cmpi sge, %receipt, %from : !days
    %until = arith.cmpi slt, %receipt, %to : !days
    %year = arith.andi %since, %until : !mask
    %transit = arith.andi %missed, %in_time : !mask
    %both = arith.andi %slow, %transit : !mask
    %all = arith.andi %both, %year : !mask
    gpuvm.send %all : !mask
  }

  %key, %mode, %n = gpuvm.stage @pick(%keep = %late : !gpuvm.message<!mask>)
      -> (!keys, !modes, tensor<i32>) {
    %keys = gpuvm.load @l_orderkey : !days
    %modes = gpuvm.load @l_shipmode : !small
    %k, %m, %count = gpuvm.compact %keys, %modes where %keep
        : (!days, !small, !mask) -> (!keys, !modes, tensor<i32>)
    gpuvm.store %count, @KEPT : tensor<i32>
    gpuvm.send %k, %m, %count : !keys, !modes, tensor<i32>
  }

  %first, %matches, %rows = gpuvm.stage @join(%k = %key : !gpuvm.message<!keys>)
      -> (!keys, !keys, !orders) {
    %orders = gpuvm.load @o_orderkey : !orders
    %f, %c, %o = gpuvm.match %k in %orders : (!keys), (!orders) -> !keys, !keys, !orders
    gpuvm.send %f, %c, %o : !keys, !keys, !orders
  }

  %high, %low = gpuvm.stage @aggregate(%f = %first : !gpuvm.message<!keys>,
                                       %c = %matches : !gpuvm.message<!keys>,
                                       %order = %rows : !gpuvm.message<!orders>,
                                       %m = %mode : !gpuvm.message<!modes>,
                                       %count = %n : !gpuvm.message<tensor<i32>>)
      -> (!groups, !groups) {
    %priorities = gpuvm.load @o_orderpriority : !ranks
    %places = tensor.empty() : !keys
    %ones = tensor.empty() : !counts
    %g:3 = linalg.generic {
        indexing_maps = [#row, #row, #row, #row, #row, #row], iterator_types = ["parallel"]}
        ins(%f, %c, %m : !keys, !keys, !modes) outs(%places, %ones, %ones : !keys, !counts, !counts) {
    ^bb0(%at: i32, %found: i32, %mode_: i8, %u0: i32, %u1: i64, %u2: i64):
      %zero = arith.constant 0 : i32
      %none = arith.constant -1 : i32
      %second = arith.constant 1 : i8
      %one = arith.constant 1 : i64
      %i = linalg.index 0 : index
      %number = arith.index_cast %i : index to i32
      %kept = tensor.extract %count[] : tensor<i32>
      %is_line = arith.cmpi slt, %number, %kept : i32
      %has_order = arith.cmpi ne, %found, %zero : i32
      %joins = arith.andi %is_line, %has_order : i1
      %safe = arith.select %joins, %at, %zero : i32
      %place = arith.index_cast %safe : i32 to index
      %row = tensor.extract %order[%place] : !orders
      %row_ = arith.index_cast %row : i32 to index
      %priority = tensor.extract %priorities[%row_] : !ranks
      %is_high = arith.cmpi sle, %priority, %second : i8
      %h = arith.extui %is_high : i1 to i64
      %l = arith.subi %one, %h : i64
      %wide = arith.extsi %mode_ : i8 to i32
      %group = arith.select %joins, %wide, %none : i32
      linalg.yield %group, %h, %l : i32, i64, i64
    } -> (!keys, !counts, !counts)
    %none = arith.constant dense<0> : !groups
    %sums:2 = gpuvm.scatter add, add %g#1, %g#2 at %g#0 into %none, %none
        : (!counts, !counts, !keys, !groups, !groups) -> (!groups, !groups)
    gpuvm.send %sums#0, %sums#1 : !groups, !groups
  }
  gpuvm.return %high, %low : !gpuvm.message<!groups>, !gpuvm.message<!groups>
}
