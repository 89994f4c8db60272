// Rows whose number only the device knows go through stages, are computed with,
// reduced, sorted, scattered and returned; their count is a word of Control.

// RUN: split-file %s %t
// RUN: gpuvm-compile %t/rows.mlir -o %t/rows.gvplan
// RUN: gpuvm-run %t/rows.gvplan --validate --input=x=8xf32=3,-1,4,-1,5,-9,2,6 | FileCheck %s
// RUN: gpuvm-interpret %t/rows.mlir --input=x=8xf32=3,-1,4,-1,5,-9,2,6 | FileCheck %s
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
// NONE-DAG: kept: 0xf32=
// NONE-DAG: sum: f32=0
// NONE-DAG: least: f32=inf
// NONE-DAG: n: i32=0
// ALL-DAG: kept: 8xf32=1 1 1 1 1 1 1 1
// ALL-DAG: sum: f32=8
// ALL-DAG: halves: 2xi32=8 0

// More than there is room for is an error with both numbers, and nothing else.
// RUN: gpuvm-compile %t/small.mlir -o %t/small.gvplan
// RUN: gpuvm-run %t/small.gvplan --validate --input=x=8xf32=3,-1,4,-1,-5,-9,-2,6 | FileCheck %s --check-prefix=FITS
// RUN: not gpuvm-run %t/small.gvplan --validate --input=x=8xf32=3,-1,4,-1,5,-9,2,6 2>&1 | FileCheck %s --check-prefix=EXCESS
// RUN: not gpuvm-interpret %t/small.mlir --input=x=8xf32=3,-1,4,-1,5,-9,2,6 2>&1 | FileCheck %s --check-prefix=EXCESS
// FITS: kept: 3xf32=3 4 6
// EXCESS-NOT: kept:
// EXCESS: EXCESS: {{"|@}}filter.rows{{"?}} is 5, but there is room for 3 only

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

// expected-error @below {{has an input whose number of rows only the device would know}}
gpuvm.program @input(%x: !rows) {
  gpuvm.return
}
