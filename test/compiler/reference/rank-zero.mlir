// Operations that take rows take a scalar for one of them.

// RUN: gpuvm-interpret %s --program=search --input=q=i32=7 | FileCheck %s --check-prefix=SEARCH
// RUN: gpuvm-interpret %s --program=rows --input=q=i32=2 | FileCheck %s --check-prefix=ROWS

// SEARCH: left: i32=2
// SEARCH: right: i32=3
gpuvm.program @search(%q: tensor<i32>) -> (left: tensor<i32>, right: tensor<i32>) {
  %l, %r = gpuvm.stage @s(%a = %q : tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %t = arith.constant dense<[1, 3, 7, 9]> : tensor<4xi32>
    %left = gpuvm.search_sorted %t, %a : tensor<4xi32>, tensor<i32> -> tensor<i32>
    %right = gpuvm.search_sorted %t, %a right : tensor<4xi32>, tensor<i32> -> tensor<i32>
    gpuvm.send %left, %right : tensor<i32>, tensor<i32>
  }
  gpuvm.return %l, %r : !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<i32>>
}

// ROWS: row: 2xi32=5 6
// ROWS: sums: 4xi32=0 0 2 0
gpuvm.program @rows(%q: tensor<i32>) -> (row: tensor<2xi32>, sums: tensor<4xi32>) {
  %g, %s = gpuvm.stage @s(%a = %q : tensor<i32>) -> (tensor<2xi32>, tensor<4xi32>) {
    %t = arith.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
    %zeros = arith.constant dense<0> : tensor<4xi32>
    %row = gpuvm.gather %t[%a] : tensor<3x2xi32>, tensor<i32> -> tensor<2xi32>
    %sums = gpuvm.scatter add %a at %a into %zeros : (tensor<i32>, tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
    gpuvm.send %row, %sums : tensor<2xi32>, tensor<4xi32>
  }
  gpuvm.return %g, %s : !gpuvm.message<tensor<2xi32>>, !gpuvm.message<tensor<4xi32>>
}
