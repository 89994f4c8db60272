// A chain holds what an inner reduction reads again and again, eight elements at
// a time: two layers of a small network.

// RUN: gpuvm-compile %s --chains=always --disable-fusion -o %t.gvplan
// RUN: gpuvm-plan show %t.gvplan | FileCheck %s --check-prefix=PLAN
// RUN: gpuvm-interpret %s --input=x=40x8xf32=0.5 --input=a=8x16xf32=0.25 --input=b=16xf32=2 --output=y=@%t.npy
// RUN: gpuvm-run %t.gvplan --validate --input=x=40x8xf32=0.5 --input=a=8x16xf32=0.25 --input=b=16xf32=2 --expected_output=y=@%t.npy --expected_f32_threshold=0 | FileCheck %s
// PLAN: _chain
// CHECK: [SUCCESS]

gpuvm.program @layers(%x: tensor<40x8xf32>, %a: tensor<8x16xf32>, %b: tensor<16xf32>) -> (y: tensor<40xf32>) {
  %r = gpuvm.stage @first(%v = %x : tensor<40x8xf32>, %w = %a : tensor<8x16xf32>) -> tensor<40x16xf32> {
    %zeros = arith.constant dense<0.0> : tensor<40x16xf32>
    %square = arith.mulf %v, %v : tensor<40x8xf32>
    %made = arith.addf %square, %v : tensor<40x8xf32>
    %h = linalg.matmul ins(%made, %w : tensor<40x8xf32>, tensor<8x16xf32>) outs(%zeros : tensor<40x16xf32>) -> tensor<40x16xf32>
    %r = arith.maximumf %h, %zeros : tensor<40x16xf32>
    gpuvm.send %r : tensor<40x16xf32>
  }
  %y = gpuvm.stage @second(%v = %r : !gpuvm.message<tensor<40x16xf32>>, %w = %b : tensor<16xf32>) -> tensor<40xf32> {
    %none = arith.constant dense<0.0> : tensor<40xf32>
    %s = linalg.matvec ins(%v, %w : tensor<40x16xf32>, tensor<16xf32>) outs(%none : tensor<40xf32>) -> tensor<40xf32>
    gpuvm.send %s : tensor<40xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<40xf32>>
}
