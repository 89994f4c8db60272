// Where equal keys, zeros and NaNs come, and the steps of a sort one by one.

// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate --input=x=9xf32=2,nan,-0,0,-inf,2,0,inf,-1 --input=n=3x4xi32=4,3,2,1,0,-1,5,-1,7,7,7,7 | FileCheck %s
// RUN: gpuvm-interpret %s --input=x=9xf32=2,nan,-0,0,-inf,2,0,inf,-1 --input=n=3x4xi32=4,3,2,1,0,-1,5,-1,7,7,7,7 | FileCheck %s
// RUN: gpuvm-compile %s --exact --disable-fusion -o %t.exact.gvplan
// RUN: gpuvm-run %t.exact.gvplan --validate --input=x=9xf32=2,nan,-0,0,-inf,2,0,inf,-1 --input=n=3x4xi32=4,3,2,1,0,-1,5,-1,7,7,7,7 | FileCheck %s

// CHECK: up: 9xf32=-inf -1 -0 0 0 2 2 inf nan
// CHECK-NEXT: up_places: 9xi32=4 8 2 3 6 0 5 7 1
// CHECK-NEXT: down: 9xf32=nan inf 2 2 -0 0 0 -1 -inf
// CHECK-NEXT: down_places: 9xi32=1 7 0 5 2 3 6 8 4
// CHECK-NEXT: rows: 3x4xi32=
// CHECK-SAME: [1 2 3 4][0 5 -1 -1][7 7 7 7]
// CHECK-NEXT: largest: 2xf32=nan inf
// CHECK-NEXT: place: 3xi32=1 5 7
// CHECK-NEXT: both: 12xf32=-inf -inf -1 -0 0 0 0 2 2 3 inf nan
gpuvm.program @sort(%x: tensor<9xf32>, %n: tensor<3x4xi32>)
    -> (up: tensor<9xf32>, up_places: tensor<9xi32>, down: tensor<9xf32>, down_places: tensor<9xi32>, rows: tensor<3x4xi32>, largest: tensor<2xf32>, place: tensor<3xi32>, both: tensor<12xf32>) {
  %m:8 = gpuvm.stage @s(%k = %x : tensor<9xf32>, %r = %n : tensor<3x4xi32>)
      -> (tensor<9xf32>, tensor<9xi32>, tensor<9xf32>, tensor<9xi32>, tensor<3x4xi32>, tensor<2xf32>, tensor<3xi32>, tensor<12xf32>) {
    %u:2 = gpuvm.sort %k numbers : tensor<9xf32>
    %d:2 = gpuvm.sort %k descending numbers : tensor<9xf32>
    %rows = gpuvm.sort %r unsigned : tensor<3x4xi32>
    %v, %at = gpuvm.top_k %k : tensor<9xf32> -> tensor<2xf32>, tensor<2xi32>
    %queries = arith.constant dense<[0xFF800000, 0.0, 3.0]> : tensor<3xf32>
    %place = gpuvm.search_sorted %u#0, %queries right : tensor<9xf32>, tensor<3xf32> -> tensor<3xi32>
    %both = gpuvm.merge %u#0, %queries : tensor<9xf32>, tensor<3xf32> -> tensor<12xf32>
    gpuvm.send %u#0, %u#1, %d#0, %d#1, %rows, %v, %place, %both
        : tensor<9xf32>, tensor<9xi32>, tensor<9xf32>, tensor<9xi32>, tensor<3x4xi32>, tensor<2xf32>, tensor<3xi32>, tensor<12xf32>
  }
  gpuvm.return %m#0, %m#1, %m#2, %m#3, %m#4, %m#5, %m#6, %m#7
      : !gpuvm.message<tensor<9xf32>>, !gpuvm.message<tensor<9xi32>>, !gpuvm.message<tensor<9xf32>>, !gpuvm.message<tensor<9xi32>>, !gpuvm.message<tensor<3x4xi32>>, !gpuvm.message<tensor<2xf32>>, !gpuvm.message<tensor<3xi32>>, !gpuvm.message<tensor<12xf32>>
}
