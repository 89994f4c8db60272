// Slices at offsets that the device computes: read where they lie, written where they lie if they are a small part; an
// offset is kept such that the slice lies inside. Elements between tensors go where they are used.

// DEFINE: %{compile} = gpuvm-compile %s -o %t.gvplan --program
// DEFINE: %{run} = gpuvm-run %t.gvplan --validate
// DEFINE: %{interpret} = gpuvm-interpret %s --program

// RUN: %{compile}=read
// RUN: %{run} --input=x=3x4xi32=1,2,3,4,5,6,7,8,9,10,11,12 --input=k=i32=1 | FileCheck %s --check-prefix=READ1
// RUN: %{run} --input=x=3x4xi32=1,2,3,4,5,6,7,8,9,10,11,12 --input=k=i32=7 | FileCheck %s --check-prefix=READ7
// RUN: %{run} --input=x=3x4xi32=1,2,3,4,5,6,7,8,9,10,11,12 --input=k=i32=-9 | FileCheck %s --check-prefix=BELOW
// RUN: %{interpret}=read --input=x=3x4xi32=1,2,3,4,5,6,7,8,9,10,11,12 --input=k=i32=1 | FileCheck %s --check-prefix=READ1
// RUN: %{interpret}=read --input=x=3x4xi32=1,2,3,4,5,6,7,8,9,10,11,12 --input=k=i32=7 | FileCheck %s --check-prefix=READ7
// RUN: %{interpret}=read --input=x=3x4xi32=1,2,3,4,5,6,7,8,9,10,11,12 --input=k=i32=-9 | FileCheck %s --check-prefix=BELOW
// READ1: row: 4xi32=5 6 7 8
// READ1: part: 2x2xi32=[6 8][10 12]
// READ7: row: 4xi32=9 10 11 12
// READ7: part: 2x2xi32=[6 8][10 12]
// BELOW: row: 4xi32=1 2 3 4
// BELOW: part: 2x2xi32=[1 3][5 7]
gpuvm.program @read(%x: tensor<3x4xi32>, %k: tensor<i32>) -> (row: tensor<4xi32>, part: tensor<2x2xi32>) {
  %row, %part = gpuvm.stage @s(%x = %x : tensor<3x4xi32>, %k = %k : tensor<i32>) -> (tensor<4xi32>, tensor<2x2xi32>) {
    %e = tensor.extract %k[] : tensor<i32>
    %i = arith.index_cast %e : i32 to index
    %row = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<3x4xi32> to tensor<4xi32>
    %part = tensor.extract_slice %x[%i, %i] [2, 2] [1, 2] : tensor<3x4xi32> to tensor<2x2xi32>
    gpuvm.send %row, %part : tensor<4xi32>, tensor<2x2xi32>
  }
  gpuvm.return %row, %part : !gpuvm.message<tensor<4xi32>>, !gpuvm.message<tensor<2x2xi32>>
}

// RUN: %{compile}=write
// RUN: %{run} --input=x=2xf32=8,9 --input=y=2x4xf32=0 --input=k=i64=1 | FileCheck %s --check-prefix=WRITE1
// RUN: %{run} --input=x=2xf32=8,9 --input=y=2x4xf32=0 --input=k=i64=5 | FileCheck %s --check-prefix=WRITE5
// RUN: %{interpret}=write --input=x=2xf32=8,9 --input=y=2x4xf32=0 --input=k=i64=1 | FileCheck %s --check-prefix=WRITE1
// RUN: %{interpret}=write --input=x=2xf32=8,9 --input=y=2x4xf32=0 --input=k=i64=5 | FileCheck %s --check-prefix=WRITE5
// WRITE1: near: 2x4xf32=[0 0 0 0][0 8 9 0]
// WRITE1: far: 2x4xf32=[0 8 0 9][0 0 0 0]
// WRITE1: one: 2x4xf32=[0 0 0 0][0 8.5 0 0]
// WRITE5: near: 2x4xf32=[0 0 0 0][0 0 8 9]
// WRITE5: far: 2x4xf32=[0 8 0 9][0 0 0 0]
// WRITE5: one: 2x4xf32=[0 0 0 0][0 8.5 0 0]
gpuvm.program @write(%x: tensor<2xf32>, %y: tensor<2x4xf32>, %k: tensor<i64>) -> (near: tensor<2x4xf32>, far: tensor<2x4xf32>, one: tensor<2x4xf32>) {
  %near, %far, %one = gpuvm.stage @s(%x = %x : tensor<2xf32>, %y = %y : tensor<2x4xf32>, %k = %k : tensor<i64>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
    %e = tensor.extract %k[] : tensor<i64>
    %i = arith.index_cast %e : i64 to index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %half = arith.constant 0.5 : f32
    %first = tensor.extract %x[%c0] : tensor<2xf32>
    %sum = arith.addf %first, %half : f32
    %near = tensor.insert_slice %x into %y[1, %i] [1, 2] [1, 1] : tensor<2xf32> into tensor<2x4xf32>
    %far = tensor.insert_slice %x into %y[0, %i] [1, 2] [1, 2] : tensor<2xf32> into tensor<2x4xf32>
    %one = tensor.insert %sum into %y[%c1, %c1] : tensor<2x4xf32>
    gpuvm.send %near, %far, %one : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
  }
  gpuvm.return %near, %far, %one : !gpuvm.message<tensor<2x4xf32>>, !gpuvm.message<tensor<2x4xf32>>, !gpuvm.message<tensor<2x4xf32>>
}

// A cache of keys and a table of embeddings: the row that a token needs is read, the row that it makes is written where
// the cache lies, and nothing of them is copied.
// RUN: %{compile}=cache --statistics 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: 1 gpuvm-update-in-place {{.*}} Symbols updated where they are
// RUN: %{run} --input=t=i32=2 --input=k=i32=300 | FileCheck %s --check-prefix=CACHE
// RUN: %{interpret}=cache --input=t=i32=2 --input=k=i32=300 | FileCheck %s --check-prefix=CACHE
// CACHE: key: 64xf32=0.5 0.5
// CACHE: sum: f32=32
gpuvm.program @cache(%t: tensor<i32>, %k: tensor<i32>) -> (key: tensor<64xf32>, sum: tensor<f32>) {
  gpuvm.global @keys : tensor<512x64xf32>
  gpuvm.global @table : tensor<4x64xf32> = dense<0.5> : tensor<4x64xf32>
  %key = gpuvm.stage @write(%t = %t : tensor<i32>, %k = %k : tensor<i32>) -> tensor<64xf32> {
    %table = gpuvm.load @table : tensor<4x64xf32>
    %keys = gpuvm.load @keys : tensor<512x64xf32>
    %te = tensor.extract %t[] : tensor<i32>
    %ke = tensor.extract %k[] : tensor<i32>
    %ti = arith.index_cast %te : i32 to index
    %ki = arith.index_cast %ke : i32 to index
    %row = tensor.extract_slice %table[%ti, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<64xf32>
    %all = tensor.insert_slice %row into %keys[%ki, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<512x64xf32>
    gpuvm.store %all, @keys : tensor<512x64xf32>
    gpuvm.send %row : tensor<64xf32>
  }
  %sum = gpuvm.stage @read(%key = %key : !gpuvm.message<tensor<64xf32>>) -> tensor<f32> {
    %keys = gpuvm.load @keys : tensor<512x64xf32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %sum = linalg.reduce { arith.addf } ins(%keys : tensor<512x64xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
    gpuvm.send %sum : tensor<f32>
  }
  gpuvm.return %key, %sum : !gpuvm.message<tensor<64xf32>>, !gpuvm.message<tensor<f32>>
}
