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

!days    = tensor<6001215xi32>
!small   = tensor<6001215xi8>
!money   = tensor<6001215xi64>
!mask    = tensor<6001215xi1>
!all_keys    = tensor<187601xi32>   // room for a 32nd of the lines, and 64
!all_amounts = tensor<187601xi64>
!keys    = tensor<?xi32, #gpuvm.bound<187601>>
!amounts = tensor<?xi64, #gpuvm.bound<187601>>
!parts   = tensor<200000xi32>
!types   = tensor<200000xi16>
#row = affine_map<(row) -> (row)>

gpuvm.program @q14() -> (promo: tensor<i64>, revenue: tensor<i64>) {
  gpuvm.heap @l_partkey : !days
  gpuvm.heap @l_shipdate : !days         // days since 1970-01-01
  gpuvm.heap @l_discount : !small        // hundredths
  gpuvm.heap @l_extendedprice : !money   // cents
  gpuvm.heap @p_partkey : !parts
  gpuvm.heap @p_type : !types            // 75 to 99 begin with PROMO

  %month = gpuvm.stage @filter() -> !mask {
    %ship = gpuvm.load @l_shipdate : !days
    %from = arith.constant dense<9374> : !days   // 1995-09-01
    %to = arith.constant dense<9404> : !days     // 1995-10-01
    %since = arith.cmpi sge, %ship, %from : !days
    %until = arith.cmpi slt, %ship, %to : !days
    %both = arith.andi %since, %until : !mask
    gpuvm.send %both : !mask
  }

  %key, %amount = gpuvm.stage @pick(%keep = %month : !gpuvm.message<!mask>)
      -> (!keys, !amounts) {
    %keys = gpuvm.load @l_partkey : !days
    %price = gpuvm.load @l_extendedprice : !money
    %disc = gpuvm.load @l_discount : !small
    %hundred = arith.constant dense<100> : !small
    %left = arith.subi %hundred, %disc : !small
    %by = arith.extsi %left : !small to !money
    %revenue = arith.muli %price, %by : !money
    %k, %a, %count = gpuvm.compact %keys, %revenue where %keep
        : (!days, !money, !mask) -> (!all_keys, !all_amounts, tensor<i32>)
    %k_ = gpuvm.bounded %k[%count] : !all_keys -> !keys
    %a_ = gpuvm.bounded %a[%count] : !all_amounts -> !amounts
    gpuvm.send %k_, %a_ : !keys, !amounts
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
