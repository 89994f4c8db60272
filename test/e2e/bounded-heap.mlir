// Columns that are bound once, with as many rows as the host has, shared by two
// programs, one of which takes rows in each execution, too.

// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-plan show %t.gvplan | FileCheck %s --check-prefix=PLAN
// PLAN: price {{.*}}, copied once at load, rows counted in price.rows
// PLAN: amount {{.*}}, copied once at load, rows counted in price.rows
// PLAN: find.key {{.*}}, copied in every execution, rows counted in find.key.rows
// PLAN: worth.sales {{.*}}, as many rows as price.rows

// RUN: gpuvm-run %t.gvplan --run=worth,find --iterations=2 --input=price=3xi32=5,-1,7 --input=amount=3xi32=2,3,4 --input=find.key=2xi32=7,8 | FileCheck %s
// RUN: gpuvm-interpret %s --run=worth,find --iterations=2 --input=price=3xi32=5,-1,7 --input=amount=3xi32=2,3,4 --input=find.key=2xi32=7,8 | FileCheck %s
// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm-link,gpuvm.program(gpuvm-lower-bounded))' | gpuvm-interpret - --run=worth,find --iterations=2 --input=price=3xi32=5,-1,7 --input=amount=3xi32=2,3,4 --input=find.key=2xi32=7,8 | FileCheck %s
// CHECK-DAG: worth.sales: 3xi32=10 -3 28
// CHECK-DAG: worth.total: i32=35
// CHECK-DAG: find.times: 2xi32=1 0

// RUN: not gpuvm-run %t.gvplan --program=worth --input=price=3xi32=1 --input=amount=2xi32=1 2>&1 | FileCheck %s --check-prefix=UNEQUAL
// RUN: not gpuvm-interpret %s --program=worth --input=price=3xi32=1 --input=amount=2xi32=1 2>&1 | FileCheck %s --check-prefix=UNEQUAL
// UNEQUAL: nput "amount" has 2 rows, and input "price", which has the same ones, has 3

!column = tensor<?xi32, #gpuvm.bound<1000>>
!keys = tensor<?xi32, #gpuvm.bound<5>>
gpuvm.heap @price : !column
gpuvm.heap @amount : !column rows @price

gpuvm.program @worth() -> (sales: !column, total: tensor<i32>) {
  %sales, %total = gpuvm.stage @multiply() -> (!column, tensor<i32>) {
    %p = gpuvm.load @price : !column
    %a = gpuvm.load @amount : !column
    %w = arith.muli %p, %a : !column
    %zero = arith.constant dense<0> : tensor<i32>
    %sum = linalg.reduce { arith.addi } ins(%w : !column) outs(%zero : tensor<i32>) dimensions = [0]
    gpuvm.send %w, %sum : !column, tensor<i32>
  }
  gpuvm.return %sales, %total : !gpuvm.message<!column>, !gpuvm.message<tensor<i32>>
}

gpuvm.program @find(%key: !keys) -> (times: !keys) {
  %times = gpuvm.stage @look(%k = %key : !keys) -> !keys {
    %p = gpuvm.load @price : !column
    %first, %counts, %order = gpuvm.match %k in %p : (!keys), (!column) -> !keys, !keys, tensor<1000xi32>
    gpuvm.send %counts : !keys
  }
  gpuvm.return %times : !gpuvm.message<!keys>
}
