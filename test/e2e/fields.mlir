// A message may have several fields; its metadata are those of the first, and R30 is the first.

// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate --input=x=4xf32=1,2,3,4 | FileCheck %s
// RUN: gpuvm-compile %s --keep-metadata --disable-fusion -o %t.apart.gvplan
// RUN: gpuvm-run %t.apart.gvplan --validate --input=x=4xf32=1,2,3,4 | FileCheck %s
// RUN: gpuvm-interpret %s --input=x=4xf32=1,2,3,4 | FileCheck %s

// CHECK: total: 4xf32=4 7 10 13
// CHECK: norm: f32=5.47722
gpuvm.program @fields(%x: tensor<4xf32>) -> (total: tensor<4xf32>, norm: tensor<f32>) {
  %m:2 = gpuvm.stage @split(%v = %x : tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %two = arith.constant dense<2.0> : tensor<4xf32>
    %one = arith.constant dense<1.0> : tensor<4xf32>
    %double = arith.mulf %v, %two : tensor<4xf32>
    %more = arith.addf %double, %one : tensor<4xf32>
    gpuvm.send %v, %more : tensor<4xf32>, tensor<4xf32>
  }
  %y = gpuvm.stage @join(%a = %m#0 : !gpuvm.message<tensor<4xf32>>, %b = %m#1 : !gpuvm.message<tensor<4xf32>>) -> tensor<4xf32> {
    %s = arith.addf %a, %b : tensor<4xf32>
    gpuvm.send %s : tensor<4xf32>
  }
  %n = gpuvm.stage @norm(%a = %m#0 : !gpuvm.message<tensor<4xf32>>) -> tensor<f32> {
    %norm = gpuvm.metadata norm of %a : tensor<4xf32> -> tensor<f32>
    gpuvm.send %norm : tensor<f32>
  }
  gpuvm.return %y, %n : !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<f32>>
}
