// Numbers of 32 bits compared as numbers of 64 bits, also with constants.

// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --input=x='6xi32=-3 -1 0 4 5 2147483647' | FileCheck %s
// RUN: gpuvm-interpret %s --input=x='6xi32=-3 -1 0 4 5 2147483647' | FileCheck %s

// CHECK: a: 6xi1=0 0 0 1 1 1
// CHECK: b: 6xi1=1 1 1 1 0 0
// CHECK: c: 6xi1=1 1 0 0 0 0
gpuvm.program @compare(%x: tensor<6xi32>) -> (a: tensor<6xi1>, b: tensor<6xi1>, c: tensor<6xi1>) {
  %0 = gpuvm.stage @above(%in = %x : tensor<6xi32>) -> tensor<6xi1> {
    %wide = arith.extsi %in : tensor<6xi32> to tensor<6xi64>
    %zero = arith.constant dense<0> : tensor<6xi64>
    %r = arith.cmpi sgt, %wide, %zero : tensor<6xi64>
    gpuvm.send %r : tensor<6xi1>
  }
  %1 = gpuvm.stage @below(%in = %x : tensor<6xi32>) -> tensor<6xi1> {
    %wide = arith.extsi %in : tensor<6xi32> to tensor<6xi64>
    %five = arith.constant dense<5> : tensor<6xi64>
    %r = arith.cmpi slt, %wide, %five : tensor<6xi64>
    gpuvm.send %r : tensor<6xi1>
  }
  %2 = gpuvm.stage @large(%in = %x : tensor<6xi32>) -> tensor<6xi1> {
    %wide = arith.extsi %in : tensor<6xi32> to tensor<6xi64>
    %far = arith.constant dense<4294967295> : tensor<6xi64>
    %r = arith.cmpi ugt, %wide, %far : tensor<6xi64>
    gpuvm.send %r : tensor<6xi1>
  }
  gpuvm.return %0, %1, %2 : !gpuvm.message<tensor<6xi1>>, !gpuvm.message<tensor<6xi1>>, !gpuvm.message<tensor<6xi1>>
}
