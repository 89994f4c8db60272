// Inside of a stage a tensor may have no elements: what NumPy computes of an array without rows is computed.

// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate --input=x=3x4xf32=1,2,3,4,5,6,7,8,9,10,11,12 > %t.out
// RUN: FileCheck %s < %t.out
// RUN: gpuvm-interpret %s --input=x=3x4xf32=1,2,3,4,5,6,7,8,9,10,11,12 | diff - %t.out
// RUN: gpuvm-compile --exact %s -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate --input=x=3x4xf32=1,2,3,4,5,6,7,8,9,10,11,12 | diff - %t.out

// CHECK: sum: 4xf32=5 5 5 5
// CHECK: joined: 4x4xf32=[1 2 3 4][5 6 7 8][9 10 11 12][1 2 3 4]
// CHECK: padded: 2x4xf32=[7 7 7 7][7 7 7 7]
// CHECK: product: 4x4xf32=[2 2 2 2][2 2 2 2][2 2 2 2][2 2 2 2]
// CHECK: inserted: 3x4xf32=[1 2 3 4][5 6 7 8][9 10 11 12]
// CHECK: total: f32=9
gpuvm.program @p(%x: tensor<3x4xf32>) -> (sum: tensor<4xf32>, joined: tensor<4x4xf32>, padded: tensor<2x4xf32>, product: tensor<4x4xf32>, inserted: tensor<3x4xf32>, total: tensor<f32>) {
  %m:6 = gpuvm.stage @s(%x = %x : tensor<3x4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>, tensor<3x4xf32>, tensor<f32>) {
    %slice = tensor.extract_slice %x[1, 0] [0, 4] [1, 1] : tensor<3x4xf32> to tensor<0x4xf32>
    %e = arith.addf %slice, %slice : tensor<0x4xf32>
    %five = arith.constant dense<5.0> : tensor<4xf32>
    %sum = linalg.reduce { arith.addf } ins(%e : tensor<0x4xf32>) outs(%five : tensor<4xf32>) dimensions = [0]

    %twice = tensor.concat dim(0) %e, %slice : (tensor<0x4xf32>, tensor<0x4xf32>) -> tensor<0x4xf32>
    %first = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<1x4xf32>
    %joined = tensor.concat dim(0) %twice, %x, %e, %first : (tensor<0x4xf32>, tensor<3x4xf32>, tensor<0x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>

    %seven = arith.constant 7.0 : f32
    %padded = tensor.pad %e low[1, 0] high[1, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %seven : f32
    } : tensor<0x4xf32> to tensor<2x4xf32>

    %columns = tensor.empty() : tensor<4x0xf32>
    %t = linalg.transpose ins(%e : tensor<0x4xf32>) outs(%columns : tensor<4x0xf32>) permutation = [1, 0]
    %two = arith.constant dense<2.0> : tensor<4x4xf32>
    %product = linalg.matmul ins(%t, %e : tensor<4x0xf32>, tensor<0x4xf32>) outs(%two : tensor<4x4xf32>) -> tensor<4x4xf32>

    %inserted = tensor.insert_slice %e into %x[1, 0] [0, 4] [1, 1] : tensor<0x4xf32> into tensor<3x4xf32>

    %zero = arith.constant dense<0.0> : tensor<0xf32>
    %each = linalg.reduce { arith.addf } ins(%e : tensor<0x4xf32>) outs(%zero : tensor<0xf32>) dimensions = [1]
    %nine = arith.constant dense<9.0> : tensor<f32>
    %total = linalg.reduce { arith.addf } ins(%each : tensor<0xf32>) outs(%nine : tensor<f32>) dimensions = [0]
    gpuvm.send %sum, %joined, %padded, %product, %inserted, %total : tensor<4xf32>, tensor<4x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>, tensor<3x4xf32>, tensor<f32>
  }
  gpuvm.return %m#0, %m#1, %m#2, %m#3, %m#4, %m#5 : !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4x4xf32>>, !gpuvm.message<tensor<2x4xf32>>, !gpuvm.message<tensor<4x4xf32>>, !gpuvm.message<tensor<3x4xf32>>, !gpuvm.message<tensor<f32>>
}
