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
// One line in 200 is kept. These are put side by side and in a hash table by their
// order key; each order finds its lines there (gpuvm.match), gpuvm.expand makes the
// pairs of an order and a line, and these are counted by ship mode; a mode that
// nothing falls into has the counts 0.

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

  // Each order has `matches` lines, which stand side by side in `lines` from `first` on.
  %first, %matches, %lines = gpuvm.stage @match(%k = %key : !gpuvm.message<!keys>,
                                                %count = %n : !gpuvm.message<tensor<i32>>)
      -> (!orders, !orders, !keys) {
    %orders = gpuvm.load @o_orderkey : !orders
    %init = tensor.empty() : !keys
    %table = linalg.generic {
        indexing_maps = [#row, #row], iterator_types = ["parallel"]}
        ins(%k : !keys) outs(%init : !keys) {
    ^bb0(%order: i32, %unused: i32):
      %none = arith.constant -1 : i32   // no order has this key
      %i = linalg.index 0 : index
      %place = arith.index_cast %i : index to i32
      %kept = tensor.extract %count[] : tensor<i32>
      %is_line = arith.cmpi slt, %place, %kept : i32
      %r = arith.select %is_line, %order, %none : i32
      linalg.yield %r : i32
    } -> !keys
    %f, %c, %o = gpuvm.match %orders in %table : (!orders), (!keys) -> !orders, !orders, !keys
    gpuvm.send %f, %c, %o : !orders, !orders, !keys
  }

  %group, %high, %low = gpuvm.stage @join(%f = %first : !gpuvm.message<!orders>,
                                          %c = %matches : !gpuvm.message<!orders>,
                                          %line = %lines : !gpuvm.message<!keys>,
                                          %modes = %mode : !gpuvm.message<!modes>)
      -> (!keys, !counts, !counts) {
    %priorities = gpuvm.load @o_orderpriority : !ranks
    %orders, %ordinals, %pairs = gpuvm.expand %c : !orders -> !keys, !keys
    %init = tensor.empty() : !keys
    %ones = tensor.empty() : !counts
    %g:3 = linalg.generic {
        indexing_maps = [#row, #row, #row, #row, #row], iterator_types = ["parallel"]}
        ins(%orders, %ordinals : !keys, !keys) outs(%init, %ones, %ones : !keys, !counts, !counts) {
    ^bb0(%order: i32, %ordinal: i32, %u0: i32, %u1: i64, %u2: i64):
      %zero = arith.constant 0 : i32
      %none = arith.constant -1 : i32
      %second = arith.constant 1 : i8
      %one = arith.constant 1 : i64
      %i = linalg.index 0 : index
      %pair = arith.index_cast %i : index to i32
      %total = tensor.extract %pairs[] : tensor<i32>
      %is_pair = arith.cmpi slt, %pair, %total : i32
      %safe = arith.select %is_pair, %order, %zero : i32
      %o_row = arith.index_cast %safe : i32 to index
      %begin = tensor.extract %f[%o_row] : !orders
      %at = arith.addi %begin, %ordinal : i32
      %safe_at = arith.select %is_pair, %at, %zero : i32
      %place = arith.index_cast %safe_at : i32 to index
      %l = tensor.extract %line[%place] : !keys
      %l_row = arith.index_cast %l : i32 to index
      %mode_ = tensor.extract %modes[%l_row] : !modes
      %priority = tensor.extract %priorities[%o_row] : !ranks
      %is_high = arith.cmpi sle, %priority, %second : i8
      %h = arith.extui %is_high : i1 to i64
      %rest = arith.subi %one, %h : i64
      %wide = arith.extsi %mode_ : i8 to i32
      %to = arith.select %is_pair, %wide, %none : i32
      linalg.yield %to, %h, %rest : i32, i64, i64
    } -> (!keys, !counts, !counts)
    gpuvm.send %g#0, %g#1, %g#2 : !keys, !counts, !counts
  }

  %sums:2 = gpuvm.stage @aggregate(%g = %group : !gpuvm.message<!keys>,
                                   %h = %high : !gpuvm.message<!counts>,
                                   %l = %low : !gpuvm.message<!counts>) -> (!groups, !groups) {
    %none = arith.constant dense<0> : !groups
    %s:2 = gpuvm.scatter add, add %h, %l at %g into %none, %none
        : (!counts, !counts, !keys, !groups, !groups) -> (!groups, !groups)
    gpuvm.send %s#0, %s#1 : !groups, !groups
  }
  gpuvm.return %sums#0, %sums#1 : !gpuvm.message<!groups>, !gpuvm.message<!groups>
}
