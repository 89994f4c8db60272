// TPC-H queries 1 and 6 in one pass over a table of any length: each execution gets a
// chunk of @lines lines, adds what they come to in Globals, and answers for all that
// it has seen. The host reads the next chunk meanwhile (gpuvm-run --stream).
//
//   select l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice),
//       sum(l_extendedprice * (1 - l_discount)),
//       sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)), sum(l_discount), count(*)
//   from lineitem where l_shipdate <= date '1998-12-01' - interval '90' day
//   group by l_returnflag, l_linestatus order by l_returnflag, l_linestatus
//
//   select sum(l_extendedprice * l_discount) from lineitem
//   where l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'
//     and l_discount between 0.05 and 0.07 and l_quantity < 24
//
// Lines come packed, 55 bits each in place of 17 bytes: as many bits as the ranges in the
// specification (4.2.3) need, at every scale factor. A column of bits has no header, so a
// file of a column is its chunks behind each other. `total` is how many lines there are;
// what fills up the last chunk lies behind them. Sums are exact up to 9.2e18: for
// sum_charge, in millionths, that is scale factor 100.

gpuvm.parameter @lines = 1048576 "in a chunk, a multiple of 8"

!ship_bits  = !gpuvm.packed<bits<14>, @lines@xi32>
!flag_bits  = !gpuvm.packed<bits<2>, @lines@xi8>
!state_bits = !gpuvm.packed<bits<1>, @lines@xi8>
!qty_bits   = !gpuvm.packed<bits<6>, @lines@xi8>
!cent_bits  = !gpuvm.packed<bits<4>, @lines@xi8>
!price_bits = !gpuvm.packed<bits<24>, @lines@xi64>
!days   = tensor<@lines@xi32>
!small  = tensor<@lines@xi8>
!money  = tensor<@lines@xi64>
!groups = tensor<6xi64>
#row = affine_map<(row) -> (row)>
#all = affine_map<(row) -> ()>

gpuvm.program @chunks(%l_shipdate: !ship_bits, %l_returnflag: !flag_bits, %l_linestatus: !state_bits,
                      %l_quantity: !qty_bits, %l_discount: !cent_bits, %l_tax: !cent_bits,
                      %l_extendedprice: !price_bits, %total: tensor<i64>)
    -> (sum_qty: !groups, sum_base_price: !groups, sum_disc_price: !groups, sum_charge: !groups,
        sum_discount: !groups, count_order: !groups, revenue: tensor<i64>) {
  gpuvm.control @stream.chunk : tensor<i32> = dense<0> : tensor<i32>
  gpuvm.global @sum_qty_so_far : !groups
  gpuvm.global @sum_base_price_so_far : !groups
  gpuvm.global @sum_disc_price_so_far : !groups
  gpuvm.global @sum_charge_so_far : !groups
  gpuvm.global @sum_discount_so_far : !groups
  gpuvm.global @count_order_so_far : !groups
  gpuvm.global @revenue_so_far : tensor<i64>

  // Of each line: its group of query 1, or -1, and what it adds to query 6.
  %group, %given = gpuvm.stage @filter(%ship_ = %l_shipdate : !ship_bits, %flag_ = %l_returnflag : !flag_bits,
                                       %state_ = %l_linestatus : !state_bits, %qty_ = %l_quantity : !qty_bits,
                                       %disc_ = %l_discount : !cent_bits, %price_ = %l_extendedprice : !price_bits,
                                       %lines = %total : tensor<i64>) -> (!days, !money) {
    %ship = gpuvm.decode %ship_ : !ship_bits -> !days
    %flag = gpuvm.decode %flag_ : !flag_bits -> !small
    %state = gpuvm.decode %state_ : !state_bits -> !small
    %qty = gpuvm.decode %qty_ : !qty_bits -> !small
    %disc = gpuvm.decode %disc_ : !cent_bits -> !small
    %price = gpuvm.decode %price_ : !price_bits -> !money
    %chunk = gpuvm.load @stream.chunk : tensor<i32>
    %g = tensor.empty() : !days
    %r = tensor.empty() : !money
    %both:2 = linalg.generic {
        indexing_maps = [#row, #row, #row, #row, #row, #row, #all, #all, #row, #row], iterator_types = ["parallel"]}
        ins(%ship, %flag, %state, %qty, %disc, %price, %chunk, %lines
            : !days, !small, !small, !small, !small, !money, tensor<i32>, tensor<i64>)
        outs(%g, %r : !days, !money) {
    ^bb0(%s: i32, %f: i8, %l: i8, %q: i8, %d: i8, %p: i64, %number: i32, %end: i64, %u0: i32, %u1: i64):
      %rows = arith.constant @lines@ : i64
      %two = arith.constant 2 : i32
      %out = arith.constant -1 : i32
      %none = arith.constant 0 : i64
      %last = arith.constant 10471 : i32   // 1998-09-02
      %from = arith.constant 8766 : i32    // 1994-01-01
      %to = arith.constant 9131 : i32      // 1995-01-01
      %low = arith.constant 5 : i8
      %high = arith.constant 7 : i8
      %limit = arith.constant 24 : i8
      %i = linalg.index 0 : index
      %place = arith.index_cast %i : index to i64
      %wide_number = arith.extsi %number : i32 to i64
      %before = arith.muli %wide_number, %rows : i64
      %line = arith.addi %before, %place : i64
      %is_line = arith.cmpi slt, %line, %end : i64
      %until_ = arith.cmpi sle, %s, %last : i32
      %counts = arith.andi %is_line, %until_ : i1
      %wide_flag = arith.extui %f : i8 to i32
      %wide_state = arith.extui %l : i8 to i32
      %pairs = arith.muli %wide_flag, %two : i32
      %pair = arith.addi %pairs, %wide_state : i32
      %group_ = arith.select %counts, %pair, %out : i32
      %since = arith.cmpi sge, %s, %from : i32
      %until = arith.cmpi slt, %s, %to : i32
      %least = arith.cmpi sge, %d, %low : i8
      %most = arith.cmpi sle, %d, %high : i8
      %few = arith.cmpi slt, %q, %limit : i8
      %a = arith.andi %is_line, %since : i1
      %b = arith.andi %a, %until : i1
      %c = arith.andi %b, %least : i1
      %e = arith.andi %c, %most : i1
      %keep = arith.andi %e, %few : i1
      %wide = arith.extui %d : i8 to i64
      %product = arith.muli %p, %wide : i64
      %passed = arith.select %keep, %product, %none : i64
      linalg.yield %group_, %passed : i32, i64
    } -> (!days, !money)
    gpuvm.send %both#0, %both#1 : !days, !money
  }

  %sums:6 = gpuvm.stage @aggregate(%g = %group : !gpuvm.message<!days>, %qty_ = %l_quantity : !qty_bits,
                                   %disc_ = %l_discount : !cent_bits, %tax_ = %l_tax : !cent_bits,
                                   %price_ = %l_extendedprice : !price_bits)
      -> (!groups, !groups, !groups, !groups, !groups, !groups) {
    %quantity = gpuvm.decode %qty_ : !qty_bits -> !small
    %disc = gpuvm.decode %disc_ : !cent_bits -> !small
    %tax = gpuvm.decode %tax_ : !cent_bits -> !small
    %price = gpuvm.decode %price_ : !price_bits -> !money
    %hundred = arith.constant dense<100> : !small
    %left = arith.subi %hundred, %disc : !small
    %taxed = arith.addi %hundred, %tax : !small
    %by = arith.extsi %left : !small to !money
    %and = arith.extsi %taxed : !small to !money
    %discounted = arith.muli %price, %by : !money
    %charged = arith.muli %discounted, %and : !money
    %q = arith.extsi %quantity : !small to !money
    %p = arith.extsi %disc : !small to !money
    %one = arith.constant dense<1> : !money
    %a0 = gpuvm.load @sum_qty_so_far : !groups
    %a1 = gpuvm.load @sum_base_price_so_far : !groups
    %a2 = gpuvm.load @sum_disc_price_so_far : !groups
    %a3 = gpuvm.load @sum_charge_so_far : !groups
    %a4 = gpuvm.load @sum_discount_so_far : !groups
    %a5 = gpuvm.load @count_order_so_far : !groups
    %s:6 = gpuvm.scatter add, add, add, add, add, add %q, %price, %discounted, %charged, %p, %one at %g
        into %a0, %a1, %a2, %a3, %a4, %a5
        : (!money, !money, !money, !money, !money, !money, !days,
           !groups, !groups, !groups, !groups, !groups, !groups)
        -> (!groups, !groups, !groups, !groups, !groups, !groups)
    gpuvm.store %s#0, @sum_qty_so_far : !groups
    gpuvm.store %s#1, @sum_base_price_so_far : !groups
    gpuvm.store %s#2, @sum_disc_price_so_far : !groups
    gpuvm.store %s#3, @sum_charge_so_far : !groups
    gpuvm.store %s#4, @sum_discount_so_far : !groups
    gpuvm.store %s#5, @count_order_so_far : !groups
    gpuvm.send %s#0, %s#1, %s#2, %s#3, %s#4, %s#5 : !groups, !groups, !groups, !groups, !groups, !groups
  }

  %revenue = gpuvm.stage @discounts(%r = %given : !gpuvm.message<!money>) -> tensor<i64> {
    %none = arith.constant dense<0> : tensor<i64>
    %sum = linalg.reduce { arith.addi } ins(%r : !money) outs(%none : tensor<i64>) dimensions = [0]
    %before = gpuvm.load @revenue_so_far : tensor<i64>
    %now = arith.addi %before, %sum : tensor<i64>
    gpuvm.store %now, @revenue_so_far : tensor<i64>
    gpuvm.send %now : tensor<i64>
  }
  gpuvm.return %sums#0, %sums#1, %sums#2, %sums#3, %sums#4, %sums#5, %revenue
      : !gpuvm.message<!groups>, !gpuvm.message<!groups>, !gpuvm.message<!groups>,
        !gpuvm.message<!groups>, !gpuvm.message<!groups>, !gpuvm.message<!groups>, !gpuvm.message<tensor<i64>>
}
