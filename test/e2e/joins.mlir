// The joins of docs/irregular.md: rows k, v with rows t, w by the keys k and t. Pairs are as v and w; there is room for 16.

// DEFINE: %{program} =
// DEFINE: %{inputs} = --input=k=8xi32=4,2,9,4,7,2,1,8 --input=v=8xi32=10,11,12,13,14,15,16,17 \
// DEFINE:             --input=t=6xi32=2,4,2,6,9,2 --input=w=6xi32=100,101,102,103,104,105
// DEFINE: %{check} = FileCheck %s --check-prefix=%{program}
// DEFINE: %{test} = gpuvm-compile %s --program=%{program} -o %t.gvplan && \
// DEFINE:           gpuvm-run %t.gvplan --validate %{inputs} | %{check} && \
// DEFINE:           gpuvm-interpret %s --program=%{program} %{inputs} | %{check}

// REDEFINE: %{program} = semi
// RUN: %{test}
// REDEFINE: %{program} = inner
// RUN: %{test}
// RUN: not gpuvm-run %t.gvplan --validate --input=k=8xi32=2 --input=v=8xi32=0 \
// RUN:     --input=t=6xi32=2,4,2,6,9,2 --input=w=6xi32=0 2>&1 | FileCheck %s --check-prefix=EXCESS
// EXCESS: EXCESS: "s.rows" is 24, but there is room for 16 only
// REDEFINE: %{program} = left
// RUN: %{test}
// REDEFINE: %{program} = merge
// RUN: %{test}

// REDEFINE: %{program} = unique
// REDEFINE: %{inputs} = --input=k=8xi32=4,2,9,4,7,2,1,8 --input=v=8xi32=10,11,12,13,14,15,16,17 \
// REDEFINE:             --input=t=6xi32=9,2,8,3,4,6 --input=w=6xi32=100,101,102,103,104,105
// RUN: %{test}

!keys = tensor<8xi32>
!table = tensor<6xi32>
!marks = tensor<8xi1>
!room = tensor<16xi32>
!pairs = tensor<?xi32, #gpuvm.bound<16>>
!rows = !gpuvm.message<!keys>
!sides = !gpuvm.message<!pairs>
!count = !gpuvm.message<tensor<i32>>
#row = affine_map<(i) -> (i)>

// Rows that have a partner, and rows that have none (semi and anti join).
// semi:      with: 8xi32=10 11 12 13 15
// semi-NEXT: without: 8xi32=14 16 17
// semi-NEXT: n: i32=5
gpuvm.program @semi(%k: !keys, %v: !keys, %t: !table, %w: !table) -> (with: !keys, without: !keys, n: tensor<i32>) {
  %m:3 = gpuvm.stage @s(%k_ = %k : !keys, %v_ = %v : !keys, %t_ = %t : !table) -> (!keys, !keys, tensor<i32>) {
    %first, %counts, %order = gpuvm.match %k_ in %t_ : (!keys), (!table) -> !keys, !keys, !table
    %zero = arith.constant dense<0> : !keys
    %has = arith.cmpi ne, %counts, %zero : !keys
    %hasNone = arith.cmpi eq, %counts, %zero : !keys
    %with, %n = gpuvm.compact %v_ where %has : (!keys, !marks) -> (!keys, tensor<i32>)
    %without, %rest = gpuvm.compact %v_ where %hasNone : (!keys, !marks) -> (!keys, tensor<i32>)
    gpuvm.send %with, %without, %n : !keys, !keys, tensor<i32>
  }
  gpuvm.return %m#0, %m#1, %m#2 : !rows, !rows, !count
}

// Every row with every partner.
// inner:      v: 9xi32=10 11 11 11 12 13 15 15 15
// inner-NEXT: w: 9xi32=101 100 102 105 104 101 100 102 105
// inner-NEXT: n: i32=9
gpuvm.program @inner(%k: !keys, %v: !keys, %t: !table, %w: !table) -> (v: !pairs, w: !pairs, n: tensor<i32>) {
  %m:3 = gpuvm.stage @s(%k_ = %k : !keys, %v_ = %v : !keys, %t_ = %t : !table, %w_ = %w : !table)
      -> (!pairs, !pairs, tensor<i32>) {
    %first, %counts, %order = gpuvm.match %k_ in %t_ : (!keys), (!table) -> !keys, !keys, !table
    %allRows, %allOrdinals, %n = gpuvm.expand %counts : !keys -> !room, !room
    %rows = gpuvm.bounded %allRows[%n] : !room -> !pairs
    %ordinals = gpuvm.bounded %allOrdinals[%n] : !room -> !pairs
    %vs, %ws = linalg.generic {indexing_maps = [#row, #row, #row, #row], iterator_types = ["parallel"]}
        ins(%rows, %ordinals : !pairs, !pairs) outs(%rows, %rows : !pairs, !pairs) {
    ^bb0(%row: i32, %ordinal: i32, %o0: i32, %o1: i32):
      %r = arith.index_cast %row : i32 to index
      %left = tensor.extract %v_[%r] : !keys
      %begin = tensor.extract %first[%r] : !keys
      %place = arith.addi %begin, %ordinal : i32
      %p = arith.index_cast %place : i32 to index
      %other = tensor.extract %order[%p] : !table
      %o = arith.index_cast %other : i32 to index
      %right = tensor.extract %w_[%o] : !table
      linalg.yield %left, %right : i32, i32
    } -> (!pairs, !pairs)
    gpuvm.send %vs, %ws, %n : !pairs, !pairs, tensor<i32>
  }
  gpuvm.return %m#0, %m#1, %m#2 : !sides, !sides, !count
}

// Every row with every partner, and with -1 if it has none.
// left:      v: 12xi32=10 11 11 11 12 13 14 15 15 15 16 17
// left-NEXT: w: 12xi32=101 100 102 105 104 101 -1 100 102 105 -1 -1
// left-NEXT: n: i32=12
gpuvm.program @left(%k: !keys, %v: !keys, %t: !table, %w: !table) -> (v: !pairs, w: !pairs, n: tensor<i32>) {
  %m:3 = gpuvm.stage @s(%k_ = %k : !keys, %v_ = %v : !keys, %t_ = %t : !table, %w_ = %w : !table)
      -> (!pairs, !pairs, tensor<i32>) {
    %first, %counts, %order = gpuvm.match %k_ in %t_ : (!keys), (!table) -> !keys, !keys, !table
    %one = arith.constant dense<1> : !keys
    %times = arith.maxsi %counts, %one : !keys
    %allRows, %allOrdinals, %n = gpuvm.expand %times : !keys -> !room, !room
    %rows = gpuvm.bounded %allRows[%n] : !room -> !pairs
    %ordinals = gpuvm.bounded %allOrdinals[%n] : !room -> !pairs
    %vs, %ws = linalg.generic {indexing_maps = [#row, #row, #row, #row], iterator_types = ["parallel"]}
        ins(%rows, %ordinals : !pairs, !pairs) outs(%rows, %rows : !pairs, !pairs) {
    ^bb0(%row: i32, %ordinal: i32, %o0: i32, %o1: i32):
      %none = arith.constant -1 : i32
      %r = arith.index_cast %row : i32 to index
      %left = tensor.extract %v_[%r] : !keys
      %count = tensor.extract %counts[%r] : !keys
      %has = arith.cmpi slt, %ordinal, %count : i32
      %right = scf.if %has -> (i32) {
        %begin = tensor.extract %first[%r] : !keys
        %place = arith.addi %begin, %ordinal : i32
        %p = arith.index_cast %place : i32 to index
        %other = tensor.extract %order[%p] : !table
        %o = arith.index_cast %other : i32 to index
        %its = tensor.extract %w_[%o] : !table
        scf.yield %its : i32
      } else {
        scf.yield %none : i32
      }
      linalg.yield %left, %right : i32, i32
    } -> (!pairs, !pairs)
    gpuvm.send %vs, %ws, %n : !pairs, !pairs, tensor<i32>
  }
  gpuvm.return %m#0, %m#1, %m#2 : !sides, !sides, !count
}

// The same pairs as @inner's, of a table in the order of its keys.
// merge:      v: 9xi32=10 11 11 11 12 13 15 15 15
// merge-NEXT: w: 9xi32=101 100 102 105 104 101 100 102 105
// merge-NEXT: n: i32=9
gpuvm.program @merge(%k: !keys, %v: !keys, %t: !table, %w: !table) -> (v: !pairs, w: !pairs, n: tensor<i32>) {
  %m:3 = gpuvm.stage @s(%k_ = %k : !keys, %v_ = %v : !keys, %t_ = %t : !table, %w_ = %w : !table)
      -> (!pairs, !pairs, tensor<i32>) {
    %sorted:2 = gpuvm.sort %t_ payloads(%w_) : !table, !table
    %first = gpuvm.search_sorted %sorted#0, %k_ : !table, !keys -> !keys
    %behind = gpuvm.search_sorted %sorted#0, %k_ right : !table, !keys -> !keys
    %times = arith.subi %behind, %first : !keys
    %allRows, %allOrdinals, %n = gpuvm.expand %times : !keys -> !room, !room
    %rows = gpuvm.bounded %allRows[%n] : !room -> !pairs
    %ordinals = gpuvm.bounded %allOrdinals[%n] : !room -> !pairs
    %vs, %ws = linalg.generic {indexing_maps = [#row, #row, #row, #row], iterator_types = ["parallel"]}
        ins(%rows, %ordinals : !pairs, !pairs) outs(%rows, %rows : !pairs, !pairs) {
    ^bb0(%row: i32, %ordinal: i32, %o0: i32, %o1: i32):
      %r = arith.index_cast %row : i32 to index
      %left = tensor.extract %v_[%r] : !keys
      %begin = tensor.extract %first[%r] : !keys
      %place = arith.addi %begin, %ordinal : i32
      %p = arith.index_cast %place : i32 to index
      %right = tensor.extract %sorted#1[%p] : !table
      linalg.yield %left, %right : i32, i32
    } -> (!pairs, !pairs)
    gpuvm.send %vs, %ws, %n : !pairs, !pairs, tensor<i32>
  }
  gpuvm.return %m#0, %m#1, %m#2 : !sides, !sides, !count
}

// Keys that stand once in the table: a row has one partner or none, and nothing is expanded.
// unique:      v: 8xi32=10 11 12 13 15 17
// unique-NEXT: w: 8xi32=104 101 100 104 101 102
// unique-NEXT: n: i32=6
gpuvm.program @unique(%k: !keys, %v: !keys, %t: !table, %w: !table) -> (v: !keys, w: !keys, n: tensor<i32>) {
  %m:3 = gpuvm.stage @s(%k_ = %k : !keys, %v_ = %v : !keys, %t_ = %t : !table, %w_ = %w : !table)
      -> (!keys, !keys, tensor<i32>) {
    %first, %counts, %order = gpuvm.match %k_ in %t_ : (!keys), (!table) -> !keys, !keys, !table
    %zero = arith.constant dense<0> : !keys
    %has = arith.cmpi ne, %counts, %zero : !keys
    // A row without partner gets any, and is left out.
    %partner = gpuvm.gather %order[%first] : !table, !keys -> !keys
    %right = gpuvm.gather %w_[%partner] : !table, !keys -> !keys
    %vs, %ws, %n = gpuvm.compact %v_, %right where %has : (!keys, !keys, !marks) -> (!keys, !keys, tensor<i32>)
    gpuvm.send %vs, %ws, %n : !keys, !keys, tensor<i32>
  }
  gpuvm.return %m#0, %m#1, %m#2 : !rows, !rows, !count
}
