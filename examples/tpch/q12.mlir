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
// One line in 200 is kept. The filter leaves a byte for each line in Globals: the scan
// behind it, which is long as code, then reads no column. The numbers of the lines that
// are kept are put side by side, and only their keys and modes are read (of packed
// columns: decoded). They go in a hash table by their
// order key; each order finds its lines there (gpuvm.match), gpuvm.expand makes the
// pairs of an order and a line, and these are counted by ship mode; a mode that
// nothing falls into has the counts 0.

gpuvm.parameter @lines = 6001215 "rows of lineitem"
gpuvm.parameter @orders = 1500000
gpuvm.parameter @room = @lines floordiv 64 + 64@

!days   = tensor<@lines@xi32>
!small  = tensor<@lines@xi8>
!mask   = tensor<@lines@xi1>
!all_keys   = tensor<@room@xi32>   // room for a 64th of the lines, and 64
!all_modes  = tensor<@room@xi8>
!all_counts = tensor<@room@xi64>
!keys   = tensor<?xi32, #gpuvm.bound<@room@>>  // of the lines that are kept
!modes  = tensor<?xi8, #gpuvm.bound<@room@>>
!pairs  = tensor<?xi32, #gpuvm.bound<@room@>>  // of an order and a line
!counts = tensor<?xi64, #gpuvm.bound<@room@>>
!orders = tensor<@orders@xi32>
!ranks  = tensor<@orders@xi8>
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

  gpuvm.global @late : !mask

  gpuvm.stage @filter() {
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
    gpuvm.store %all, @late : !mask
    gpuvm.send
  }

  %key, %mode = gpuvm.stage @pick() -> (!keys, !modes) {
    %keep = gpuvm.load @late : !mask
    %keys = gpuvm.load @l_orderkey : !days
    %modes = gpuvm.load @l_shipmode : !small
    %numbers = tensor.generate {
    ^bb0(%i: index):
      %number = arith.index_cast %i : index to i32
      tensor.yield %number : i32
    } : !days
    %r, %count = gpuvm.compact %numbers where %keep : (!days, !mask) -> (!all_keys, tensor<i32>)
    %rows = gpuvm.bounded %r[%count] : !all_keys -> !keys
    %k = gpuvm.gather %keys[%rows] : !days, !keys -> !keys
    %m = gpuvm.gather %modes[%rows] : !small, !keys -> !modes
    gpuvm.send %k, %m : !keys, !modes
  }

  // Each order has `matches` lines, which stand side by side in `lines` from `first` on.
  %first, %matches, %lines = gpuvm.stage @match(%k = %key : !gpuvm.message<!keys>)
      -> (!orders, !orders, !all_keys) {
    %orders = gpuvm.load @o_orderkey : !orders
    %f, %c, %o = gpuvm.match %orders in %k : (!orders), (!keys) -> !orders, !orders, !all_keys
    gpuvm.send %f, %c, %o : !orders, !orders, !all_keys
  }

  %group, %high, %low = gpuvm.stage @join(%f = %first : !gpuvm.message<!orders>,
                                          %c = %matches : !gpuvm.message<!orders>,
                                          %line = %lines : !gpuvm.message<!all_keys>,
                                          %modes = %mode : !gpuvm.message<!modes>)
      -> (!pairs, !counts, !counts) {
    %priorities = gpuvm.load @o_orderpriority : !ranks
    %of, %ordinals, %total = gpuvm.expand %c : !orders -> !all_keys, !all_keys
    %orders = gpuvm.bounded %of[%total] : !all_keys -> !pairs
    %nth = gpuvm.bounded %ordinals[%total] : !all_keys -> !pairs
    %all = tensor.empty() : !all_counts
    %ones = gpuvm.bounded %all[%total] : !all_counts -> !counts
    %g:3 = linalg.generic {
        indexing_maps = [#row, #row, #row, #row, #row], iterator_types = ["parallel"]}
        ins(%orders, %nth : !pairs, !pairs) outs(%orders, %ones, %ones : !pairs, !counts, !counts) {
    ^bb0(%order: i32, %ordinal: i32, %u0: i32, %u1: i64, %u2: i64):
      %second = arith.constant 1 : i8
      %one = arith.constant 1 : i64
      %o_row = arith.index_cast %order : i32 to index
      %begin = tensor.extract %f[%o_row] : !orders
      %at = arith.addi %begin, %ordinal : i32
      %place = arith.index_cast %at : i32 to index
      %l = tensor.extract %line[%place] : !all_keys
      %l_row = arith.index_cast %l : i32 to index
      %mode_ = tensor.extract %modes[%l_row] : !modes
      %priority = tensor.extract %priorities[%o_row] : !ranks
      %is_high = arith.cmpi sle, %priority, %second : i8
      %h = arith.extui %is_high : i1 to i64
      %rest = arith.subi %one, %h : i64
      %wide = arith.extsi %mode_ : i8 to i32
      linalg.yield %wide, %h, %rest : i32, i64, i64
    } -> (!pairs, !counts, !counts)
    gpuvm.send %g#0, %g#1, %g#2 : !pairs, !counts, !counts
  }

  %sums:2 = gpuvm.stage @aggregate(%g = %group : !gpuvm.message<!pairs>,
                                   %h = %high : !gpuvm.message<!counts>,
                                   %l = %low : !gpuvm.message<!counts>) -> (!groups, !groups) {
    %none = arith.constant dense<0> : !groups
    %s:2 = gpuvm.scatter add, add %h, %l at %g into %none, %none
        : (!counts, !counts, !pairs, !groups, !groups) -> (!groups, !groups)
    gpuvm.send %s#0, %s#1 : !groups, !groups
  }
  gpuvm.return %sums#0, %sums#1 : !gpuvm.message<!groups>, !gpuvm.message<!groups>
}
