// The functions of math: against values that are known, in f16, f32 and f64.

// RUN: gpuvm-interpret %s --program=f32 --input=x=4xf32=0,1,0.5,-0.5 | FileCheck %s --check-prefix=F32
// RUN: gpuvm-interpret %s --program=positive --input=x=4xf32=1,2,10,0.25 | FileCheck %s --check-prefix=POSITIVE
// RUN: gpuvm-interpret %s --program=round --input=x=6xf32=0.5,1.5,2.5,-0.5,-2.5,-1.7 | FileCheck %s --check-prefix=ROUND
// RUN: gpuvm-interpret %s --program=binary --input=x=4xf64=2,-2,0,1.5 --input=y=4xf64=10,3,-1,2 | FileCheck %s --check-prefix=BINARY
// RUN: gpuvm-interpret %s --program=half --input=x=3xf16=1,2,-1 | FileCheck %s --check-prefix=HALF
// RUN: gpuvm-interpret %s --program=fma --input=a=2xf32=1.00000011920929,3 --input=b=2xf32=0.99999988079071,4 --input=c=2xf32=-1,5 | FileCheck %s --check-prefix=FMA
// RUN: gpuvm-interpret %s --program=fma_half --input=a=2xf16=3,1.0009765625 --input=b=2xf16=0.33349609375,0.0009765625 --input=c=2xf16=0.00000005960464477539063,1 | FileCheck %s --check-prefix=FMAHALF
// RUN: gpuvm-interpret %s --program=classes --input=x=5xf16=1,0.00001,inf,nan,-0 | FileCheck %s --check-prefix=CLASSES
// RUN: gpuvm-interpret %s --program=powers --input=b=5xi8=2,-1,3,-1,1 --input=e=5xi8=7,-3,5,-4,-9 | FileCheck %s --check-prefix=POWERS

// F32: sin: 4xf32=0 0.84147096 0.47942555 -0.47942555
// F32: cos: 4xf32=1 0.5403023 0.87758255 0.87758255
// F32: tan: 4xf32=0 1.5574077 0.5463025 -0.5463025
// F32: asin: 4xf32=0 1.5707964 0.5235988 -0.5235988
// F32: acos: 4xf32=1.5707964 0 1.0471976 2.0943952
// F32: atan: 4xf32=0 0.7853982 0.4636476 -0.4636476
// F32: sinh: 4xf32=0 1.1752012 0.5210953 -0.5210953
// F32: cosh: 4xf32=1 1.5430807 1.127626 1.127626
// F32: tanh: 4xf32=0 0.7615942 0.46211717 -0.46211717
// F32: asinh: 4xf32=0 0.8813736 0.4812118 -0.4812118
// F32: atanh: 4xf32=0 inf 0.54930615 -0.54930615
// F32: exp: 4xf32=1 2.7182817 1.6487212 0.60653067
// F32: exp2: 4xf32=1 2 1.4142135 0.70710677
// F32: expm1: 4xf32=0 1.7182819 0.6487213 -0.39346933
// F32: erf: 4xf32=0 0.8427008 0.5204999 -0.5204999
// F32: erfc: 4xf32=1 0.1572992 0.47950011 1.5204998
// F32: log1p: 4xf32=0 0.6931472 0.4054651 -0.6931472
gpuvm.program @f32(%x: tensor<4xf32>) -> (sin: tensor<4xf32>, cos: tensor<4xf32>, tan: tensor<4xf32>, asin: tensor<4xf32>,
    acos: tensor<4xf32>, atan: tensor<4xf32>, sinh: tensor<4xf32>, cosh: tensor<4xf32>, tanh: tensor<4xf32>, asinh: tensor<4xf32>,
    atanh: tensor<4xf32>, exp: tensor<4xf32>, exp2: tensor<4xf32>, expm1: tensor<4xf32>, erf: tensor<4xf32>, erfc: tensor<4xf32>,
    log1p: tensor<4xf32>) {
  %sin = gpuvm.stage @sin(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r, %other = math.sincos %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %cos = gpuvm.stage @cos(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.cos %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %tan = gpuvm.stage @tan(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.tan %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %asin = gpuvm.stage @asin(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.asin %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %acos = gpuvm.stage @acos(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.acos %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %atan = gpuvm.stage @atan(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.atan %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %sinh = gpuvm.stage @sinh(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.sinh %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %cosh = gpuvm.stage @cosh(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.cosh %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %tanh = gpuvm.stage @tanh(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.tanh %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %asinh = gpuvm.stage @asinh(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.asinh %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %atanh = gpuvm.stage @atanh(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.atanh %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %exp = gpuvm.stage @exp(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.exp %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %exp2 = gpuvm.stage @exp2(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.exp2 %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %expm1 = gpuvm.stage @expm1(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.expm1 %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %erf = gpuvm.stage @erf(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.erf %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %erfc = gpuvm.stage @erfc(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.erfc %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %log1p = gpuvm.stage @log1p(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.log1p %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  gpuvm.return %sin, %cos, %tan, %asin, %acos, %atan, %sinh, %cosh, %tanh, %asinh, %atanh, %exp, %exp2, %expm1, %erf, %erfc, %log1p :
      !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>,
      !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>,
      !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>,
      !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>,
      !gpuvm.message<tensor<4xf32>>
}

// POSITIVE: log: 4xf32=0 0.6931472 2.3025851 -1.3862944
// POSITIVE: log2: 4xf32=0 1 3.321928 -2
// POSITIVE: log10: 4xf32=0 0.30103 1 -0.60206
// POSITIVE: sqrt: 4xf32=1 1.4142135 3.1622777 0.5
// POSITIVE: rsqrt: 4xf32=1 0.70710677 0.31622776 2
// POSITIVE: cbrt: 4xf32=1 1.2599211 2.1544347 0.62996054
// POSITIVE: acosh: 4xf32=0 1.316958 2.993223 nan
gpuvm.program @positive(%x: tensor<4xf32>) -> (log: tensor<4xf32>, log2: tensor<4xf32>, log10: tensor<4xf32>, sqrt: tensor<4xf32>,
    rsqrt: tensor<4xf32>, cbrt: tensor<4xf32>, acosh: tensor<4xf32>) {
  %log = gpuvm.stage @log(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.log %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %log2 = gpuvm.stage @log2(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.log2 %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %log10 = gpuvm.stage @log10(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.log10 %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %sqrt = gpuvm.stage @sqrt(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.sqrt %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %rsqrt = gpuvm.stage @rsqrt(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.rsqrt %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %cbrt = gpuvm.stage @cbrt(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.cbrt %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %acosh = gpuvm.stage @acosh(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = math.acosh %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  gpuvm.return %log, %log2, %log10, %sqrt, %rsqrt, %cbrt, %acosh :
      !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>,
      !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>
}

// ROUND: away: 6xf32=1 2 3 -1 -3 -2
// ROUND: even: 6xf32=0 2 2 -0 -2 -2
// ROUND: down: 6xf32=0 1 2 -1 -3 -2
// ROUND: up: 6xf32=1 2 3 -0 -2 -1
// ROUND: zero: 6xf32=0 1 2 -0 -2 -1
// ROUND: clamped: 6xf32=0.5 1 1 -0.5 -1 -1
gpuvm.program @round(%x: tensor<6xf32>) -> (away: tensor<6xf32>, even: tensor<6xf32>, down: tensor<6xf32>, up: tensor<6xf32>, zero: tensor<6xf32>, clamped: tensor<6xf32>) {
  %a = gpuvm.stage @away(%v = %x : tensor<6xf32>) -> tensor<6xf32> {
    %r = math.round %v : tensor<6xf32>
    gpuvm.send %r : tensor<6xf32>
  }
  %e = gpuvm.stage @even(%v = %x : tensor<6xf32>) -> tensor<6xf32> {
    %r = math.roundeven %v : tensor<6xf32>
    gpuvm.send %r : tensor<6xf32>
  }
  %d = gpuvm.stage @down(%v = %x : tensor<6xf32>) -> tensor<6xf32> {
    %r = math.floor %v : tensor<6xf32>
    gpuvm.send %r : tensor<6xf32>
  }
  %u = gpuvm.stage @up(%v = %x : tensor<6xf32>) -> tensor<6xf32> {
    %r = math.ceil %v : tensor<6xf32>
    gpuvm.send %r : tensor<6xf32>
  }
  %z = gpuvm.stage @zero(%v = %x : tensor<6xf32>) -> tensor<6xf32> {
    %r = math.trunc %v : tensor<6xf32>
    gpuvm.send %r : tensor<6xf32>
  }
  %c = gpuvm.stage @clamp(%v = %x : tensor<6xf32>) -> tensor<6xf32> {
    %low = arith.constant dense<-1.0> : tensor<6xf32>
    %high = arith.constant dense<1.0> : tensor<6xf32>
    %r = math.clampf %v to [%low, %high] : tensor<6xf32>
    gpuvm.send %r : tensor<6xf32>
  }
  gpuvm.return %a, %e, %d, %u, %z, %c : !gpuvm.message<tensor<6xf32>>, !gpuvm.message<tensor<6xf32>>, !gpuvm.message<tensor<6xf32>>, !gpuvm.message<tensor<6xf32>>, !gpuvm.message<tensor<6xf32>>, !gpuvm.message<tensor<6xf32>>
}

// BINARY: power: 4xf64=1024 -8 inf 2.25
// BINARY: angle: 4xf64=0.19739555984988075 -0.5880026035475675 3.141592653589793 0.6435011087932844
gpuvm.program @binary(%x: tensor<4xf64>, %y: tensor<4xf64>) -> (power: tensor<4xf64>, angle: tensor<4xf64>) {
  %p = gpuvm.stage @power(%u = %x : tensor<4xf64>, %v = %y : tensor<4xf64>) -> tensor<4xf64> {
    %r = math.powf %u, %v : tensor<4xf64>
    gpuvm.send %r : tensor<4xf64>
  }
  %a = gpuvm.stage @angle(%u = %x : tensor<4xf64>, %v = %y : tensor<4xf64>) -> tensor<4xf64> {
    %r = math.atan2 %u, %v : tensor<4xf64>
    gpuvm.send %r : tensor<4xf64>
  }
  gpuvm.return %p, %a : !gpuvm.message<tensor<4xf64>>, !gpuvm.message<tensor<4xf64>>
}

// HALF: exp: 3xf16=2.71875 7.390625 0.36791992
// HALF: squared: 3xf16=1 4 1
gpuvm.program @half(%x: tensor<3xf16>) -> (exp: tensor<3xf16>, squared: tensor<3xf16>) {
  %e = gpuvm.stage @exp(%v = %x : tensor<3xf16>) -> tensor<3xf16> {
    %r = math.exp %v : tensor<3xf16>
    gpuvm.send %r : tensor<3xf16>
  }
  %s = gpuvm.stage @square(%v = %x : tensor<3xf16>) -> tensor<3xf16> {
    %two = arith.constant dense<2> : tensor<3xi32>
    %r = math.fpowi %v, %two : tensor<3xf16>, tensor<3xi32>
    gpuvm.send %r : tensor<3xf16>
  }
  gpuvm.return %e, %s : !gpuvm.message<tensor<3xf16>>, !gpuvm.message<tensor<3xf16>>
}

// (1 + 2^-23)(1 - 2^-23) - 1 is -2^-46 if it is rounded once, 0 if the product
// is rounded by itself.
// FMA: fused: 2xf32=-1.4210855e-14 17
// FMA: separate: 2xf32=0 17
gpuvm.program @fma(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>) -> (fused: tensor<2xf32>, separate: tensor<2xf32>) {
  %f = gpuvm.stage @fused(%x = %a : tensor<2xf32>, %y = %b : tensor<2xf32>, %z = %c : tensor<2xf32>) -> tensor<2xf32> {
    %r = math.fma %x, %y, %z : tensor<2xf32>
    gpuvm.send %r : tensor<2xf32>
  }
  %s = gpuvm.stage @separate(%x = %a : tensor<2xf32>, %y = %b : tensor<2xf32>, %z = %c : tensor<2xf32>) -> tensor<2xf32> {
    %p = arith.mulf %x, %y : tensor<2xf32>
    %r = arith.addf %p, %z : tensor<2xf32>
    gpuvm.send %r : tensor<2xf32>
  }
  gpuvm.return %f, %s : !gpuvm.message<tensor<2xf32>>, !gpuvm.message<tensor<2xf32>>
}

// 3 * 683/2048 = 1 + 2^-11 is a tie between halves, which the smallest half
// decides; an f16 product would have lost it. 1 + 2^-10 + 2^-20 is no tie.
// FMAHALF: result0: 2xf16=1.0009766 1.0009766
gpuvm.program @fma_half(%a: tensor<2xf16>, %b: tensor<2xf16>, %c: tensor<2xf16>) -> tensor<2xf16> {
  %f = gpuvm.stage @fused(%x = %a : tensor<2xf16>, %y = %b : tensor<2xf16>, %z = %c : tensor<2xf16>) -> tensor<2xf16> {
    %r = math.fma %x, %y, %z : tensor<2xf16>
    gpuvm.send %r : tensor<2xf16>
  }
  gpuvm.return %f : !gpuvm.message<tensor<2xf16>>
}

// 1e-5 is subnormal as a half.
// CLASSES: finite: 5xi1=1 1 0 0 1
// CLASSES: infinite: 5xi1=0 0 1 0 0
// CLASSES: nan: 5xi1=0 0 0 1 0
// CLASSES: normal: 5xi1=1 0 0 0 0
gpuvm.program @classes(%x: tensor<5xf16>) -> (finite: tensor<5xi1>, infinite: tensor<5xi1>, nan: tensor<5xi1>, normal: tensor<5xi1>) {
  %f = gpuvm.stage @finite(%v = %x : tensor<5xf16>) -> tensor<5xi1> {
    %r = math.isfinite %v : tensor<5xf16>
    gpuvm.send %r : tensor<5xi1>
  }
  %i = gpuvm.stage @infinite(%v = %x : tensor<5xf16>) -> tensor<5xi1> {
    %r = math.isinf %v : tensor<5xf16>
    gpuvm.send %r : tensor<5xi1>
  }
  %n = gpuvm.stage @nan(%v = %x : tensor<5xf16>) -> tensor<5xi1> {
    %r = math.isnan %v : tensor<5xf16>
    gpuvm.send %r : tensor<5xi1>
  }
  %o = gpuvm.stage @normal(%v = %x : tensor<5xf16>) -> tensor<5xi1> {
    %r = math.isnormal %v : tensor<5xf16>
    gpuvm.send %r : tensor<5xi1>
  }
  gpuvm.return %f, %i, %n, %o : !gpuvm.message<tensor<5xi1>>, !gpuvm.message<tensor<5xi1>>, !gpuvm.message<tensor<5xi1>>, !gpuvm.message<tensor<5xi1>>
}

// POWERS: result0: 5xi8=-128 -1 -13 1 1
gpuvm.program @powers(%b: tensor<5xi8>, %e: tensor<5xi8>) -> tensor<5xi8> {
  %m = gpuvm.stage @power(%x = %b : tensor<5xi8>, %y = %e : tensor<5xi8>) -> tensor<5xi8> {
    %r = math.ipowi %x, %y : tensor<5xi8>
    gpuvm.send %r : tensor<5xi8>
  }
  gpuvm.return %m : !gpuvm.message<tensor<5xi8>>
}
