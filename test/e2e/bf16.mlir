// bf16: each operation is rounded once, to nearest even, on the interpreter and on the device; numbers worked out by
// hand. A rounding by way of f32 or f64 would give another result in every case but the first.

// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-interpret %s --input=x=4xbf16=1,1.0078125,1e38,-3 --input=d=4xf64=1.00390625,1.000000000001e0,1.003906250001,-1.003906250001 --input=l=2xi64=4629700416936869889,-4629700416936869889 --input=i=2xi32=1077936129,-1077936129 --expected_f16_threshold=0 --expected_output=sum=4xbf16=1,1.015625,1e38,-3 --expected_output=narrow=4xbf16=1,1,1.0078125,-1.0078125 --expected_output=long=2xbf16=4647714815446351872,-4647714815446351872 --expected_output=int=2xbf16=1082130432,-1082130432 --expected_output=back=4xi32=1,1,2147483647,-3 | FileCheck %s
// RUN: gpuvm-run %t.gvplan --input=x=4xbf16=1,1.0078125,1e38,-3 --input=d=4xf64=1.00390625,1.000000000001e0,1.003906250001,-1.003906250001 --input=l=2xi64=4629700416936869889,-4629700416936869889 --input=i=2xi32=1077936129,-1077936129 --expected_f16_threshold=0 --expected_output=sum=4xbf16=1,1.015625,1e38,-3 --expected_output=narrow=4xbf16=1,1,1.0078125,-1.0078125 --expected_output=long=2xbf16=4647714815446351872,-4647714815446351872 --expected_output=int=2xbf16=1082130432,-1082130432 --expected_output=back=4xi32=1,1,2147483647,-3 | FileCheck %s
// CHECK: [SUCCESS]

gpuvm.program @bf16(%x: tensor<4xbf16>, %d: tensor<4xf64>, %l: tensor<2xi64>, %i: tensor<2xi32>)
    -> (sum: tensor<4xbf16>, narrow: tensor<4xbf16>, long: tensor<2xbf16>, int: tensor<2xbf16>, back: tensor<4xi32>) {
  %0 = gpuvm.stage @sum(%v = %x : tensor<4xbf16>) -> tensor<4xbf16> {
    %c = arith.constant dense<0.00390625> : tensor<4xbf16>
    %r = arith.addf %v, %c : tensor<4xbf16>
    gpuvm.send %r : tensor<4xbf16>
  }
  %1 = gpuvm.stage @narrow(%v = %d : tensor<4xf64>) -> tensor<4xbf16> {
    %r = arith.truncf %v : tensor<4xf64> to tensor<4xbf16>
    gpuvm.send %r : tensor<4xbf16>
  }
  %2 = gpuvm.stage @long(%v = %l : tensor<2xi64>) -> tensor<2xbf16> {
    %r = arith.sitofp %v : tensor<2xi64> to tensor<2xbf16>
    gpuvm.send %r : tensor<2xbf16>
  }
  %3 = gpuvm.stage @int(%v = %i : tensor<2xi32>) -> tensor<2xbf16> {
    %r = arith.sitofp %v : tensor<2xi32> to tensor<2xbf16>
    gpuvm.send %r : tensor<2xbf16>
  }
  %4 = gpuvm.stage @back(%v = %x : tensor<4xbf16>) -> tensor<4xi32> {
    %r = arith.fptosi %v : tensor<4xbf16> to tensor<4xi32>
    gpuvm.send %r : tensor<4xi32>
  }
  gpuvm.return %0, %1, %2, %3, %4 : !gpuvm.message<tensor<4xbf16>>, !gpuvm.message<tensor<4xbf16>>, !gpuvm.message<tensor<2xbf16>>, !gpuvm.message<tensor<2xbf16>>, !gpuvm.message<tensor<4xi32>>
}
