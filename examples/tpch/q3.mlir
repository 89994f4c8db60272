// TPC-H query 3: the ten orders of builders with the most revenue still to be shipped.
//
//   select l_orderkey, sum(l_extendedprice * (1 - l_discount)) as revenue,
//       o_orderdate, o_shippriority
//   from customer, orders, lineitem
//   where c_mktsegment = 'BUILDING' and c_custkey = o_custkey
//     and l_orderkey = o_orderkey and o_orderdate < date '1995-03-15'
//     and l_shipdate > date '1995-03-15'
//   group by l_orderkey, o_orderdate, o_shippriority
//   order by revenue desc, o_orderdate limit 10
//
// Lines are added up by order key before anything is joined: then each order joins
// its sum (it reads element o_orderkey of them) and its customer (customers are
// numbered, so row o_custkey - 1). The order is one key: the revenue in
// ten-thousandths, and in its lowest 16 bits 65535 minus the date, so that of equal
// revenues the earlier order is the greater key. One order in 130 has a key; these
// are put side by side, and the greatest are the answer: as many as there are, at
// most ten.

gpuvm.parameter @lines = 6001215 "rows of lineitem"
gpuvm.parameter @keys = 6000001 "one more than the largest order key"
gpuvm.parameter @orders = 1500000
gpuvm.parameter @customers = 150000
gpuvm.parameter @room = @orders floordiv 32 + 64@

!days     = tensor<@lines@xi32>
!small    = tensor<@lines@xi8>
!money    = tensor<@lines@xi64>
!mask     = tensor<@lines@xi1>
!by_key   = tensor<@keys@xi64>    // a sum for each order key, from 0 on
!orders   = tensor<@orders@xi32>
!ranks    = tensor<@orders@xi64>
!segments = tensor<@customers@xi8>
!groups   = tensor<@room@xi64>    // room for a 32nd of the orders, and 64
!rows     = tensor<@room@xi32>
!kept     = tensor<?xi64, #gpuvm.bound<@room@>>
!kept_row = tensor<?xi32, #gpuvm.bound<@room@>>
!ten      = tensor<?xi32, #gpuvm.bound<10>>
!revenues = tensor<?xi64, #gpuvm.bound<10>>
#row = affine_map<(row) -> (row)>

gpuvm.program @q3() -> (orderkey: !ten, revenue: !revenues, orderdate: !ten, shippriority: !ten) {
  gpuvm.heap @l_orderkey : !days
  gpuvm.heap @l_shipdate : !days            // days since 1970-01-01
  gpuvm.heap @l_discount : !small           // hundredths
  gpuvm.heap @l_extendedprice : !money      // cents
  gpuvm.heap @o_orderkey : !orders
  gpuvm.heap @o_custkey : !orders
  gpuvm.heap @o_orderdate : !orders
  gpuvm.heap @o_shippriority : !orders
  gpuvm.heap @c_mktsegment : !segments      // 1 is BUILDING

  %line_key, %amount = gpuvm.stage @filter() -> (!days, !money) {
    %order = gpuvm.load @l_orderkey : !days
    %ship = gpuvm.load @l_shipdate : !days
    %price = gpuvm.load @l_extendedprice : !money
    %disc = gpuvm.load @l_discount : !small
    %day = arith.constant dense<9204> : !days   // 1995-03-15
    %none = arith.constant dense<-1> : !days
    %hundred = arith.constant dense<100> : !small
    %later = arith.cmpi sgt, %ship, %day : !days
    %kept = arith.select %later, %order, %none : !mask, !days
    %left = arith.subi %hundred, %disc : !small
    %by = arith.extsi %left : !small to !money
    %revenue = arith.muli %price, %by : !money
    gpuvm.send %kept, %revenue : !days, !money
  }

  %sums = gpuvm.stage @aggregate(%k = %line_key : !gpuvm.message<!days>,
                                 %a = %amount : !gpuvm.message<!money>) -> !by_key {
    %zero = arith.constant dense<0> : !by_key
    %s = gpuvm.scatter add %a at %k into %zero : (!money, !days, !by_key) -> !by_key
    gpuvm.send %s : !by_key
  }

  %ranks = gpuvm.stage @join(%s = %sums : !gpuvm.message<!by_key>) -> !ranks {
    %keys = gpuvm.load @o_orderkey : !orders
    %customers = gpuvm.load @o_custkey : !orders
    %dates = gpuvm.load @o_orderdate : !orders
    %segments = gpuvm.load @c_mktsegment : !segments
    %init = tensor.empty() : !ranks
    %rank = linalg.generic {
        indexing_maps = [#row, #row, #row, #row], iterator_types = ["parallel"]}
        ins(%keys, %customers, %dates : !orders, !orders, !orders) outs(%init : !ranks) {
    ^bb0(%key: i32, %customer: i32, %date: i32, %unused: i64):
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i32
      %building = arith.constant 1 : i8
      %day = arith.constant 9204 : i32
      %shift = arith.constant 16 : i64
      %lowest = arith.constant 65535 : i64
      %c = arith.subi %customer, %one : i32
      %at = arith.index_cast %c : i32 to index
      %segment = tensor.extract %segments[%at] : !segments
      %builds = arith.cmpi eq, %segment, %building : i8
      %before = arith.cmpi slt, %date, %day : i32
      %joins = arith.andi %builds, %before : i1
      %k_row = arith.index_cast %key : i32 to index
      %revenue = tensor.extract %s[%k_row] : !by_key
      %is_there = arith.cmpi ne, %revenue, %zero : i64
      %counts = arith.andi %joins, %is_there : i1
      %high = arith.shli %revenue, %shift : i64
      %d = arith.extsi %date : i32 to i64
      %low = arith.subi %lowest, %d : i64
      %both = arith.addi %high, %low : i64
      %r = arith.select %counts, %both, %zero : i64
      linalg.yield %r : i64
    } -> !ranks
    gpuvm.send %rank : !ranks
  }

  %rank, %row = gpuvm.stage @pick(%r = %ranks : !gpuvm.message<!ranks>)
      -> (!kept, !kept_row) {
    %zero = arith.constant dense<0> : !ranks
    %is_there = arith.cmpi ne, %r, %zero : !ranks
    %numbers = tensor.generate {
    ^bb0(%i: index):
      %number = arith.index_cast %i : index to i32
      tensor.yield %number : i32
    } : !orders
    %kept, %rows, %count = gpuvm.compact %r, %numbers where %is_there
        : (!ranks, !orders, tensor<@orders@xi1>) -> (!groups, !rows, tensor<i32>)
    %k = gpuvm.bounded %kept[%count] : !groups -> !kept
    %n = gpuvm.bounded %rows[%count] : !rows -> !kept_row
    gpuvm.send %k, %n : !kept, !kept_row
  }

  %first:4 = gpuvm.stage @order(%r = %rank : !gpuvm.message<!kept>,
                                %rows = %row : !gpuvm.message<!kept_row>)
      -> (!ten, !revenues, !ten, !ten) {
    %keys = gpuvm.load @o_orderkey : !orders
    %dates = gpuvm.load @o_orderdate : !orders
    %priorities = gpuvm.load @o_shippriority : !orders
    %top, %places = gpuvm.top_k %r : !kept -> !revenues, !ten
    %of = gpuvm.gather %rows[%places] : !kept_row, !ten -> !ten
    %revenue = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
        ins(%top : !revenues) outs(%top : !revenues) {
    ^bb0(%both: i64, %unused: i64):
      %shift = arith.constant 16 : i64
      %high = arith.shrui %both, %shift : i64
      linalg.yield %high : i64
    } -> !revenues
    %key = gpuvm.gather %keys[%of] : !orders, !ten -> !ten
    %date = gpuvm.gather %dates[%of] : !orders, !ten -> !ten
    %priority = gpuvm.gather %priorities[%of] : !orders, !ten -> !ten
    gpuvm.send %key, %revenue, %date, %priority : !ten, !revenues, !ten, !ten
  }
  gpuvm.return %first#0, %first#1, %first#2, %first#3
      : !gpuvm.message<!ten>, !gpuvm.message<!revenues>, !gpuvm.message<!ten>, !gpuvm.message<!ten>
}
