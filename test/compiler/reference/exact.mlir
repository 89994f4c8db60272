// --exact: subnormal f32 operands and results of addition, subtraction and
// multiplication are zeros of the same sign; f64 and f16 keep theirs.

// RUN: gpuvm-interpret %s --program=f32 --input=a=4xf32=1e-40,-1e-20,2e-38,-1e-40 --input=b=4xf32=0,1e-20,-1.5e-38,1 | FileCheck %s --check-prefix=IEEE
// RUN: gpuvm-interpret %s --program=f32 --exact --input=a=4xf32=1e-40,-1e-20,2e-38,-1e-40 --input=b=4xf32=0,1e-20,-1.5e-38,1 | FileCheck %s --check-prefix=EXACT
// RUN: gpuvm-interpret %s --program=sum --input=x=100xf32=1e-40 | FileCheck %s --check-prefix=SUM
// RUN: gpuvm-interpret %s --program=sum --exact --input=x=100xf32=1e-40 | FileCheck %s --check-prefix=EXACTSUM
// RUN: gpuvm-interpret %s --program=f64 --exact --input=a=f64=1e-310 | FileCheck %s --check-prefix=F64

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

// F64: result0: f64=2e-310
gpuvm.program @f64(%a: tensor<f64>) -> tensor<f64> {
  %m = gpuvm.stage @double(%x = %a : tensor<f64>) -> tensor<f64> {
    %r = arith.addf %x, %x : tensor<f64>
    gpuvm.send %r : tensor<f64>
  }
  gpuvm.return %m : !gpuvm.message<tensor<f64>>
}
