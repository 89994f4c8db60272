// TPC-H query 1: what was sold, returned and shipped, by the state of the lines.
//
//   select l_returnflag, l_linestatus, sum(l_quantity) as sum_qty,
//       sum(l_extendedprice) as sum_base_price,
//       sum(l_extendedprice * (1 - l_discount)) as sum_disc_price,
//       sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) as sum_charge,
//       avg(l_quantity) as avg_qty, avg(l_extendedprice) as avg_price,
//       avg(l_discount) as avg_disc, count(*) as count_order
//   from lineitem where l_shipdate <= date '1998-12-01' - interval '90' day
//   group by l_returnflag, l_linestatus order by l_returnflag, l_linestatus
//
// Exact decimals: cents, times hundredths for what discounts leave (sum_disc_price,
// in ten-thousandths), times hundredths again for taxes (sum_charge, in millionths:
// 5.6e16 of them at scale factor 1, and i64 ends at 9.2e18). The host divides sums
// for the averages. There are six groups, numbered as ORDER BY has them; one that
// nothing falls into has the count 0.

gpuvm.parameter @lines = 6001215 "rows of lineitem"

!days   = tensor<@lines@xi32>
!small  = tensor<@lines@xi8>
!money  = tensor<@lines@xi64>
!mask   = tensor<@lines@xi1>
!groups = tensor<6xi64>

gpuvm.program @q1() -> (sum_qty: !groups, sum_base_price: !groups, sum_disc_price: !groups,
                        sum_charge: !groups, sum_discount: !groups, count_order: !groups) {
  gpuvm.heap @l_shipdate : !days        // days since 1970-01-01
  gpuvm.heap @l_returnflag : !small     // 0 A, 1 N, 2 R
  gpuvm.heap @l_linestatus : !small     // 0 F, 1 O
  gpuvm.heap @l_quantity : !small
  gpuvm.heap @l_discount : !small       // hundredths
  gpuvm.heap @l_tax : !small            // hundredths
  gpuvm.heap @l_extendedprice : !money  // cents

  %group = gpuvm.stage @filter() -> !days {
    %ship = gpuvm.load @l_shipdate : !days
    %flag = gpuvm.load @l_returnflag : !small
    %status = gpuvm.load @l_linestatus : !small
    %last = arith.constant dense<10471> : !days  // 1998-09-02
    %two = arith.constant dense<2> : !small
    %none = arith.constant dense<-1> : !days
    %until = arith.cmpi sle, %ship, %last : !days
    %pairs = arith.muli %flag, %two : !small
    %pair = arith.addi %pairs, %status : !small
    %number = arith.extsi %pair : !small to !days
    %kept = arith.select %until, %number, %none : !mask, !days
    gpuvm.send %kept : !days
  }

  %disc_price, %charge = gpuvm.stage @price() -> (!money, !money) {
    %price = gpuvm.load @l_extendedprice : !money
    %disc = gpuvm.load @l_discount : !small
    %tax = gpuvm.load @l_tax : !small
    %hundred = arith.constant dense<100> : !small
    %left = arith.subi %hundred, %disc : !small
    %taxed = arith.addi %hundred, %tax : !small
    %by = arith.extsi %left : !small to !money
    %and = arith.extsi %taxed : !small to !money
    %discounted = arith.muli %price, %by : !money
    %charged = arith.muli %discounted, %and : !money
    gpuvm.send %discounted, %charged : !money, !money
  }

  %sums:6 = gpuvm.stage @aggregate(%g = %group : !gpuvm.message<!days>,
                                   %d = %disc_price : !gpuvm.message<!money>,
                                   %c = %charge : !gpuvm.message<!money>)
      -> (!groups, !groups, !groups, !groups, !groups, !groups) {
    %quantity = gpuvm.load @l_quantity : !small
    %price = gpuvm.load @l_extendedprice : !money
    %disc = gpuvm.load @l_discount : !small
    %q = arith.extsi %quantity : !small to !money
    %p = arith.extsi %disc : !small to !money
    %one = arith.constant dense<1> : !money
    %zero = arith.constant dense<0> : !groups
    %s:6 = gpuvm.scatter add, add, add, add, add, add %q, %price, %d, %c, %p, %one at %g
        into %zero, %zero, %zero, %zero, %zero, %zero
        : (!money, !money, !money, !money, !money, !money, !days,
           !groups, !groups, !groups, !groups, !groups, !groups)
        -> (!groups, !groups, !groups, !groups, !groups, !groups)
    gpuvm.send %s#0, %s#1, %s#2, %s#3, %s#4, %s#5
        : !groups, !groups, !groups, !groups, !groups, !groups
  }
  gpuvm.return %sums#0, %sums#1, %sums#2, %sums#3, %sums#4, %sums#5
      : !gpuvm.message<!groups>, !gpuvm.message<!groups>, !gpuvm.message<!groups>,
        !gpuvm.message<!groups>, !gpuvm.message<!groups>, !gpuvm.message<!groups>
}
