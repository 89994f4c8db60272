// TPC-H query 14: how much of a month's revenue comes from parts in a promotion.
//
//   select 100.00 * sum(case when p_type like 'PROMO%'
//           then l_extendedprice * (1 - l_discount) else 0 end)
//       / sum(l_extendedprice * (1 - l_discount)) as promo_revenue
//   from lineitem, part
//   where l_partkey = p_partkey
//     and l_shipdate >= date '1995-09-01' and l_shipdate < date '1995-10-01'
//
// Types of parts are numbered in their order, so the 25 that begin with PROMO stand
// side by side. The lines of the month, one in 80, are put side by side and find
// their part by its key in a hash table of all parts (gpuvm.match). Both sums are in
// ten-thousandths; the host divides them.

gpuvm.parameter @lines = 6001215 "rows of lineitem"
gpuvm.parameter @parts = 200000
gpuvm.parameter @room = @lines floordiv 32 + 64@

!days    = tensor<@lines@xi32>
!small   = tensor<@lines@xi8>
!money   = tensor<@lines@xi64>
!mask    = tensor<@lines@xi1>
!all_keys    = tensor<@room@xi32>   // room for a 32nd of the lines, and 64
!all_amounts = tensor<@room@xi64>
!keys    = tensor<?xi32, #gpuvm.bound<@room@>>
!amounts = tensor<?xi64, #gpuvm.bound<@room@>>
!parts   = tensor<@parts@xi32>
!types   = tensor<@parts@xi16>
#row = affine_map<(row) -> (row)>

gpuvm.program @q14() -> (promo: tensor<i64>, revenue: tensor<i64>) {
  gpuvm.heap @l_partkey : !days
  gpuvm.heap @l_shipdate : !days         // days since 1970-01-01
  gpuvm.heap @l_discount : !small        // hundredths
  gpuvm.heap @l_extendedprice : !money   // cents
  gpuvm.heap @p_partkey : !parts
  gpuvm.heap @p_type : !types            // 75 to 99 begin with PROMO

  gpuvm.global @month : !mask

  gpuvm.stage @filter() {
    %ship = gpuvm.load @l_shipdate : !days
    %from = arith.constant dense<9374> : !days   // 1995-09-01
    %to = arith.constant dense<9404> : !days     // 1995-10-01
    %since = arith.cmpi sge, %ship, %from : !days
    %until = arith.cmpi slt, %ship, %to : !days
    %both = arith.andi %since, %until : !mask
    gpuvm.store %both, @month : !mask
    gpuvm.send
  }

  %key, %amount = gpuvm.stage @pick() -> (!keys, !amounts) {
    %keep = gpuvm.load @month : !mask
    %keys = gpuvm.load @l_partkey : !days
    %prices = gpuvm.load @l_extendedprice : !money
    %discounts = gpuvm.load @l_discount : !small
    %numbers = tensor.generate {
    ^bb0(%i: index):
      %number = arith.index_cast %i : index to i32
      tensor.yield %number : i32
    } : !days
    %r, %count = gpuvm.compact %numbers where %keep : (!days, !mask) -> (!all_keys, tensor<i32>)
    %rows = gpuvm.bounded %r[%count] : !all_keys -> !keys
    %k = gpuvm.gather %keys[%rows] : !days, !keys -> !keys
    %all = tensor.empty() : !all_amounts
    %none = gpuvm.bounded %all[%count] : !all_amounts -> !amounts
    %a = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
        ins(%rows : !keys) outs(%none : !amounts) {
    ^bb0(%line: i32, %unused: i64):
      %hundred = arith.constant 100 : i8
      %place = arith.index_cast %line : i32 to index
      %price = tensor.extract %prices[%place] : !money
      %disc = tensor.extract %discounts[%place] : !small
      %left = arith.subi %hundred, %disc : i8
      %by = arith.extsi %left : i8 to i64
      %revenue = arith.muli %price, %by : i64
      linalg.yield %revenue : i64
    } -> !amounts
    gpuvm.send %k, %a : !keys, !amounts
  }

  %first, %matches, %rows = gpuvm.stage @join(%k = %key : !gpuvm.message<!keys>)
      -> (!keys, !keys, !parts) {
    %parts = gpuvm.load @p_partkey : !parts
    %f, %c, %o = gpuvm.match %k in %parts : (!keys), (!parts) -> !keys, !keys, !parts
    gpuvm.send %f, %c, %o : !keys, !keys, !parts
  }

  %promo, %revenue = gpuvm.stage @aggregate(%f = %first : !gpuvm.message<!keys>,
                                            %c = %matches : !gpuvm.message<!keys>,
                                            %order = %rows : !gpuvm.message<!parts>,
                                            %a = %amount : !gpuvm.message<!amounts>)
      -> (tensor<i64>, tensor<i64>) {
    %types = gpuvm.load @p_type : !types
    %sums:2 = linalg.generic {
        indexing_maps = [#row, #row, #row, #row, #row], iterator_types = ["parallel"]}
        ins(%f, %c, %a : !keys, !keys, !amounts) outs(%a, %a : !amounts, !amounts) {
    ^bb0(%at: i32, %found: i32, %value: i64, %u0: i64, %u1: i64):
      %zero = arith.constant 0 : i32
      %nothing = arith.constant 0 : i64
      %from = arith.constant 75 : i16
      %to = arith.constant 100 : i16
      %joins = arith.cmpi ne, %found, %zero : i32
      %safe = arith.select %joins, %at, %zero : i32
      %place = arith.index_cast %safe : i32 to index
      %row = tensor.extract %order[%place] : !parts
      %row_ = arith.index_cast %row : i32 to index
      %type = tensor.extract %types[%row_] : !types
      %since = arith.cmpi sge, %type, %from : i16
      %until = arith.cmpi slt, %type, %to : i16
      %is_promo = arith.andi %since, %until : i1
      %all = arith.select %joins, %value, %nothing : i64
      %promo_ = arith.select %is_promo, %all, %nothing : i64
      linalg.yield %promo_, %all : i64, i64
    } -> (!amounts, !amounts)
    %none = arith.constant dense<0> : tensor<i64>
    %p = linalg.reduce { arith.addi } ins(%sums#0 : !amounts) outs(%none : tensor<i64>) dimensions = [0]
    %r = linalg.reduce { arith.addi } ins(%sums#1 : !amounts) outs(%none : tensor<i64>) dimensions = [0]
    gpuvm.send %p, %r : tensor<i64>, tensor<i64>
  }
  gpuvm.return %promo, %revenue : !gpuvm.message<tensor<i64>>, !gpuvm.message<tensor<i64>>
}
