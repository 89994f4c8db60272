// What docs/irregular.md makes of few operations: histograms, unique values, runs, partitions, groups, a filter, guarded
// reads. test/e2e/joins.mlir has its joins and test/e2e/edges.mlir its sparse matrices.

// DEFINE: %{program} =
// DEFINE: %{inputs} = --input=k=12xi32=5,3,5,1,3,3,7,1,1,5,3,7 --input=v=12xi32=1,2,3,4,5,6,7,8,9,10,11,12
// DEFINE: %{check} = FileCheck %s --check-prefix=%{program}
// DEFINE: %{test} = gpuvm-compile %s --program=%{program} -o %t.gvplan && \
// DEFINE:           gpuvm-run %t.gvplan --validate %{inputs} | %{check} && \
// DEFINE:           gpuvm-interpret %s --program=%{program} %{inputs} | %{check}

// REDEFINE: %{program} = groups
// RUN: %{test}
// REDEFINE: %{program} = table
// RUN: %{test}
// REDEFINE: %{program} = none
// RUN: %{test}
// REDEFINE: %{program} = unique
// RUN: %{test}
// REDEFINE: %{program} = runs
// RUN: %{test}
// REDEFINE: %{program} = partition
// RUN: %{test}
// REDEFINE: %{program} = within
// RUN: %{test}
// REDEFINE: %{program} = keys
// RUN: %{test}
// REDEFINE: %{program} = bloom
// RUN: %{test}
// REDEFINE: %{program} = guarded
// RUN: %{test}

!row = tensor<12xi32>
!marks = tensor<12xi1>
!bins = tensor<8xi32>
!rows = !gpuvm.message<!row>
!sums = !gpuvm.message<!bins>
!count = !gpuvm.message<tensor<i32>>
#row = affine_map<(i) -> (i)>
#one = affine_map<(i) -> ()>

// A histogram, and GROUP BY whose keys are the numbers of the groups.
// groups:      counts: 8xi32=0 3 0 4 0 3 0 2
// groups-NEXT: sums: 8xi32=0 21 0 24 0 14 0 19
// groups-NEXT: least: 8xi32=99 4 99 2 99 1 99 7
// groups-NEXT: most: 8xi32=0 9 0 11 0 10 0 12
gpuvm.program @groups(%k: !row, %v: !row) -> (counts: !bins, sums: !bins, least: !bins, most: !bins) {
  %m:4 = gpuvm.stage @s(%k_ = %k : !row, %v_ = %v : !row) -> (!bins, !bins, !bins, !bins) {
    %ones = arith.constant dense<1> : !row
    %zeros = arith.constant dense<0> : !bins
    %large = arith.constant dense<99> : !bins
    %s:4 = gpuvm.scatter add, add, min, max %ones, %v_, %v_, %v_ at %k_ into %zeros, %zeros, %large, %zeros
        : (!row, !row, !row, !row, !row, !bins, !bins, !bins, !bins) -> (!bins, !bins, !bins, !bins)
    gpuvm.send %s#0, %s#1, %s#2, %s#3 : !bins, !bins, !bins, !bins
  }
  gpuvm.return %m#0, %m#1, %m#2, %m#3 : !sums, !sums, !sums, !sums
}

// A contingency table; numpy.histogram2d(k, v, bins=(8, 6), range=((0, 8), (0, 5.999))) gives the same.
// table: pairs: 8x6xi32=[0 0 0 0 0 0][0 0 0 0 1 0][0 0 0 0 0 0][0 0 1 0 0 1][0 0 0 0 0 0][0 1 0 1 0 0][0 0 0 0 0 0][0 0 0 0 0 0]
gpuvm.program @table(%k: !row, %v: !row) -> (pairs: tensor<8x6xi32>) {
  %m = gpuvm.stage @s(%k_ = %k : !row, %v_ = %v : !row) -> tensor<8x6xi32> {
    %pairs = gpuvm.histogram2d %k_, %v_ : !row -> tensor<8x6xi32>
    gpuvm.send %pairs : tensor<8x6xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<8x6xi32>>
}

// None of no pairs.
// none: pairs: 2x3xi32=[0 0 0][0 0 0]
gpuvm.program @none(%k: !row, %v: !row) -> (pairs: tensor<2x3xi32>) {
  %m = gpuvm.stage @s(%k_ = %k : !row) -> tensor<2x3xi32> {
    %no = tensor.extract_slice %k_[0] [0] [1] : !row to tensor<0xi32>
    %pairs = gpuvm.histogram2d %no, %no : tensor<0xi32> -> tensor<2x3xi32>
    gpuvm.send %pairs : tensor<2x3xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<2x3xi32>>
}

// Unique values are the keys in the first row of each number.
// unique:      values: 12xi32=1 3 5 7
// unique-NEXT: numbers: 12xi32=2 1 2 0 1 1 3 0 0 2 1 3
// unique-NEXT: n: i32=4
gpuvm.program @unique(%k: !row, %v: !row) -> (values: !row, numbers: !row, n: tensor<i32>) {
  %m:3 = gpuvm.stage @s(%k_ = %k : !row) -> (!row, !row, tensor<i32>) {
    %numbers, %first, %n = gpuvm.distinct %k_ : !row -> !row, !row
    %values = gpuvm.gather %k_[%first] : !row, !row -> !row
    gpuvm.send %values, %numbers, %n : !row, !row, tensor<i32>
  }
  gpuvm.return %m#0, %m#1, %m#2 : !rows, !rows, !count
}

// Runs of equal values: each one's value and length.
// runs:      values: 12xi32=5 3 5 1 3 7 1 5 3 7
// runs-NEXT: lengths: 12xi32=1 1 1 1 2 1 2 1 1 1 0 0
// runs-NEXT: n: i32=10
gpuvm.program @runs(%k: !row, %v: !row) -> (values: !row, lengths: !row, n: tensor<i32>) {
  %m:3 = gpuvm.stage @s(%k_ = %k : !row) -> (!row, !row, tensor<i32>) {
    %marks = tensor.empty() : !marks
    %some = tensor.empty() : !row
    %begins, %places = linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]}
        ins(%k_ : !row) outs(%marks, %some : !marks, !row) {
    ^bb0(%own: i32, %o0: i1, %o1: i32):
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %i = linalg.index 0 : index
      %number = arith.index_cast %i : index to i32
      %isFirst = arith.cmpi eq, %i, %zero : index
      %back = arith.select %isFirst, %zero, %one : index
      %before = arith.subi %i, %back : index
      %other = tensor.extract %k_[%before] : !row
      %differs = arith.cmpi ne, %own, %other : i32
      %begins = arith.ori %isFirst, %differs : i1
      linalg.yield %begins, %number : i1, i32
    } -> (!marks, !row)
    %values, %starts, %n = gpuvm.compact %k_, %places where %begins : (!row, !row, !marks) -> (!row, !row, tensor<i32>)
    %lengths = linalg.generic {indexing_maps = [#row, #one, #row], iterator_types = ["parallel"]}
        ins(%starts, %n : !row, tensor<i32>) outs(%some : !row) {
    ^bb0(%start: i32, %count: i32, %unused: i32):
      %none = arith.constant 0 : i32
      %all = arith.constant 12 : i32
      %one = arith.constant 1 : i32
      %i = linalg.index 0 : index
      %number = arith.index_cast %i : index to i32
      %next = arith.addi %number, %one : i32
      %isThere = arith.cmpi slt, %number, %count : i32
      %isLast = arith.cmpi sge, %next, %count : i32
      %behind = scf.if %isLast -> (i32) {
        scf.yield %all : i32
      } else {
        %p = arith.index_cast %next : i32 to index
        %following = tensor.extract %starts[%p] : !row
        scf.yield %following : i32
      }
      %length = arith.subi %behind, %start : i32
      %kept = arith.select %isThere, %length, %none : i32
      linalg.yield %kept : i32
    } -> !row
    gpuvm.send %values, %lengths, %n : !row, !row, tensor<i32>
  }
  gpuvm.return %m#0, %m#1, %m#2 : !rows, !rows, !count
}

// What is more than 3 and then the rest, each in its order: kept apart, or sorted by a mark.
// partition:      more: 12xi32=1 3 7 10 12
// partition-NEXT: rest: 12xi32=2 4 5 6 8 9 11
// partition-NEXT: both: 12xi32=1 3 7 10 12 2 4 5 6 8 9 11
// partition-NEXT: n: i32=5
gpuvm.program @partition(%k: !row, %v: !row) -> (more: !row, rest: !row, both: !row, n: tensor<i32>) {
  %m:4 = gpuvm.stage @s(%k_ = %k : !row, %v_ = %v : !row) -> (!row, !row, !row, tensor<i32>) {
    %limit = arith.constant dense<3> : !row
    %isMore = arith.cmpi sgt, %k_, %limit : !row
    %isRest = arith.cmpi sle, %k_, %limit : !row
    %more, %n = gpuvm.compact %v_ where %isMore : (!row, !marks) -> (!row, tensor<i32>)
    %rest, %others = gpuvm.compact %v_ where %isRest : (!row, !marks) -> (!row, tensor<i32>)
    %marks, %both = gpuvm.sort %isRest payloads(%v_) : !marks, !row
    gpuvm.send %more, %rest, %both, %n : !row, !row, !row, tensor<i32>
  }
  gpuvm.return %m#0, %m#1, %m#2, %m#3 : !rows, !rows, !rows, !count
}

// within:      k: 12xi32=1 1 1 3 3 3 3 5 5 5 7 7
// within-NEXT: v: 12xi32=9 8 4 11 6 5 2 10 3 1 12 7
gpuvm.program @within(%k: !row, %v: !row) -> (k: !row, v: !row) {
  %m:2 = gpuvm.stage @s(%k_ = %k : !row, %v_ = %v : !row) -> (!row, !row) {
    %s:2 = gpuvm.sort %k_, %v_ descending : !row, !row
    gpuvm.send %s#0, %s#1 : !row, !row
  }
  gpuvm.return %m#0, %m#1 : !rows, !rows
}

// GROUP BY any key; there is room for 8 of them.
// keys:      key: 8xi32=1 3 5 7
// keys-NEXT: sum: 8xi32=21 24 14 19 0 0 0 0
// keys-NEXT: least: 8xi32=4 2 1 7 99 99 99 99
gpuvm.program @keys(%k: !row, %v: !row) -> (key: !bins, sum: !bins, least: !bins) {
  %m:3 = gpuvm.stage @s(%k_ = %k : !row, %v_ = %v : !row) -> (!bins, !bins, !bins) {
    %numbers, %first, %n = gpuvm.distinct %k_ : !row -> !row, !bins
    %key = gpuvm.gather %k_[%first] : !row, !bins -> !bins
    %zeros = arith.constant dense<0> : !bins
    %large = arith.constant dense<99> : !bins
    %s:2 = gpuvm.scatter add, min %v_, %v_ at %numbers into %zeros, %large
        : (!row, !row, !row, !bins, !bins) -> (!bins, !bins)
    gpuvm.send %key, %s#0, %s#1 : !bins, !bins, !bins
  }
  gpuvm.return %m#0, %m#1, %m#2 : !sums, !sums, !sums
}

// A Bloom filter of the keys, 256 bits in 8 words of which each key sets two: bits 24 to 31 of its products with two odd
// numbers. Whatever is a key has both; of the other numbers to 12 none has.
// bloom:      bits: i32=8
// bloom-NEXT: passes: 12xi32=1 0 1 0 1 0 1 0 0 0 0 0
gpuvm.program @bloom(%k: !row, %v: !row) -> (bits: tensor<i32>, passes: !row) {
  %m:2 = gpuvm.stage @s(%k_ = %k : !row, %v_ = %v : !row) -> (tensor<i32>, !row) {
    %factors = arith.constant dense<[-1640531535, -2048144789]> : tensor<2xi32>
    %pairs = tensor.empty() : tensor<12x2xi32>
    %where, %bit = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%k_, %factors : !row, tensor<2xi32>) outs(%pairs, %pairs : tensor<12x2xi32>, tensor<12x2xi32>) {
    ^bb0(%key: i32, %factor: i32, %o0: i32, %o1: i32):
      %one = arith.constant 1 : i32
      %c24 = arith.constant 24 : i32
      %c29 = arith.constant 29 : i32
      %c31 = arith.constant 31 : i32
      %product = arith.muli %key, %factor : i32
      %word = arith.shrui %product, %c29 : i32
      %high = arith.shrui %product, %c24 : i32
      %place = arith.andi %high, %c31 : i32
      %set = arith.shli %one, %place : i32
      linalg.yield %word, %set : i32, i32
    } -> (tensor<12x2xi32>, tensor<12x2xi32>)
    %zeros = arith.constant dense<0> : !bins
    %filter = gpuvm.scatter or %bit at %where into %zeros : (tensor<12x2xi32>, tensor<12x2xi32>, !bins) -> !bins
    %zero = arith.constant dense<0> : tensor<i32>
    %bits = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]}
        ins(%filter : !bins) outs(%zero : tensor<i32>) {
    ^bb0(%word: i32, %before: i32):
      %ones = math.ctpop %word : i32
      %sum = arith.addi %before, %ones : i32
      linalg.yield %sum : i32
    } -> tensor<i32>
    %some = tensor.empty() : !row
    %passes = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
        ins(%v_ : !row) outs(%some : !row) {
    ^bb0(%key: i32, %unused: i32):
      %one = arith.constant 1 : i32
      %c24 = arith.constant 24 : i32
      %c29 = arith.constant 29 : i32
      %c31 = arith.constant 31 : i32
      %first = arith.constant 0 : index
      %step = arith.constant 1 : index
      %last = arith.constant 2 : index
      %both = scf.for %j = %first to %last step %step iter_args(%all = %one) -> (i32) {
        %factor = tensor.extract %factors[%j] : tensor<2xi32>
        %product = arith.muli %key, %factor : i32
        %word = arith.shrui %product, %c29 : i32
        %at = arith.index_cast %word : i32 to index
        %held = tensor.extract %filter[%at] : !bins
        %high = arith.shrui %product, %c24 : i32
        %place = arith.andi %high, %c31 : i32
        %shifted = arith.shrui %held, %place : i32
        %has = arith.andi %all, %shifted : i32
        scf.yield %has : i32
      }
      linalg.yield %both : i32
    } -> !row
    gpuvm.send %bits, %passes : tensor<i32>, !row
  }
  gpuvm.return %m#0, %m#1 : !count, !rows
}

// A gather whose rule outside of the table is -1; gpuvm.gather takes the nearest row.
// guarded:      values: 12xi32=-1 -1 -1 5 5 3 7 1 3 -1 -1 -1
// guarded-NEXT: nearest: 12xi32=5 5 5 5 5 3 7 1 3 7 7 7
gpuvm.program @guarded(%k: !row, %v: !row) -> (values: !row, nearest: !row) {
  %m:2 = gpuvm.stage @s(%k_ = %k : !row, %v_ = %v : !row) -> (!row, !row) {
    %two = arith.constant dense<2> : !row
    %eight = arith.constant dense<8> : !row
    %double = arith.muli %v_, %two : !row
    %places = arith.subi %double, %eight : !row
    %some = tensor.empty() : !row
    %values = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
        ins(%places : !row) outs(%some : !row) {
    ^bb0(%place: i32, %unused: i32):
      %none = arith.constant -1 : i32
      %rows = arith.constant 12 : i32
      %isInside = arith.cmpi ult, %place, %rows : i32
      %value = scf.if %isInside -> (i32) {
        %i = arith.index_cast %place : i32 to index
        %element = tensor.extract %k_[%i] : !row
        scf.yield %element : i32
      } else {
        scf.yield %none : i32
      }
      linalg.yield %value : i32
    } -> !row
    %nearest = gpuvm.gather %k_[%places] : !row, !row -> !row
    gpuvm.send %values, %nearest : !row, !row
  }
  gpuvm.return %m#0, %m#1 : !rows, !rows
}
