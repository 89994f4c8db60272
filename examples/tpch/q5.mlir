// TPC-H query 5: the revenue of 1994 in each nation of Asia, where customer and
// supplier are of the same nation.
//
//   select n_name, sum(l_extendedprice * (1 - l_discount)) as revenue
//   from customer, orders, lineitem, supplier, nation, region
//   where c_custkey = o_custkey and l_orderkey = o_orderkey
//     and l_suppkey = s_suppkey and c_nationkey = s_nationkey
//     and s_nationkey = n_nationkey and n_regionkey = r_regionkey
//     and r_name = 'ASIA' and o_orderdate >= date '1994-01-01'
//     and o_orderdate < date '1995-01-01'
//   group by n_name order by revenue desc
//
// Customers, suppliers, nations and regions are numbered: their key is their row (of
// the first two minus 1), and a join with them is a read. Order keys have gaps, so a
// table says for each key of which nation the order's customer is, -1 if the order
// does not count. What a line adds up to goes to its nation, or nowhere.

gpuvm.parameter @lines = 6001215 "rows of lineitem"
gpuvm.parameter @keys = 6000001 "one more than the largest order key"
gpuvm.parameter @orders = 1500000
gpuvm.parameter @customers = 150000
gpuvm.parameter @suppliers = 10000

!days      = tensor<@lines@xi32>
!small     = tensor<@lines@xi8>
!money     = tensor<@lines@xi64>
!by_key    = tensor<@keys@xi32>    // a nation for each order key, from 0 on
!orders    = tensor<@orders@xi32>
!customers = tensor<@customers@xi8>
!suppliers = tensor<@suppliers@xi8>
!nations   = tensor<25xi8>
!numbers   = tensor<25xi32>
!revenues  = tensor<25xi64>
!regions   = tensor<5xi8>
#row = affine_map<(row) -> (row)>

gpuvm.program @q5() -> (nation: !numbers, revenue: !revenues) {
  gpuvm.heap @l_orderkey : !days
  gpuvm.heap @l_suppkey : !days
  gpuvm.heap @l_discount : !small         // hundredths
  gpuvm.heap @l_extendedprice : !money    // cents
  gpuvm.heap @o_orderkey : !orders
  gpuvm.heap @o_custkey : !orders
  gpuvm.heap @o_orderdate : !orders       // days since 1970-01-01
  gpuvm.heap @c_nationkey : !customers
  gpuvm.heap @s_nationkey : !suppliers
  gpuvm.heap @n_regionkey : !nations
  gpuvm.heap @r_name : !regions           // 2 is ASIA

  // The nation of each order of 1994 whose customer is in Asia.
  %nation = gpuvm.stage @filter() -> !orders {
    %customers = gpuvm.load @o_custkey : !orders
    %dates = gpuvm.load @o_orderdate : !orders
    %nations = gpuvm.load @c_nationkey : !customers
    %regions = gpuvm.load @n_regionkey : !nations
    %names = gpuvm.load @r_name : !regions
    %init = tensor.empty() : !orders
    %n = linalg.generic {
        indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]}
        ins(%customers, %dates : !orders, !orders) outs(%init : !orders) {
    ^bb0(%customer: i32, %date: i32, %unused: i32):
      %one = arith.constant 1 : i32
      %none = arith.constant -1 : i32
      %from = arith.constant 8766 : i32   // 1994-01-01
      %to = arith.constant 9131 : i32     // 1995-01-01
      %asia = arith.constant 2 : i8
      %c = arith.subi %customer, %one : i32
      %c_row = arith.index_cast %c : i32 to index
      %key = tensor.extract %nations[%c_row] : !customers
      %n_row = arith.index_cast %key : i8 to index
      %region = tensor.extract %regions[%n_row] : !nations
      %r_row = arith.index_cast %region : i8 to index
      %name = tensor.extract %names[%r_row] : !regions
      %in_asia = arith.cmpi eq, %name, %asia : i8
      %since = arith.cmpi sge, %date, %from : i32
      %until = arith.cmpi slt, %date, %to : i32
      %in_1994 = arith.andi %since, %until : i1
      %counts = arith.andi %in_asia, %in_1994 : i1
      %number = arith.extsi %key : i8 to i32
      %r = arith.select %counts, %number, %none : i32
      linalg.yield %r : i32
    } -> !orders
    gpuvm.send %n : !orders
  }

  %by_key = gpuvm.stage @index(%n = %nation : !gpuvm.message<!orders>) -> !by_key {
    %keys = gpuvm.load @o_orderkey : !orders
    %none = arith.constant dense<-1> : !by_key
    %t = gpuvm.scatter max %n at %keys into %none : (!orders, !orders, !by_key) -> !by_key
    gpuvm.send %t : !by_key
  }

  // The nation of each line whose customer and supplier share it.
  %group = gpuvm.stage @join(%nation_of = %by_key : !gpuvm.message<!by_key>) -> !days {
    %keys = gpuvm.load @l_orderkey : !days
    %suppliers = gpuvm.load @l_suppkey : !days
    %nations = gpuvm.load @s_nationkey : !suppliers
    %init = tensor.empty() : !days
    %g = linalg.generic {
        indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]}
        ins(%keys, %suppliers : !days, !days) outs(%init : !days) {
    ^bb0(%key: i32, %supplier: i32, %unused: i32):
      %one = arith.constant 1 : i32
      %none = arith.constant -1 : i32
      %k = arith.index_cast %key : i32 to index
      %customers = tensor.extract %nation_of[%k] : !by_key
      %s = arith.subi %supplier, %one : i32
      %s_row = arith.index_cast %s : i32 to index
      %of = tensor.extract %nations[%s_row] : !suppliers
      %suppliers_ = arith.extsi %of : i8 to i32
      %same = arith.cmpi eq, %customers, %suppliers_ : i32
      %r = arith.select %same, %customers, %none : i32
      linalg.yield %r : i32
    } -> !days
    gpuvm.send %g : !days
  }

  %sums = gpuvm.stage @aggregate(%g = %group : !gpuvm.message<!days>) -> !revenues {
    %price = gpuvm.load @l_extendedprice : !money
    %disc = gpuvm.load @l_discount : !small
    %hundred = arith.constant dense<100> : !small
    %zero = arith.constant dense<0> : !revenues
    %left = arith.subi %hundred, %disc : !small
    %by = arith.extsi %left : !small to !money
    %revenue = arith.muli %price, %by : !money
    %s = gpuvm.scatter add %revenue at %g into %zero : (!money, !days, !revenues) -> !revenues
    gpuvm.send %s : !revenues
  }

  // Nations without revenue come last, with 0.
  %numbers, %revenue = gpuvm.stage @order(%s = %sums : !gpuvm.message<!revenues>)
      -> (!numbers, !revenues) {
    %r, %n = gpuvm.sort %s descending numbers : !revenues
    gpuvm.send %n, %r : !numbers, !revenues
  }
  gpuvm.return %numbers, %revenue : !gpuvm.message<!numbers>, !gpuvm.message<!revenues>
}
