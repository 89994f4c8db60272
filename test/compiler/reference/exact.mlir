// --exact: subnormal operands and results of arithmetic on floats are zeros of
// the same sign; what moves bits keeps them.

// RUN: gpuvm-interpret %s --program=f32 --input=a=4xf32=1e-40,-1e-20,2e-38,-1e-40 --input=b=4xf32=0,1e-20,-1.5e-38,1 | FileCheck %s --check-prefix=IEEE
// RUN: gpuvm-interpret %s --program=f32 --exact --input=a=4xf32=1e-40,-1e-20,2e-38,-1e-40 --input=b=4xf32=0,1e-20,-1.5e-38,1 | FileCheck %s --check-prefix=EXACT
// RUN: gpuvm-interpret %s --program=sum --input=x=100xf32=1e-40 | FileCheck %s --check-prefix=SUM
// RUN: gpuvm-interpret %s --program=sum --exact --input=x=100xf32=1e-40 | FileCheck %s --check-prefix=EXACTSUM
// RUN: gpuvm-interpret %s --program=f64 --exact --input=a=2xf64=1e-310,3e-308 | FileCheck %s --check-prefix=F64
// RUN: gpuvm-interpret %s --program=f16 --input=a=3xf16=-6e-5,6e-5,1 | FileCheck %s --check-prefix=F16
// RUN: gpuvm-interpret %s --program=f16 --exact --input=a=3xf16=-6e-5,6e-5,1 | FileCheck %s --check-prefix=EXACTF16

// IEEE: sum: 4xf32=1e-40 0 5e-39 1
// IEEE: difference: 4xf32=1e-40 -2e-20 3.5000002e-38 -1
// IEEE: product: 4xf32=0 -1e-40 -0 -1e-40
// EXACT: sum: 4xf32=0 0 0 1
// EXACT: difference: 4xf32=0 -2e-20 3.5000002e-38 -1
// EXACT: product: 4xf32=0 -0 -0 -0
gpuvm.program @f32(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (sum: tensor<4xf32>, difference: tensor<4xf32>, product: tensor<4xf32>) {
  %s = gpuvm.stage @add(%x = %a : tensor<4xf32>, %y = %b : tensor<4xf32>) -> tensor<4xf32> {
    %r = arith.addf %x, %y : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %d = gpuvm.stage @subtract(%x = %a : tensor<4xf32>, %y = %b : tensor<4xf32>) -> tensor<4xf32> {
    %r = arith.subf %x, %y : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %p = gpuvm.stage @multiply(%x = %a : tensor<4xf32>, %y = %b : tensor<4xf32>) -> tensor<4xf32> {
    %r = arith.mulf %x, %y : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  gpuvm.return %s, %d, %p : !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>
}

// SUM: result0: f32=9.999946e-39
// EXACTSUM: result0: f32=0
gpuvm.program @sum(%x: tensor<100xf32>) -> tensor<f32> {
  %m = gpuvm.stage @sum(%in = %x : tensor<100xf32>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %r = linalg.reduce { arith.addf } ins(%in : tensor<100xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<f32>>
}

// F64: result0: 2xf64=0 3e-308
gpuvm.program @f64(%a: tensor<2xf64>) -> tensor<2xf64> {
  %m = gpuvm.stage @largest(%x = %a : tensor<2xf64>) -> tensor<2xf64> {
    %r = arith.maximumf %x, %x : tensor<2xf64>
    gpuvm.send %r : tensor<2xf64>
  }
  gpuvm.return %m : !gpuvm.message<tensor<2xf64>>
}

// F16: wide: 3xf32=-6.0021877e-05 6.0021877e-05 1
// F16: negative: 3xf16=6.0021877e-05 -6.0021877e-05 -1
// F16: positive: 3xi1=0 1 1
// F16: kept: 3xf16=-6.0021877e-05 6.0021877e-05 1
// EXACTF16: wide: 3xf32=-0 0 1
// EXACTF16: negative: 3xf16=0 -0 -1
// EXACTF16: positive: 3xi1=0 0 1
// EXACTF16: kept: 3xf16=-6.0021877e-05 6.0021877e-05 1
gpuvm.program @f16(%a: tensor<3xf16>) -> (wide: tensor<3xf32>, negative: tensor<3xf16>, positive: tensor<3xi1>, kept: tensor<3xf16>) {
  %w = gpuvm.stage @widen(%x = %a : tensor<3xf16>) -> tensor<3xf32> {
    %r = arith.extf %x : tensor<3xf16> to tensor<3xf32>
    gpuvm.send %r : tensor<3xf32>
  }
  %n = gpuvm.stage @negate(%x = %a : tensor<3xf16>) -> tensor<3xf16> {
    %r = arith.negf %x : tensor<3xf16>
    gpuvm.send %r : tensor<3xf16>
  }
  %p = gpuvm.stage @compare(%x = %a : tensor<3xf16>) -> tensor<3xi1> {
    %zero = arith.constant dense<0.0> : tensor<3xf16>
    %r = arith.cmpf ogt, %x, %zero : tensor<3xf16>
    gpuvm.send %r : tensor<3xi1>
  }
  %k = gpuvm.stage @select(%x = %a : tensor<3xf16>) -> tensor<3xf16> {
    %yes = arith.constant dense<true> : tensor<3xi1>
    %r = arith.select %yes, %x, %x : tensor<3xi1>, tensor<3xf16>
    gpuvm.send %r : tensor<3xf16>
  }
  gpuvm.return %w, %n, %p, %k : !gpuvm.message<tensor<3xf32>>, !gpuvm.message<tensor<3xf16>>, !gpuvm.message<tensor<3xi1>>, !gpuvm.message<tensor<3xf16>>
}
