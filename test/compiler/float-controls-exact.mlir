// With --exact a kernel that computes in f32, or chooses by comparing, rounds to nearest even and keeps NaNs, infinities and
// signs of zero. No device without either runs it.

// RUN: gpuvm-compile %s --exact -o %t.gvplan
// RUN: gpuvm-plan show %t.gvplan | FileCheck %s
// RUN: gpuvm-run %t.gvplan --validate --input=x=4xf32=nan,5,-0,-inf | FileCheck %s --check-prefix=VALUES
// RUN: not gpuvm-run %t.gvplan --assume-features=-signed_zero_inf_nan_32 --input=x=4xf32=1 2>&1 | FileCheck %s --check-prefix=REFUSED

// CHECK: at_most_map {{ *}}local size
// CHECK-NEXT: needs round_to_even_32, signed_zero_inf_nan_32
// VALUES: limited: 4xf32={{-?}}nan 3 -0 -inf
// REFUSED: error: Kernel "at_most_map" needs the feature signed_zero_inf_nan_32, which the device is taken not to have.
gpuvm.program @p(%x: tensor<4xf32>) -> (limited: tensor<4xf32>) {
  %a = gpuvm.stage @at_most(%in = %x : tensor<4xf32>) -> tensor<4xf32> {
    %three = arith.constant dense<3.0> : tensor<4xf32>
    %above = arith.cmpf ogt, %in, %three : tensor<4xf32>
    %r = arith.select %above, %three, %in : tensor<4xi1>, tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  gpuvm.return %a : !gpuvm.message<tensor<4xf32>>
}
