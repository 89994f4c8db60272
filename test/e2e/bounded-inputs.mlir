// Inputs with as many rows as the host gives: a table of two columns, and keys
// to look up in it. bounded_inputs.py has what NumPy says.

// REQUIRES: numpy
// RUN: rm -rf %t && mkdir %t
// RUN: gpuvm-compile %s -o %t/plan.gvplan
// RUN: gpuvm-compile %s --size=always --disable-fusion -o %t/sized.gvplan
// RUN: %python -B %S/bounded_inputs.py %t %s %t/plan.gvplan %t/sized.gvplan
// RUN: gpuvm-plan show %t/plan.gvplan | FileCheck %s --check-prefix=PLAN
// PLAN: price {{.*}}, copied in every execution, rows counted in price.rows
// PLAN: amount {{.*}}, copied in every execution, rows counted in price.rows
// PLAN: key {{.*}}, copied in every execution, rows counted in key.rows
// PLAN: worth {{.*}}, as many rows as price.rows
// PLAN: same {{.*}}, as many rows as key.rows
// PLAN: price.rows {{.*}}, up to 50000

// RUN: gpuvm-run %t/plan.gvplan --input=price=3xi32=5,-1,7 --input=amount=3xi32=2,3,4 --input=key=2xi32=7,8 --output=worth --output=same --output=found | FileCheck %s
// RUN: gpuvm-interpret %s --input=price=3xi32=5,-1,7 --input=amount=3xi32=2,3,4 --input=key=2xi32=7,8 --output=worth --output=same --output=found | FileCheck %s
// RUN: gpuvm-opt %s --gpuvm-lower-bounded | gpuvm-interpret - --input=price=3xi32=5,-1,7 --input=amount=3xi32=2,3,4 --input=key=2xi32=7,8 --output=worth --output=same --output=found | FileCheck %s
// CHECK-DAG: worth: 3xi32=10 -3 28
// CHECK-DAG: same: 2xi32=7 8
// CHECK-DAG: found: 2xi32=1 0

// What is wrong.
// RUN: not gpuvm-run %t/plan.gvplan --input=price=3xi32=1 --input=amount=2xi32=1 --input=key=1xi32=0 2>&1 | FileCheck %s --check-prefix=UNEQUAL
// RUN: not gpuvm-interpret %s --input=price=3xi32=1 --input=amount=2xi32=1 --input=key=1xi32=0 2>&1 | FileCheck %s --check-prefix=UNEQUAL
// UNEQUAL: nput "amount" has 2 rows, and input "price", which has the same ones, has 3
// RUN: not gpuvm-run %t/plan.gvplan --input=price=50001xi32=1 --input=amount=2xi32=1 --input=key=1xi32=0 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not gpuvm-interpret %s --input=price=50001xi32=1 --input=amount=2xi32=1 --input=key=1xi32=0 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: Input "price" has the wrong shape: 50001xi32 is given, but the program takes 50000xi32 or fewer rows.
// RUN: printf '0123456789' > %t/ten
// RUN: not gpuvm-run %t/plan.gvplan --input=price=@%t/ten+0 --input=amount=2xi32=1 --input=key=1xi32=0 2>&1 | FileCheck %s --check-prefix=TEN
// TEN: Input "price" takes at most 50000 rows of 4 bytes, but the data given has 10 bytes - while reading "{{.*}}ten".

!column = tensor<?xi32, #gpuvm.bound<50000>>
!keys = tensor<?xi32, #gpuvm.bound<300>>
gpuvm.program @table(%price: !column, %amount: !column rows %price, %key: !keys)
    -> (worth: !column, same: !keys, found: !keys, total: tensor<i64>, dear: !column, n: tensor<i32>) {
  %worth, %total = gpuvm.stage @multiply(%p = %price : !column, %a = %amount : !column) -> (!column, tensor<i64>) {
    %w = arith.muli %p, %a : !column
    %zero = arith.constant dense<0> : tensor<i64>
    %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
        ins(%w : !column) outs(%zero : tensor<i64>) {
    ^bb0(%x: i32, %s: i64):
      %wide = arith.extsi %x : i32 to i64
      %next = arith.addi %s, %wide : i64
      linalg.yield %next : i64
    } -> tensor<i64>
    gpuvm.send %w, %sum : !column, tensor<i64>
  }
  %dear = gpuvm.stage @filter(%w = %worth : !gpuvm.message<!column>) -> !column {
    %n = gpuvm.count %w : !column
    %zero = arith.constant dense<0> : tensor<i32>
    %all = gpuvm.filled %w with %zero : !column, tensor<i32> -> tensor<50000xi32>
    %limit = arith.constant dense<100> : tensor<50000xi32>
    %keep = arith.cmpi sgt, %all, %limit : tensor<50000xi32>
    %v, %k = gpuvm.compact %all where %keep : (tensor<50000xi32>, tensor<50000xi1>) -> (tensor<50000xi32>, tensor<i32>)
    %b = gpuvm.bounded %v[%k] : tensor<50000xi32> -> !column
    gpuvm.send %b : !column
  }
  %n, %found = gpuvm.stage @look(%k = %key : !keys, %p = %price : !column) -> (tensor<i32>, !keys) {
    %count = gpuvm.count %p : !column
    %first, %times, %order = gpuvm.match %k in %p : (!keys), (!column) -> !keys, !keys, tensor<50000xi32>
    gpuvm.send %count, %times : tensor<i32>, !keys
  }
  gpuvm.return %worth, %key, %found, %total, %dear, %n : !gpuvm.message<!column>, !keys, !gpuvm.message<!keys>,
      !gpuvm.message<tensor<i64>>, !gpuvm.message<!column>, !gpuvm.message<tensor<i32>>
}
