// One join, two ways: the device counts the rows that a filter leaves of one
// table and joins by nested loops if they are few, else by hashing; the loops of
// the other way do not run, nor do its kernels if that is worth a wait.
// adaptive_join.py checks both (DuckDB where Python has it, else NumPy).

// REQUIRES: numpy
// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-compile %s --park=always -o %t.parked.gvplan
// RUN: gpuvm-compile %s --park=never --disable-fusion -o %t.never.gvplan
// RUN: gpuvm-plan show %t.parked.gvplan | FileCheck %s
// CHECK: kernel {{.*}}_condition
// CHECK: kernel {{.*}}_counts
// CHECK: dispatch_indirect for stage "hashed"
// RUN: %python %S/adaptive_join.py %t %s %t.gvplan %t.parked.gvplan %t.never.gvplan

!orders = tensor<5000xi32>
!sums = tensor<5000xi64>
!items = tensor<3000xi32>
!prices = tensor<3000xi64>
gpuvm.program @join(%orderKey: !orders, %quantity: !sums, %itemKey: !items, %price: !prices, %least: tensor<i64>)
    -> (revenue: tensor<i64>, rows: tensor<i32>, way: tensor<i32>) {
  %keys, %prices, %n, %few, %many = gpuvm.stage @filter(%k = %itemKey : !items, %p = %price : !prices, %l = %least : tensor<i64>)
      -> (!items, !prices, tensor<i32>, tensor<i1>, tensor<i1>) {
    %e = tensor.empty() : !prices
    %limits = linalg.broadcast ins(%l : tensor<i64>) outs(%e : !prices) dimensions = [0]
    %isKept = arith.cmpi sge, %p, %limits : !prices
    %kept, %costs, %count = gpuvm.compact %k, %p where %isKept : (!items, !prices, tensor<3000xi1>) -> (!items, !prices, tensor<i32>)
    %most = arith.constant dense<64> : tensor<i32>
    %f = arith.cmpi sle, %count, %most : tensor<i32>
    %m = arith.cmpi sgt, %count, %most : tensor<i32>
    gpuvm.send %kept, %costs, %count, %f, %m : !items, !prices, tensor<i32>, tensor<i1>, tensor<i1>
  }
  // Each order looks at all items that are left.
  %slow = gpuvm.stage @nested when(%few : !gpuvm.message<tensor<i1>>)
      (%o = %orderKey : !orders, %k = %keys : !gpuvm.message<!items>, %p = %prices : !gpuvm.message<!prices>,
       %count = %n : !gpuvm.message<tensor<i32>>) -> !sums {
    %e = tensor.empty() : !sums
    %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%o, %count : !orders, tensor<i32>) outs(%e : !sums) {
    ^bb0(%key: i32, %c: i32, %unused: i64):
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %none = arith.constant 0 : i64
      %last = arith.index_cast %c : i32 to index
      %sum = scf.for %j = %zero to %last step %one iter_args(%so = %none) -> (i64) {
        %other = tensor.extract %k[%j] : !items
        %cost = tensor.extract %p[%j] : !prices
        %same = arith.cmpi eq, %other, %key : i32
        %part = arith.select %same, %cost, %none : i64
        %more = arith.addi %so, %part : i64
        scf.yield %more : i64
      }
      linalg.yield %sum : i64
    } -> !sums
    gpuvm.send %s : !sums
  }
  // Each order looks up its items.
  %sums = gpuvm.stage @hashed when(%many : !gpuvm.message<tensor<i1>>)
      (%o = %orderKey : !orders, %k = %keys : !gpuvm.message<!items>, %p = %prices : !gpuvm.message<!prices>,
       %count = %n : !gpuvm.message<tensor<i32>>, %other = %slow : !gpuvm.message<!sums>) -> !sums {
    %table = gpuvm.bounded %k[%count] : !items -> tensor<?xi32, #gpuvm.bound<3000>>
    %first, %counts, %order = gpuvm.match %o in %table
        : (!orders), (tensor<?xi32, #gpuvm.bound<3000>>) -> !orders, !orders, !items
    %e = tensor.empty() : !sums
    %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%first, %counts : !orders, !orders) outs(%e : !sums) {
    ^bb0(%f: i32, %c: i32, %unused: i64):
      %one = arith.constant 1 : index
      %none = arith.constant 0 : i64
      %end = arith.addi %f, %c : i32
      %begin = arith.index_cast %f : i32 to index
      %last = arith.index_cast %end : i32 to index
      %sum = scf.for %j = %begin to %last step %one iter_args(%so = %none) -> (i64) {
        %row = tensor.extract %order[%j] : !items
        %at = arith.index_cast %row : i32 to index
        %cost = tensor.extract %p[%at] : !prices
        %more = arith.addi %so, %cost : i64
        scf.yield %more : i64
      }
      linalg.yield %sum : i64
    } -> !sums
    gpuvm.send %s : !sums else %other : !sums
  }
  %revenue, %way = gpuvm.stage @total(%s = %sums : !gpuvm.message<!sums>, %q = %quantity : !sums, %h = %many : !gpuvm.message<tensor<i1>>)
      -> (tensor<i64>, tensor<i32>) {
    %none = arith.constant dense<0> : tensor<i64>
    %parts = arith.muli %s, %q : !sums
    %r = linalg.reduce { arith.addi } ins(%parts : !sums) outs(%none : tensor<i64>) dimensions = [0]
    %w = arith.extui %h : tensor<i1> to tensor<i32>
    gpuvm.send %r, %w : tensor<i64>, tensor<i32>
  }
  gpuvm.return %revenue, %n, %way : !gpuvm.message<tensor<i64>>, !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<i32>>
}
