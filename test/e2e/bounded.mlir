// Rows whose number only the device knows go through stages, are computed with,
// reduced, sorted, scattered and returned; their count is a word of Control.

// RUN: split-file %s %t
// RUN: gpuvm-compile %t/rows.mlir -o %t/rows.gvplan
// RUN: gpuvm-run %t/rows.gvplan --validate --input=x=8xf32=3,-1,4,-1,5,-9,2,6 | FileCheck %s
// RUN: gpuvm-interpret %t/rows.mlir --input=x=8xf32=3,-1,4,-1,5,-9,2,6 | FileCheck %s
// RUN: gpuvm-interpret %t/rows.mlir --input=x=8xf32=3,-1,4,-1,5,-9,2,6 --output=filter.rows | FileCheck %s --check-prefix=COUNT
// RUN: gpuvm-opt %t/rows.mlir --gpuvm-lower-bounded | gpuvm-interpret - --input=x=8xf32=3,-1,4,-1,5,-9,2,6 | FileCheck %s
// COUNT: filter.rows: i32=5
// RUN: gpuvm-plan show %t/rows.gvplan | FileCheck %s --check-prefix=PLAN

// CHECK-DAG: kept: 5xf32=3 4 5 2 6
// CHECK-DAG: sorted: 5xf32=36 25 16 9 4
// CHECK-DAG: from: 5xi32=4 2 1 0 3
// CHECK-DAG: sum: f32=90
// CHECK-DAG: least: f32=4
// CHECK-DAG: halves: 2xi32=3 2
// CHECK-DAG: n: i32=5
// PLAN: kept {{.*}}, as many rows as filter.rows
// PLAN: filter.rows {{.*}}, up to 8

// Nothing is kept, and everything.
// RUN: gpuvm-run %t/rows.gvplan --validate --input=x=8xf32=-1 | FileCheck %s --check-prefix=NONE
// RUN: gpuvm-run %t/rows.gvplan --validate --input=x=8xf32=1 | FileCheck %s --check-prefix=ALL
// RUN: gpuvm-interpret %t/rows.mlir --input=x=8xf32=-1 | FileCheck %s --check-prefix=NONE
// RUN: gpuvm-interpret %t/rows.mlir --input=x=8xf32=1 | FileCheck %s --check-prefix=ALL
// NONE-DAG: kept: 0xf32=
// NONE-DAG: sum: f32=0
// NONE-DAG: least: f32=inf
// NONE-DAG: n: i32=0
// ALL-DAG: kept: 8xf32=1 1 1 1 1 1 1 1
// ALL-DAG: sum: f32=8
// ALL-DAG: halves: 2xi32=8 0

// Order, keys and tables: of what is behind the count nothing is found.
// RUN: gpuvm-compile %t/tables.mlir -o %t/tables.gvplan
// RUN: gpuvm-run %t/tables.gvplan --validate --input=k=8xi32=3,-1,4,-1,3,-9,2,4 | FileCheck %s --check-prefix=TABLES
// RUN: gpuvm-interpret %t/tables.mlir --input=k=8xi32=3,-1,4,-1,3,-9,2,4 | FileCheck %s --check-prefix=TABLES
// TABLES: top: 3xi32=4 4 3
// TABLES-NEXT: places: 3xi32=1 4 0
// TABLES-NEXT: again: 3xi32=4 4 3
// TABLES-NEXT: left: 4xi32=1 3 0 5
// TABLES-NEXT: right: 4xi32=3 5 0 5
// TABLES-NEXT: numbers: 5xi32=1 2 1 0 2
// TABLES-NEXT: keys: 3xi32=2 3 4
// TABLES-NEXT: counts: 4xi32=2 2 0 0
// TABLES-NEXT: sums: 2xi32=7 9

// RUN: gpuvm-run %t/tables.gvplan --validate --input=k=8xi32=-3,-1,0,-1,-3,-9,-2,4 | FileCheck %s --check-prefix=SINGLE
// RUN: gpuvm-interpret %t/tables.mlir --input=k=8xi32=-3,-1,0,-1,-3,-9,-2,4 | FileCheck %s --check-prefix=SINGLE
// SINGLE: top: 1xi32=4
// SINGLE-NEXT: places: 1xi32=0
// SINGLE-NEXT: again: 1xi32=4
// SINGLE-NEXT: left: 4xi32=0 0 0 1
// SINGLE-NEXT: right: 4xi32=0 1 0 1
// SINGLE-NEXT: numbers: 1xi32=0
// SINGLE-NEXT: keys: 1xi32=4
// SINGLE-NEXT: counts: 4xi32=0 1 0 0
// SINGLE-NEXT: sums: 2xi32=4 0

// RUN: gpuvm-run %t/tables.gvplan --validate --input=k=8xi32=-1 | FileCheck %s --check-prefix=EMPTY
// RUN: gpuvm-interpret %t/tables.mlir --input=k=8xi32=-1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: top: 0xi32=
// EMPTY: right: 4xi32=0 0 0 0
// EMPTY: keys: 0xi32=
// EMPTY: counts: 4xi32=0 0 0 0
// EMPTY: sums: 2xi32=0 0

// RUN: gpuvm-run %t/tables.gvplan --validate --input=k=8xi32=4 | FileCheck %s --check-prefix=FULL
// RUN: gpuvm-interpret %t/tables.mlir --input=k=8xi32=4 | FileCheck %s --check-prefix=FULL
// FULL: left: 4xi32=0 0 0 8
// FULL-NEXT: right: 4xi32=0 8 0 8
// FULL: keys: 1xi32=4
// FULL: counts: 4xi32=0 8 0 0
// FULL: sums: 2xi32=8 24

// More than there is room for is an error with both numbers, and nothing else.
// RUN: gpuvm-compile %t/small.mlir -o %t/small.gvplan
// RUN: gpuvm-run %t/small.gvplan --validate --input=x=8xf32=3,-1,4,-1,-5,-9,-2,6 | FileCheck %s --check-prefix=FITS
// RUN: not gpuvm-run %t/small.gvplan --validate --input=x=8xf32=3,-1,4,-1,5,-9,2,6 2>&1 | FileCheck %s --check-prefix=EXCESS
// RUN: not gpuvm-interpret %t/small.mlir --input=x=8xf32=3,-1,4,-1,5,-9,2,6 2>&1 | FileCheck %s --check-prefix=EXCESS
// RUN: %python -c "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]) != 7)" gpuvm-interpret %t/small.mlir --input=x=8xf32=1
// FITS: kept: 3xf32=3 4 6
// EXCESS-NOT: kept:
// EXCESS: EXCESS: {{"|@}}filter.rows{{"?}} is 5, but there is room for 3 only

// Of any turn of a repeat, and of the next execution only what it finds.
// RUN: gpuvm-compile %t/turns.mlir -o %t/turns.gvplan
// RUN: gpuvm-run %t/turns.gvplan --validate --input=n=i32=-5 | FileCheck %s --check-prefix=TURNS
// RUN: gpuvm-interpret %t/turns.mlir --input=n=i32=-5 | FileCheck %s --check-prefix=TURNS
// RUN: not gpuvm-run %t/turns.gvplan --validate --input=n=i32=0 2>&1 | FileCheck %s --check-prefix=TURN
// RUN: not gpuvm-interpret %t/turns.mlir --input=n=i32=0 2>&1 | FileCheck %s --check-prefix=TURN
// RUN: not gpuvm-run %t/turns.gvplan --set=take.rows=i32=9 --input=n=i32=0 2>&1 | FileCheck %s --check-prefix=TURN
// RUN: gpuvm-run %t/turns.gvplan --set=take.rows=i32=9 --input=n=i32=-5 | FileCheck %s --check-prefix=TURNS
// TURNS: total: i32=4
// TURN: {{E}}XCESS: {{"|@}}take.rows{{"?}} is 5, but there is room for 4 only

// RUN: gpuvm-opt %t/invalid.mlir --gpuvm-lower-bounded --split-input-file --verify-diagnostics

//--- rows.mlir
!rows = tensor<?xf32, #gpuvm.bound<8>>
!numbers = tensor<?xi32, #gpuvm.bound<8>>

gpuvm.program @rows(%x: tensor<8xf32>) -> (kept: !rows, sorted: !rows, from: !numbers, sum: tensor<f32>, least: tensor<f32>,
                                           halves: tensor<2xi32>, n: tensor<i32>) {
  %kept = gpuvm.stage @filter(%v = %x : tensor<8xf32>) -> !rows {
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %keep = arith.cmpf ogt, %v, %zero : tensor<8xf32>
    %k, %n = gpuvm.compact %v where %keep : (tensor<8xf32>, tensor<8xi1>) -> (tensor<8xf32>, tensor<i32>)
    %b = gpuvm.bounded %k[%n] : tensor<8xf32> -> !rows
    gpuvm.send %b : !rows
  }
  %squares = gpuvm.stage @square(%v = %kept : !gpuvm.message<!rows>) -> !rows {
    %s = arith.mulf %v, %v : !rows
    gpuvm.send %s : !rows
  }
  %r:6 = gpuvm.stage @use(%v = %squares : !gpuvm.message<!rows>)
      -> (!rows, !numbers, tensor<f32>, tensor<f32>, tensor<2xi32>, tensor<i32>) {
    %sorted, %from = gpuvm.sort %v descending numbers : !rows
    %zero = arith.constant dense<0.0> : tensor<f32>
    %inf = arith.constant dense<0x7f800000> : tensor<f32>
    %sum = linalg.reduce { arith.addf } ins(%v : !rows) outs(%zero : tensor<f32>) dimensions = [0]
    %least = linalg.reduce { arith.minimumf } ins(%v : !rows) outs(%inf : tensor<f32>) dimensions = [0]
    %half, %one = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                                  iterator_types = ["parallel"]}
        ins(%v : !rows) outs(%from, %from : !numbers, !numbers) {
    ^bb0(%e: f32, %a: i32, %b: i32):
      %limit = arith.constant 20.0 : f32
      %large = arith.cmpf ogt, %e, %limit : f32
      %h = arith.extui %large : i1 to i32
      %o = arith.constant 1 : i32
      linalg.yield %h, %o : i32, i32
    } -> (!numbers, !numbers)
    %none = arith.constant dense<0> : tensor<2xi32>
    %halves = gpuvm.scatter add %one at %half into %none : (!numbers, !numbers, tensor<2xi32>) -> tensor<2xi32>
    %n = gpuvm.count %v : !rows
    gpuvm.send %sorted, %from, %sum, %least, %halves, %n
        : !rows, !numbers, tensor<f32>, tensor<f32>, tensor<2xi32>, tensor<i32>
  }
  gpuvm.return %kept, %r#0, %r#1, %r#2, %r#3, %r#4, %r#5
      : !gpuvm.message<!rows>, !gpuvm.message<!rows>, !gpuvm.message<!numbers>, !gpuvm.message<tensor<f32>>,
        !gpuvm.message<tensor<f32>>, !gpuvm.message<tensor<2xi32>>, !gpuvm.message<tensor<i32>>
}

//--- tables.mlir
!rows = tensor<?xi32, #gpuvm.bound<8>>
!three = tensor<?xi32, #gpuvm.bound<3>>
!all = tensor<8xi32>
!four = tensor<4xi32>
#row = affine_map<(i) -> (i)>

gpuvm.program @tables(%k: !all) -> (top: !three, places: !three, again: !three, left: !four, right: !four,
                                    numbers: !rows, keys: !rows, counts: !four, sums: tensor<2xi32>) {
  %kept = gpuvm.stage @filter(%v = %k : !all) -> !rows {
    %zero = arith.constant dense<0> : !all
    %keep = arith.cmpi sgt, %v, %zero : !all
    %some, %n = gpuvm.compact %v where %keep : (!all, tensor<8xi1>) -> (!all, tensor<i32>)
    %b = gpuvm.bounded %some[%n] : !all -> !rows
    gpuvm.send %b : !rows
  }
  %r:9 = gpuvm.stage @use(%v = %kept : !gpuvm.message<!rows>)
      -> (!three, !three, !three, !four, !four, !rows, !rows, !four, tensor<2xi32>) {
    %top, %places = gpuvm.top_k %v : !rows -> !three, !three
    %again = gpuvm.gather %v[%places] : !rows, !three -> !three

    %queries = arith.constant dense<[3, 4, 0, 2147483647]> : !four
    %sorted = gpuvm.sort %v : !rows
    %left = gpuvm.search_sorted %sorted, %queries : !rows, !four -> !four
    %right = gpuvm.search_sorted %sorted, %queries right : !rows, !four -> !four

    %numbers, %firsts, %n = gpuvm.distinct %v : !rows -> !rows, !all
    %first = gpuvm.bounded %firsts[%n] : !all -> !rows
    %keys = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
        ins(%first : !rows) outs(%first : !rows) {
    ^bb0(%i: i32, %unused: i32):
      %at = arith.index_cast %i : i32 to index
      %key = tensor.extract %v[%at] : !rows
      linalg.yield %key : i32
    } -> !rows
    %from, %counts, %order = gpuvm.match %queries in %v : (!four), (!rows) -> !four, !four, !all

    %offsets = arith.constant dense<[0, 2, 8]> : tensor<3xi32>
    %zero = arith.constant dense<0> : tensor<i32>
    %sums = gpuvm.segment_reduce %v by %offsets from %zero : (!rows, tensor<3xi32>, tensor<i32>) -> tensor<2xi32> {
    ^bb0(%before: i32, %next: i32):
      %s = arith.addi %before, %next : i32
      gpuvm.yield %s : i32
    }
    gpuvm.send %top, %places, %again, %left, %right, %numbers, %keys, %counts, %sums
        : !three, !three, !three, !four, !four, !rows, !rows, !four, tensor<2xi32>
  }
  gpuvm.return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7, %r#8
      : !gpuvm.message<!three>, !gpuvm.message<!three>, !gpuvm.message<!three>, !gpuvm.message<!four>,
        !gpuvm.message<!four>, !gpuvm.message<!rows>, !gpuvm.message<!rows>, !gpuvm.message<!four>,
        !gpuvm.message<tensor<2xi32>>
}

//--- small.mlir
!rows = tensor<?xf32, #gpuvm.bound<3>>

gpuvm.program @small(%x: tensor<8xf32>) -> (kept: !rows) {
  %kept = gpuvm.stage @filter(%v = %x : tensor<8xf32>) -> !rows {
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %keep = arith.cmpf ogt, %v, %zero : tensor<8xf32>
    %k, %n = gpuvm.compact %v where %keep : (tensor<8xf32>, tensor<8xi1>) -> (tensor<3xf32>, tensor<i32>)
    %b = gpuvm.bounded %k[%n] : tensor<3xf32> -> !rows
    gpuvm.send %b : !rows
  }
  gpuvm.return %kept : !gpuvm.message<!rows>
}

//--- turns.mlir
!rows = tensor<?xi32, #gpuvm.bound<4>>

// The turns find n + 3, n + 5, n + 1 rows: of n = -5 none, none, none and at last 4.
gpuvm.program @turns(%n: tensor<i32>) -> (total: tensor<i32>) {
  %zero = arith.constant dense<0> : tensor<i32>
  %total, %last = gpuvm.repeat @each up_to 4 (%sum = %zero : tensor<i32>, %turn = %zero : tensor<i32>) {
    %more, %next = gpuvm.stage @take(%s = %sum : !gpuvm.message<tensor<i32>>, %t = %turn : !gpuvm.message<tensor<i32>>,
                                     %first = %n : tensor<i32>) -> (tensor<i32>, tensor<i32>) {
      %ones = arith.constant dense<1> : tensor<4xi32>
      %more_of = arith.constant dense<[3, 5, 1, 9]> : tensor<4xi32>
      %place = tensor.extract %t[] : tensor<i32>
      %row = arith.index_cast %place : i32 to index
      %offset = tensor.extract %more_of[%row] : tensor<4xi32>
      %start = tensor.extract %first[] : tensor<i32>
      %found = arith.addi %start, %offset : i32
      %count = tensor.from_elements %found : tensor<i32>
      %rows = gpuvm.bounded %ones[%count] : tensor<4xi32> -> !rows
      %with = linalg.reduce { arith.addi } ins(%rows : !rows) outs(%s : tensor<i32>) dimensions = [0]
      %one = arith.constant dense<1> : tensor<i32>
      %u = arith.addi %t, %one : tensor<i32>
      gpuvm.send %with, %u : tensor<i32>, tensor<i32>
    }
    gpuvm.next %more, %next : !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<i32>>
  }
  gpuvm.return %total : !gpuvm.message<tensor<i32>>
}

//--- invalid.mlir
!rows = tensor<?xf32, #gpuvm.bound<8>>

gpuvm.program @counts(%x: tensor<8xf32>, %m: tensor<i32>, %n: tensor<i32>) -> (y: !rows) {
  %y = gpuvm.stage @s(%v = %x : tensor<8xf32>, %m_ = %m : tensor<i32>, %n_ = %n : tensor<i32>) -> !rows {
    %a = gpuvm.bounded %v[%m_] : tensor<8xf32> -> !rows
    %b = gpuvm.bounded %v[%n_] : tensor<8xf32> -> !rows
    // expected-error @below {{has operands with different numbers of rows: those of @s.rows and of @s.rows_0}}
    %c = arith.addf %a, %b : !rows
    gpuvm.send %c : !rows
  }
  gpuvm.return %y : !gpuvm.message<!rows>
}

// -----

!rows = tensor<?xf32, #gpuvm.bound<8>>

gpuvm.program @reverse(%x: tensor<8xf32>, %n: tensor<i32>) -> (y: !rows) {
  %y = gpuvm.stage @s(%v = %x : tensor<8xf32>, %n_ = %n : tensor<i32>) -> !rows {
    %a = gpuvm.bounded %v[%n_] : tensor<8xf32> -> !rows
    // expected-error @below {{cannot work on rows whose number only the device knows; gpuvm.filled makes a tensor of all rows}}
    %c = gpuvm.scan %a dimension 0 reverse : (!rows) -> !rows {
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      gpuvm.yield %s : f32
    }
    gpuvm.send %c : !rows
  }
  gpuvm.return %y : !gpuvm.message<!rows>
}

// -----

!rows = tensor<?xf32, #gpuvm.bound<8>>

gpuvm.program @loops(%x: tensor<8xf32>, %n: tensor<i32>) -> (y: tensor<f32>) {
  %y = gpuvm.stage @s(%v = %x : tensor<8xf32>, %n_ = %n : tensor<i32>) -> tensor<f32> {
    %a = gpuvm.bounded %v[%n_] : tensor<8xf32> -> !rows
    %zero = arith.constant dense<0.0> : tensor<f32>
    // expected-error @below {{reads tables or loops in a reduction of rows whose number only the device knows; make its elements before}}
    %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
        ins(%a : !rows) outs(%zero : tensor<f32>) {
    ^bb0(%e: f32, %s: f32):
      %i = linalg.index 0 : index
      %t = tensor.extract %v[%i] : tensor<8xf32>
      %p = arith.mulf %e, %t : f32
      %sum = arith.addf %s, %p : f32
      linalg.yield %sum : f32
    } -> tensor<f32>
    gpuvm.send %c : tensor<f32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<f32>>
}

// -----

!rows = tensor<?xf32, #gpuvm.bound<8>>

gpuvm.program @inputs(%x: !rows, %y: !rows) -> (z: !rows) {
  %z = gpuvm.stage @add(%a = %x : !rows, %b = %y : !rows) -> !rows {
    // expected-error @below {{has operands with different numbers of rows: those of @x.rows and of @y.rows}}
    %c = arith.addf %a, %b : !rows
    gpuvm.send %c : !rows
  }
  gpuvm.return %z : !gpuvm.message<!rows>
}
