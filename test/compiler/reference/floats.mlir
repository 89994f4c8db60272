// Float operations: rounding of f16, f32 and f64, NaN, infinities, the sign of zero.

// RUN: gpuvm-interpret %s --program=f16 --input=a=6xf16=2048,1,0.1,65504,0.00006103515625,1024 --input=b=6xf16=1,0.00048828125,0.2,65504,0.5,0.5 | FileCheck %s --check-prefix=F16
// RUN: gpuvm-interpret %s --program=f32 --input=a=6xf32=16777216,1,0.1,3e38,1e-38,-0 --input=b=6xf32=1,5.9604644775390625e-08,0.2,3e38,0.001,0 | FileCheck %s --check-prefix=F32
// RUN: gpuvm-interpret %s --program=f64 --input=a=4xf64=9007199254740992,0.1,1,-0 --input=b=4xf64=1,0.2,3,-0 | FileCheck %s --check-prefix=F64
// RUN: gpuvm-interpret %s --program=order --input=a=6xf32=nan,1,-0,0,inf,-2 --input=b=6xf32=1,nan,0,-0,-inf,3 | FileCheck %s --check-prefix=ORDER
// RUN: gpuvm-interpret %s --program=compare --input=a=5xf32=1,2,nan,-0,2 --input=b=5xf32=2,1,1,0,2 | FileCheck %s --check-prefix=COMPARE
// RUN: gpuvm-interpret %s --program=signs --input=a=4xf16=1.5,-0,-inf,65504 --input=b=4xf16=-1,1,2,-0 | FileCheck %s --check-prefix=SIGNS

// A half has 11 bits: 2049 is a tie and goes to even, 65504 + 65504 overflows,
// and the products are subnormal or exact.
// F16: sum: 6xf16=2048 1 0.2998047 inf 0.5 1024
// F16: product: 6xf16=2048 0.00048828125 0.019989014 inf 3.0517578e-05 512
// F16: quotient: 6xf16=2048 2048 0.5 1 0.00012207031 2048
gpuvm.program @f16(%a: tensor<6xf16>, %b: tensor<6xf16>) -> (sum: tensor<6xf16>, product: tensor<6xf16>, quotient: tensor<6xf16>) {
  %s = gpuvm.stage @add(%x = %a : tensor<6xf16>, %y = %b : tensor<6xf16>) -> tensor<6xf16> {
    %r = arith.addf %x, %y : tensor<6xf16>
    gpuvm.send %r : tensor<6xf16>
  }
  %p = gpuvm.stage @multiply(%x = %a : tensor<6xf16>, %y = %b : tensor<6xf16>) -> tensor<6xf16> {
    %r = arith.mulf %x, %y : tensor<6xf16>
    gpuvm.send %r : tensor<6xf16>
  }
  %q = gpuvm.stage @divide(%x = %a : tensor<6xf16>, %y = %b : tensor<6xf16>) -> tensor<6xf16> {
    %r = arith.divf %x, %y : tensor<6xf16>
    gpuvm.send %r : tensor<6xf16>
  }
  gpuvm.return %s, %p, %q : !gpuvm.message<tensor<6xf16>>, !gpuvm.message<tensor<6xf16>>, !gpuvm.message<tensor<6xf16>>
}

// 2^24 + 1 is a tie; 1 + 2^-24 too; 0.1f + 0.2f is 0.3 as f32 rounds it.
// F32: sum: 6xf32=16777216 1 0.3 inf 0.001 0
// F32: difference: 6xf32=16777215 0.99999994 -0.1 0 -0.001 -0
// F32: product: 6xf32=16777216 5.9604645e-08 0.020000001 inf 1e-41 -0
// F32: rest: 6xf32=0 0 0.1 0 1e-38 nan
gpuvm.program @f32(%a: tensor<6xf32>, %b: tensor<6xf32>) -> (sum: tensor<6xf32>, difference: tensor<6xf32>, product: tensor<6xf32>, rest: tensor<6xf32>) {
  %s = gpuvm.stage @add(%x = %a : tensor<6xf32>, %y = %b : tensor<6xf32>) -> tensor<6xf32> {
    %r = arith.addf %x, %y : tensor<6xf32>
    gpuvm.send %r : tensor<6xf32>
  }
  %d = gpuvm.stage @subtract(%x = %a : tensor<6xf32>, %y = %b : tensor<6xf32>) -> tensor<6xf32> {
    %r = arith.subf %x, %y : tensor<6xf32>
    gpuvm.send %r : tensor<6xf32>
  }
  %p = gpuvm.stage @multiply(%x = %a : tensor<6xf32>, %y = %b : tensor<6xf32>) -> tensor<6xf32> {
    %r = arith.mulf %x, %y : tensor<6xf32>
    gpuvm.send %r : tensor<6xf32>
  }
  %m = gpuvm.stage @rest(%x = %a : tensor<6xf32>, %y = %b : tensor<6xf32>) -> tensor<6xf32> {
    %r = arith.remf %x, %y : tensor<6xf32>
    gpuvm.send %r : tensor<6xf32>
  }
  gpuvm.return %s, %d, %p, %m : !gpuvm.message<tensor<6xf32>>, !gpuvm.message<tensor<6xf32>>, !gpuvm.message<tensor<6xf32>>, !gpuvm.message<tensor<6xf32>>
}

// F64: sum: 4xf64=9007199254740992 0.30000000000000004 4 -0
// F64: quotient: 4xf64=9007199254740992 0.5 0.3333333333333333 nan
gpuvm.program @f64(%a: tensor<4xf64>, %b: tensor<4xf64>) -> (sum: tensor<4xf64>, quotient: tensor<4xf64>) {
  %s = gpuvm.stage @add(%x = %a : tensor<4xf64>, %y = %b : tensor<4xf64>) -> tensor<4xf64> {
    %r = arith.addf %x, %y : tensor<4xf64>
    gpuvm.send %r : tensor<4xf64>
  }
  %q = gpuvm.stage @divide(%x = %a : tensor<4xf64>, %y = %b : tensor<4xf64>) -> tensor<4xf64> {
    %r = arith.divf %x, %y : tensor<4xf64>
    gpuvm.send %r : tensor<4xf64>
  }
  gpuvm.return %s, %q : !gpuvm.message<tensor<4xf64>>, !gpuvm.message<tensor<4xf64>>
}

// minimumf and maximumf propagate NaN, minnumf and maxnumf ignore it.
// ORDER: minimum: 6xf32=nan nan -0 -0 -inf -2
// ORDER: maximum: 6xf32=nan nan 0 0 inf 3
// ORDER: minnum: 6xf32=1 1 -0 -0 -inf -2
// ORDER: maxnum: 6xf32=1 1 0 0 inf 3
gpuvm.program @order(%a: tensor<6xf32>, %b: tensor<6xf32>) -> (minimum: tensor<6xf32>, maximum: tensor<6xf32>, minnum: tensor<6xf32>, maxnum: tensor<6xf32>) {
  %0 = gpuvm.stage @minimum(%x = %a : tensor<6xf32>, %y = %b : tensor<6xf32>) -> tensor<6xf32> {
    %r = arith.minimumf %x, %y : tensor<6xf32>
    gpuvm.send %r : tensor<6xf32>
  }
  %1 = gpuvm.stage @maximum(%x = %a : tensor<6xf32>, %y = %b : tensor<6xf32>) -> tensor<6xf32> {
    %r = arith.maximumf %x, %y : tensor<6xf32>
    gpuvm.send %r : tensor<6xf32>
  }
  %2 = gpuvm.stage @minnum(%x = %a : tensor<6xf32>, %y = %b : tensor<6xf32>) -> tensor<6xf32> {
    %r = arith.minnumf %x, %y : tensor<6xf32>
    gpuvm.send %r : tensor<6xf32>
  }
  %3 = gpuvm.stage @maxnum(%x = %a : tensor<6xf32>, %y = %b : tensor<6xf32>) -> tensor<6xf32> {
    %r = arith.maxnumf %x, %y : tensor<6xf32>
    gpuvm.send %r : tensor<6xf32>
  }
  gpuvm.return %0, %1, %2, %3 : !gpuvm.message<tensor<6xf32>>, !gpuvm.message<tensor<6xf32>>, !gpuvm.message<tensor<6xf32>>, !gpuvm.message<tensor<6xf32>>
}

// Every predicate is one bit of the number: false 0, oeq 1, ... uno 14.
// COMPARE: result0: 5xi32=14576 9932 32512 5546 5546
gpuvm.program @compare(%a: tensor<5xf32>, %b: tensor<5xf32>) -> tensor<5xi32> {
  %m = gpuvm.stage @all(%x = %a : tensor<5xf32>, %y = %b : tensor<5xf32>) -> tensor<5xi32> {
    %e = tensor.empty() : tensor<5xi32>
    %r = linalg.map ins(%x, %y : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xi32>) (%u: f32, %v: f32, %o: i32) {
      %p0 = arith.cmpf false, %u, %v : f32
      %p1 = arith.cmpf oeq, %u, %v : f32
      %p2 = arith.cmpf ogt, %u, %v : f32
      %p3 = arith.cmpf oge, %u, %v : f32
      %p4 = arith.cmpf olt, %u, %v : f32
      %p5 = arith.cmpf ole, %u, %v : f32
      %p6 = arith.cmpf one, %u, %v : f32
      %p7 = arith.cmpf ord, %u, %v : f32
      %p8 = arith.cmpf ueq, %u, %v : f32
      %p9 = arith.cmpf ugt, %u, %v : f32
      %p10 = arith.cmpf uge, %u, %v : f32
      %p11 = arith.cmpf ult, %u, %v : f32
      %p12 = arith.cmpf ule, %u, %v : f32
      %p13 = arith.cmpf une, %u, %v : f32
      %p14 = arith.cmpf uno, %u, %v : f32
      %w0 = arith.extui %p0 : i1 to i32
      %w1 = arith.extui %p1 : i1 to i32
      %w2 = arith.extui %p2 : i1 to i32
      %w3 = arith.extui %p3 : i1 to i32
      %w4 = arith.extui %p4 : i1 to i32
      %w5 = arith.extui %p5 : i1 to i32
      %w6 = arith.extui %p6 : i1 to i32
      %w7 = arith.extui %p7 : i1 to i32
      %w8 = arith.extui %p8 : i1 to i32
      %w9 = arith.extui %p9 : i1 to i32
      %w10 = arith.extui %p10 : i1 to i32
      %w11 = arith.extui %p11 : i1 to i32
      %w12 = arith.extui %p12 : i1 to i32
      %w13 = arith.extui %p13 : i1 to i32
      %w14 = arith.extui %p14 : i1 to i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %c3 = arith.constant 3 : i32
      %c4 = arith.constant 4 : i32
      %c5 = arith.constant 5 : i32
      %c6 = arith.constant 6 : i32
      %c7 = arith.constant 7 : i32
      %c8 = arith.constant 8 : i32
      %c9 = arith.constant 9 : i32
      %c10 = arith.constant 10 : i32
      %c11 = arith.constant 11 : i32
      %c12 = arith.constant 12 : i32
      %c13 = arith.constant 13 : i32
      %c14 = arith.constant 14 : i32
      %s1 = arith.shli %w1, %c1 : i32
      %s2 = arith.shli %w2, %c2 : i32
      %s3 = arith.shli %w3, %c3 : i32
      %s4 = arith.shli %w4, %c4 : i32
      %s5 = arith.shli %w5, %c5 : i32
      %s6 = arith.shli %w6, %c6 : i32
      %s7 = arith.shli %w7, %c7 : i32
      %s8 = arith.shli %w8, %c8 : i32
      %s9 = arith.shli %w9, %c9 : i32
      %s10 = arith.shli %w10, %c10 : i32
      %s11 = arith.shli %w11, %c11 : i32
      %s12 = arith.shli %w12, %c12 : i32
      %s13 = arith.shli %w13, %c13 : i32
      %s14 = arith.shli %w14, %c14 : i32
      %t1 = arith.ori %w0, %s1 : i32
      %t2 = arith.ori %t1, %s2 : i32
      %t3 = arith.ori %t2, %s3 : i32
      %t4 = arith.ori %t3, %s4 : i32
      %t5 = arith.ori %t4, %s5 : i32
      %t6 = arith.ori %t5, %s6 : i32
      %t7 = arith.ori %t6, %s7 : i32
      %t8 = arith.ori %t7, %s8 : i32
      %t9 = arith.ori %t8, %s9 : i32
      %t10 = arith.ori %t9, %s10 : i32
      %t11 = arith.ori %t10, %s11 : i32
      %t12 = arith.ori %t11, %s12 : i32
      %t13 = arith.ori %t12, %s13 : i32
      %t14 = arith.ori %t13, %s14 : i32
      linalg.yield %t14 : i32
    }
    gpuvm.send %r : tensor<5xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<5xi32>>
}

// SIGNS: negative: 4xf16=-1.5 0 inf -65504
// SIGNS: absolute: 4xf16=1.5 0 inf 65504
// SIGNS: copied: 4xf16=-1.5 0 inf -65504
gpuvm.program @signs(%a: tensor<4xf16>, %b: tensor<4xf16>) -> (negative: tensor<4xf16>, absolute: tensor<4xf16>, copied: tensor<4xf16>) {
  %0 = gpuvm.stage @negate(%x = %a : tensor<4xf16>) -> tensor<4xf16> {
    %r = arith.negf %x : tensor<4xf16>
    gpuvm.send %r : tensor<4xf16>
  }
  %1 = gpuvm.stage @absolute(%x = %a : tensor<4xf16>) -> tensor<4xf16> {
    %r = math.absf %x : tensor<4xf16>
    gpuvm.send %r : tensor<4xf16>
  }
  %2 = gpuvm.stage @copy(%x = %a : tensor<4xf16>, %y = %b : tensor<4xf16>) -> tensor<4xf16> {
    %r = math.copysign %x, %y : tensor<4xf16>
    gpuvm.send %r : tensor<4xf16>
  }
  gpuvm.return %0, %1, %2 : !gpuvm.message<tensor<4xf16>>, !gpuvm.message<tensor<4xf16>>, !gpuvm.message<tensor<4xf16>>
}
