// A join that looks at its cardinalities: what orders of some days, in lines that were
// shipped on some days, came to, by the priority of the order.
//
//   select o_orderpriority, count(*), sum(l_extendedprice * (1 - l_discount))
//   from orders, lineitem where o_orderkey = l_orderkey
//     and o_orderdate >= $orders_from and o_orderdate < $orders_to
//     and l_shipdate >= $lines_from and l_shipdate < $lines_to
//   group by o_orderpriority order by o_orderpriority
//
// Which filter leaves fewer rows depends on the days, which are inputs. `filter` counts
// what both leave; `regulate` compares the counts and wakes the stages of one side, and
// the other's do not run:
//
//   orders are fewer  their keys become the hash table, and each line looks up its order
//   lines are fewer   their keys become the hash table, and each order adds up its lines
//
// The table has room for a 64th of the lines, and 64; if even the smaller side has
// more, that is the error EXCESS.

gpuvm.parameter @lines = 6001215 "rows of lineitem"
gpuvm.parameter @orders = 1500000
gpuvm.parameter @room = @lines floordiv 64 + 64@

!days       = tensor<@lines@xi32>
!small      = tensor<@lines@xi8>
!money      = tensor<@lines@xi64>
!mask       = tensor<@lines@xi1>
!orders     = tensor<@orders@xi32>
!ranks      = tensor<@orders@xi8>
!sums       = tensor<@orders@xi64>
!order_mask = tensor<@orders@xi1>
!table      = tensor<@room@xi32>
!built      = tensor<?xi32, #gpuvm.bound<@room@>>
!groups     = tensor<5xi64>
!day        = tensor<i32>
!condition  = !gpuvm.message<tensor<i1>>
#row = affine_map<(row) -> (row)>

gpuvm.program @side(%orders_from: !day, %orders_to: !day, %lines_from: !day, %lines_to: !day)
    -> (count: !groups, revenue: !groups, orders: tensor<i32>, lines: tensor<i32>, builds_lines: tensor<i1>) {
  gpuvm.heap @l_orderkey : !days
  gpuvm.heap @l_shipdate : !days            // days since 1970-01-01
  gpuvm.heap @l_discount : !small           // hundredths
  gpuvm.heap @l_extendedprice : !money      // cents
  gpuvm.heap @o_orderkey : !orders
  gpuvm.heap @o_orderdate : !orders
  gpuvm.heap @o_orderpriority : !ranks      // 0 to 4
  gpuvm.global @kept_orders : !order_mask
  gpuvm.global @kept_lines : !mask

  %orders, %lines = gpuvm.stage @filter(%of = %orders_from : !day, %ot = %orders_to : !day,
                                        %lf = %lines_from : !day, %lt = %lines_to : !day)
      -> (tensor<i32>, tensor<i32>) {
    %ordered = gpuvm.load @o_orderdate : !orders
    %shipped = gpuvm.load @l_shipdate : !days
    %o_mask = tensor.empty() : !order_mask
    %l_mask = tensor.empty() : !mask
    %o = linalg.generic {indexing_maps = [#row, affine_map<(row) -> ()>, affine_map<(row) -> ()>, #row],
                         iterator_types = ["parallel"]}
        ins(%ordered, %of, %ot : !orders, !day, !day) outs(%o_mask : !order_mask) {
    ^bb0(%date: i32, %from: i32, %to: i32, %unused: i1):
      %since = arith.cmpi sge, %date, %from : i32
      %until = arith.cmpi slt, %date, %to : i32
      %both = arith.andi %since, %until : i1
      linalg.yield %both : i1
    } -> !order_mask
    %l = linalg.generic {indexing_maps = [#row, affine_map<(row) -> ()>, affine_map<(row) -> ()>, #row],
                         iterator_types = ["parallel"]}
        ins(%shipped, %lf, %lt : !days, !day, !day) outs(%l_mask : !mask) {
    ^bb0(%date: i32, %from: i32, %to: i32, %unused: i1):
      %since = arith.cmpi sge, %date, %from : i32
      %until = arith.cmpi slt, %date, %to : i32
      %both = arith.andi %since, %until : i1
      linalg.yield %both : i1
    } -> !mask
    gpuvm.store %o, @kept_orders : !order_mask
    gpuvm.store %l, @kept_lines : !mask
    %none = arith.constant dense<0> : tensor<i32>
    %o_ones = arith.extui %o : !order_mask to !orders
    %l_ones = arith.extui %l : !mask to !days
    %o_rows = linalg.reduce { arith.addi } ins(%o_ones : !orders) outs(%none : tensor<i32>) dimensions = [0]
    %l_rows = linalg.reduce { arith.addi } ins(%l_ones : !days) outs(%none : tensor<i32>) dimensions = [0]
    gpuvm.send %o_rows, %l_rows : tensor<i32>, tensor<i32>
  }

  // The regulator: the smaller side is the one to build.
  %by_orders, %by_lines, %zero = gpuvm.stage @regulate(%o = %orders : !gpuvm.message<tensor<i32>>,
                                                       %l = %lines : !gpuvm.message<tensor<i32>>)
      -> (tensor<i1>, tensor<i1>, !groups) {
    %few_orders = arith.cmpi sle, %o, %l : tensor<i32>
    %few_lines = arith.cmpi sgt, %o, %l : tensor<i32>
    %none = arith.constant dense<0> : !groups
    gpuvm.send %few_orders, %few_lines, %none : tensor<i1>, tensor<i1>, !groups
  }

  // Orders in the table; each line that is kept looks up its order.
  %order_count, %order_revenue = gpuvm.stage @build_orders when(%by_orders : !condition)
      (%runs = %by_orders : !condition, %none = %zero : !gpuvm.message<!groups>) -> (!groups, !groups) {
    %keep = gpuvm.load @kept_orders : !order_mask
    %keep_lines = gpuvm.load @kept_lines : !mask
    %keys = gpuvm.load @o_orderkey : !orders
    %priorities = gpuvm.load @o_orderpriority : !ranks
    %lines_keys = gpuvm.load @l_orderkey : !days
    %prices = gpuvm.load @l_extendedprice : !money
    %discounts = gpuvm.load @l_discount : !small
    %numbers = tensor.generate {
    ^bb0(%i: index):
      %number = arith.index_cast %i : index to i32
      tensor.yield %number : i32
    } : !orders
    %r, %found = gpuvm.compact %numbers where %keep : (!orders, !order_mask) -> (!table, tensor<i32>)
    %nothing = arith.constant dense<0> : tensor<i32>
    %rows_ = arith.select %runs, %found, %nothing : tensor<i1>, tensor<i32>
    %rows = gpuvm.bounded %r[%rows_] : !table -> !built
    %table = gpuvm.gather %keys[%rows] : !orders, !built -> !built
    %first, %matches, %order = gpuvm.match %lines_keys in %table : (!days), (!built) -> !days, !days, !table
    %g_init = tensor.empty() : !days
    %a_init = tensor.empty() : !money
    %g, %a = linalg.generic {indexing_maps = [#row, #row, #row, #row, #row, #row, #row],
                             iterator_types = ["parallel"]}
        ins(%first, %matches, %keep_lines, %prices, %discounts : !days, !days, !mask, !money, !small)
        outs(%g_init, %a_init : !days, !money) {
    ^bb0(%at: i32, %matched: i32, %kept: i1, %price: i64, %disc: i8, %u0: i32, %u1: i64):
      %no = arith.constant 0 : i32
      %out = arith.constant -1 : i32
      %hundred = arith.constant 100 : i8
      %is_there = arith.cmpi ne, %matched, %no : i32
      %joins = arith.andi %is_there, %kept : i1
      %safe = arith.select %joins, %at, %no : i32
      %place = arith.index_cast %safe : i32 to index
      %of = tensor.extract %order[%place] : !table
      %of_ = arith.select %joins, %of, %no : i32
      %of_row = arith.index_cast %of_ : i32 to index
      %row = tensor.extract %r[%of_row] : !table
      %row_ = arith.select %joins, %row, %no : i32
      %o_row = arith.index_cast %row_ : i32 to index
      %priority = tensor.extract %priorities[%o_row] : !ranks
      %wide = arith.extsi %priority : i8 to i32
      %group = arith.select %joins, %wide, %out : i32
      %left = arith.subi %hundred, %disc : i8
      %by = arith.extsi %left : i8 to i64
      %amount = arith.muli %price, %by : i64
      linalg.yield %group, %amount : i32, i64
    } -> (!days, !money)
    %one = arith.constant dense<1> : !money
    %s:2 = gpuvm.scatter add, add %one, %a at %g into %none, %none
        : (!money, !money, !days, !groups, !groups) -> (!groups, !groups)
    gpuvm.send %s#0, %s#1 : !groups, !groups else %none, %none : !groups, !groups
  }

  // Lines in the table; each order that is kept adds up its lines.
  %count, %revenue = gpuvm.stage @build_lines when(%by_lines : !condition)
      (%runs = %by_lines : !condition, %none = %zero : !gpuvm.message<!groups>,
       %c = %order_count : !gpuvm.message<!groups>, %v = %order_revenue : !gpuvm.message<!groups>)
      -> (!groups, !groups) {
    %keep = gpuvm.load @kept_lines : !mask
    %keep_orders = gpuvm.load @kept_orders : !order_mask
    %keys = gpuvm.load @l_orderkey : !days
    %prices = gpuvm.load @l_extendedprice : !money
    %discounts = gpuvm.load @l_discount : !small
    %order_keys = gpuvm.load @o_orderkey : !orders
    %priorities = gpuvm.load @o_orderpriority : !ranks
    %numbers = tensor.generate {
    ^bb0(%i: index):
      %number = arith.index_cast %i : index to i32
      tensor.yield %number : i32
    } : !days
    %r, %found = gpuvm.compact %numbers where %keep : (!days, !mask) -> (!table, tensor<i32>)
    %nothing = arith.constant dense<0> : tensor<i32>
    %rows_ = arith.select %runs, %found, %nothing : tensor<i1>, tensor<i32>
    %rows = gpuvm.bounded %r[%rows_] : !table -> !built
    %table = gpuvm.gather %keys[%rows] : !days, !built -> !built
    %first, %matches, %order = gpuvm.match %order_keys in %table : (!orders), (!built) -> !orders, !orders, !table
    %g_init = tensor.empty() : !orders
    %s_init = tensor.empty() : !sums
    %g, %n, %a = linalg.generic {indexing_maps = [#row, #row, #row, #row, #row, #row, #row],
                                 iterator_types = ["parallel"]}
        ins(%first, %matches, %keep_orders, %priorities : !orders, !orders, !order_mask, !ranks)
        outs(%g_init, %s_init, %s_init : !orders, !sums, !sums) {
    ^bb0(%at: i32, %matched: i32, %kept: i1, %priority: i8, %u0: i32, %u1: i64, %u2: i64):
      %one = arith.constant 1 : index
      %no = arith.constant 0 : i32
      %zero_ = arith.constant 0 : i64
      %hundred = arith.constant 100 : i8
      %number_ = arith.select %kept, %matched, %no : i32
      %end = arith.addi %at, %number_ : i32
      %begin = arith.index_cast %at : i32 to index
      %last = arith.index_cast %end : i32 to index
      %total = scf.for %j = %begin to %last step %one iter_args(%so = %zero_) -> (i64) {
        %of = tensor.extract %order[%j] : !table
        %of_row = arith.index_cast %of : i32 to index
        %row = tensor.extract %r[%of_row] : !table
        %l_row = arith.index_cast %row : i32 to index
        %price = tensor.extract %prices[%l_row] : !money
        %disc = tensor.extract %discounts[%l_row] : !small
        %left = arith.subi %hundred, %disc : i8
        %by = arith.extsi %left : i8 to i64
        %amount = arith.muli %price, %by : i64
        %more = arith.addi %so, %amount : i64
        scf.yield %more : i64
      }
      %group = arith.extsi %priority : i8 to i32
      %pairs = arith.extsi %number_ : i32 to i64
      linalg.yield %group, %pairs, %total : i32, i64, i64
    } -> (!orders, !sums, !sums)
    %s:2 = gpuvm.scatter add, add %n, %a at %g into %none, %none
        : (!sums, !sums, !orders, !groups, !groups) -> (!groups, !groups)
    gpuvm.send %s#0, %s#1 : !groups, !groups else %c, %v : !groups, !groups
  }
  gpuvm.return %count, %revenue, %orders, %lines, %by_lines
      : !gpuvm.message<!groups>, !gpuvm.message<!groups>, !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<i32>>, !condition
}
