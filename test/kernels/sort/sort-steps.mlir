// The steps of a sort, one dispatch each: gpuvm.sort_runs, gpuvm.merge_runs, gpuvm.count_digits, gpuvm.scatter_digits.

// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate --input=x=10xi16=300,2,-1,2,256,7,7,0,-300,1 | FileCheck %s
// RUN: gpuvm-interpret %s --input=x=10xi16=300,2,-1,2,256,7,7,0,-300,1 | FileCheck %s

// CHECK: runs: 10xi16=-1 2 2 300 0 7 7 256 -300 1
// CHECK-NEXT: kept: 6xi16=300 2 256 7 1 -300
// CHECK-NEXT: merged: 10xi16=-300 -1 0 1 2 2 7 7 256 300
// CHECK-NEXT: pass: 10xi16=256 0 1 2 2 7 7 300 -300 -1
// CHECK-NEXT: first: i32=0
// CHECK-NEXT: last: i32=9
gpuvm.program @steps(%x: tensor<10xi16>)
    -> (runs: tensor<10xi16>, kept: tensor<6xi16>, merged: tensor<10xi16>, pass: tensor<10xi16>, first: tensor<i32>, last: tensor<i32>) {
  %m:6 = gpuvm.stage @s(%k = %x : tensor<10xi16>)
      -> (tensor<10xi16>, tensor<6xi16>, tensor<10xi16>, tensor<10xi16>, tensor<i32>, tensor<i32>) {
    %runs = gpuvm.sort_runs %k run 4 : tensor<10xi16> -> tensor<10xi16>
    %kept = gpuvm.sort_runs %k run 4 keep 2 descending : tensor<10xi16> -> tensor<6xi16>
    %merged = gpuvm.merge_runs %runs run 4 : tensor<10xi16> -> tensor<10xi16>
    %digit = arith.constant dense<0> : tensor<i32>
    %o = gpuvm.count_digits %k, %digit chunk 256 : tensor<10xi16>, tensor<i32> -> tensor<8x256xi32>
    %pass = gpuvm.scatter_digits %k, %o, %digit chunk 256 : tensor<10xi16>, tensor<8x256xi32>, tensor<i32> -> tensor<10xi16>
    %first = tensor.extract_slice %o[0, 0] [1, 1] [1, 1] : tensor<8x256xi32> to tensor<i32>
    %last = tensor.extract_slice %o[0, 255] [1, 1] [1, 1] : tensor<8x256xi32> to tensor<i32>
    gpuvm.send %runs, %kept, %merged, %pass, %first, %last
        : tensor<10xi16>, tensor<6xi16>, tensor<10xi16>, tensor<10xi16>, tensor<i32>, tensor<i32>
  }
  gpuvm.return %m#0, %m#1, %m#2, %m#3, %m#4, %m#5
      : !gpuvm.message<tensor<10xi16>>, !gpuvm.message<tensor<6xi16>>, !gpuvm.message<tensor<10xi16>>, !gpuvm.message<tensor<10xi16>>, !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<i32>>
}
