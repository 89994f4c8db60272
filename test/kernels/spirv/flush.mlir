// gpuvm.flush, written by hand, on the device and in the interpreter.

// RUN: gpuvm-interpret %s --input=x=4xf32=1e-40,-1e-40,2e-38,-3 | FileCheck %s
// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate --input=x=4xf32=1e-40,-1e-40,2e-38,-3 | FileCheck %s
// CHECK: y: 4xf32=0 -0 2e-38 -3
gpuvm.program @p(%x: tensor<4xf32>) -> (y: tensor<4xf32>) {
  %m = gpuvm.stage @s(%in = %x : tensor<4xf32>) -> tensor<4xf32> {
    %empty = tensor.empty() : tensor<4xf32>
    %r = linalg.map ins(%in : tensor<4xf32>) outs(%empty : tensor<4xf32>) (%v: f32, %out: f32) {
      %f = gpuvm.flush %v : f32
      linalg.yield %f : f32
    }
    gpuvm.send %r : tensor<4xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<4xf32>>
}
