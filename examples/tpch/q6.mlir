// TPC-H query 6: the revenue that would have come in had certain discounts of
// 1994 not been given.
//
//   select sum(l_extendedprice * l_discount) from lineitem
//   where l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'
//     and l_discount between 0.05 and 0.07 and l_quantity < 24
//
// Exact decimals: prices in cents, discounts in hundredths, so the sum is in
// ten-thousandths. The columns stay on the device: they are bound once.

gpuvm.parameter @lines = 6001215 "rows of lineitem"

!days   = tensor<@lines@xi32>
!small  = tensor<@lines@xi8>
!money  = tensor<@lines@xi64>
!mask   = tensor<@lines@xi1>

gpuvm.program @q6() -> (revenue: tensor<i64>) {
  gpuvm.heap @l_shipdate : !days        // days since 1970-01-01
  gpuvm.heap @l_discount : !small       // hundredths
  gpuvm.heap @l_quantity : !small
  gpuvm.heap @l_extendedprice : !money  // cents
  gpuvm.metric @SUM : tensor<i64>
  gpuvm.metric @COUNT : tensor<i64>

  %kept = gpuvm.stage @filter() -> !mask {
    %ship = gpuvm.load @l_shipdate : !days
    %disc = gpuvm.load @l_discount : !small
    %qty = gpuvm.load @l_quantity : !small
    %from = arith.constant dense<8766> : !days   // 1994-01-01
    %to = arith.constant dense<9131> : !days     // 1995-01-01
    %low = arith.constant dense<5> : !small
    %high = arith.constant dense<7> : !small
    %limit = arith.constant dense<24> : !small
    %since = arith.cmpi sge, %ship, %from : !days
    %until = arith.cmpi slt, %ship, %to : !days
    %least = arith.cmpi sge, %disc, %low : !small
    %most = arith.cmpi sle, %disc, %high : !small
    %few = arith.cmpi slt, %qty, %limit : !small
    %year = arith.andi %since, %until : !mask
    %given = arith.andi %least, %most : !mask
    %both = arith.andi %year, %given : !mask
    %all = arith.andi %both, %few : !mask
    gpuvm.send %all : !mask
  }

  %revenue = gpuvm.stage @revenue(%keep = %kept : !gpuvm.message<!mask>) -> !money {
    %price = gpuvm.load @l_extendedprice : !money
    %disc = gpuvm.load @l_discount : !small
    %wide = arith.extsi %disc : !small to !money
    %product = arith.muli %price, %wide : !money
    %zero = arith.constant dense<0> : !money
    %passed = arith.select %keep, %product, %zero : !mask, !money
    gpuvm.send %passed : !money
  }

  %sum = gpuvm.stage @aggregate(%r = %revenue : !gpuvm.message<!money>,
                                %keep = %kept : !gpuvm.message<!mask>) -> tensor<i64> {
    %zero = arith.constant dense<0> : tensor<i64>
    %one = arith.extui %keep : !mask to !money
    %total = linalg.reduce { arith.addi } ins(%r : !money) outs(%zero : tensor<i64>) dimensions = [0]
    %count = linalg.reduce { arith.addi } ins(%one : !money) outs(%zero : tensor<i64>) dimensions = [0]
    gpuvm.store %total, @SUM : tensor<i64>
    gpuvm.store %count, @COUNT : tensor<i64>
    gpuvm.send %total : tensor<i64>
  }
  gpuvm.return %sum : !gpuvm.message<tensor<i64>>
}
