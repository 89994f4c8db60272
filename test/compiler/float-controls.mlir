// Drivers that can keep NaNs do where a kernel computes in f32, and are not asked to where it copies. A module
// that does not ask is as valid, and runs.
// Divisors of f32 are scaled into the range that every driver divides in; f16 is divided as f32.

// RUN: gpuvm-compile %s --fusion=stages --chains=never -o %t.gvplan
// RUN: gpuvm-plan show %t.gvplan | FileCheck %s
// RUN: gpuvm-plan disassemble %t.gvplan | FileCheck %s --check-prefix=CODE
// RUN: gpuvm-run %t.gvplan --validate --input=x=4xf32=nan,5,3e38,-inf --input=y=4xf32=2,2.5,3e38,3.4e38 --input=h=2xf16=1,-6e-5 | FileCheck %s --check-prefix=VALUES
// RUN: gpuvm-interpret %s --input=x=4xf32=nan,5,3e38,-inf --input=y=4xf32=2,2.5,3e38,3.4e38 --input=h=2xf16=1,-6e-5 | FileCheck %s --check-prefix=VALUES

// CHECK: at_most_map {{ *}}local size
// CHECK-NEXT: asks for signed_zero_inf_nan_32 where the device has it
// CHECK: quotient_map {{ *}}local size
// CHECK-NEXT: asks for signed_zero_inf_nan_32 where the device has it

// RUN: gpuvm-run %t.gvplan --validate --assume-features=-signed_zero_inf_nan_32 --input=x=4xf32=nan,5,3e38,-inf --input=y=4xf32=2,2.5,3e38,3.4e38 --input=h=2xf16=1,-6e-5 | FileCheck %s --check-prefix=VALUES

// CODE: kernel at_most
// CODE: OpExecutionMode {{.*}} SignedZeroInfNanPreserve 32
// CODE: kernel quotient
// CODE: OpFOrdGreaterThan
// CODE: OpSelect
// CODE: OpFMul
// CODE: OpFMul
// CODE: OpFDiv %float
// CODE: kernel half
// CODE: OpFDiv %float
// CODE: kernel moved
// CODE-NOT: SignedZeroInfNanPreserve

// VALUES: limited: 4xf32={{-?}}nan 3 3 -inf
// VALUES: quotients: 4xf32={{-?}}nan 2 1 -inf
// VALUES: halves: 2xf16=1 1
gpuvm.program @p(%x: tensor<4xf32>, %y: tensor<4xf32>, %h: tensor<2xf16>)
    -> (limited: tensor<4xf32>, quotients: tensor<4xf32>, halves: tensor<2xf16>, copies: tensor<4x1xf32>) {
  %a = gpuvm.stage @at_most(%in = %x : tensor<4xf32>) -> tensor<4xf32> {
    %three = arith.constant dense<3.0> : tensor<4xf32>
    %above = arith.cmpf ogt, %in, %three : tensor<4xf32>
    %r = arith.select %above, %three, %in : tensor<4xi1>, tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %b = gpuvm.stage @quotient(%in = %x : tensor<4xf32>, %by = %y : tensor<4xf32>) -> tensor<4xf32> {
    %r = arith.divf %in, %by : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %c = gpuvm.stage @half(%in = %h : tensor<2xf16>) -> tensor<2xf16> {
    %r = arith.divf %in, %in : tensor<2xf16>
    gpuvm.send %r : tensor<2xf16>
  }
  %d = gpuvm.stage @moved(%in = %x : tensor<4xf32>) -> tensor<4x1xf32> {
    %r = tensor.expand_shape %in [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
    gpuvm.send %r : tensor<4x1xf32>
  }
  gpuvm.return %a, %b, %c, %d : !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<2xf16>>, !gpuvm.message<tensor<4x1xf32>>
}
