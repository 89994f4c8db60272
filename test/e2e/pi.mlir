// An estimate of pi: points in a square, of two streams, of which those in the
// circle are counted. They are drawn, tested and counted by one kernel, and the
// same points are drawn by every device.

// RUN: gpuvm-compile %s --statistics -o %t.gvplan 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: gpuvm-run %t.gvplan --validate --input=seed=2xi32=1,2 | FileCheck %s
// RUN: gpuvm-interpret %s --input=seed=2xi32=1,2 | FileCheck %s

// ONE: 1 gpuvm-form-kernels{{ +}}- Kernels formed
// CHECK: inside: i32=823707
gpuvm.program @pi(%seed: tensor<2xi32>) -> (inside: tensor<i32>) {
  %m = gpuvm.stage @count(%s = %seed : tensor<2xi32>) -> tensor<i32> {
    %first = arith.constant dense<0> : tensor<i32>
    %second = arith.constant dense<1> : tensor<i32>
    %x = gpuvm.random uniform seed(%s : tensor<2xi32>) stream(%first : tensor<i32>) -> tensor<1048576xf32>
    %y = gpuvm.random uniform seed(%s : tensor<2xi32>) stream(%second : tensor<i32>) -> tensor<1048576xf32>
    %xx = arith.mulf %x, %x : tensor<1048576xf32>
    %yy = arith.mulf %y, %y : tensor<1048576xf32>
    %square = arith.addf %xx, %yy : tensor<1048576xf32>
    %one = arith.constant dense<1.0> : tensor<1048576xf32>
    %in = arith.cmpf olt, %square, %one : tensor<1048576xf32>
    %each = arith.extui %in : tensor<1048576xi1> to tensor<1048576xi32>
    %zero = arith.constant dense<0> : tensor<i32>
    %sum = linalg.reduce { arith.addi } ins(%each : tensor<1048576xi32>) outs(%zero : tensor<i32>) dimensions = [0]
    gpuvm.send %sum : tensor<i32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<i32>>
}
