// With --exact numbers may be rounded to whole ones, and f64 may be added, subtracted and multiplied; the device is
// asked to round f64 to nearest even and to keep signs of zero.

// DEFINE: %{numbers} = --input=v=14xf32=0.5,-0.5,2.5,-1.4,8388607.5,-0,0,inf,-inf,nan,1e-40,-1e-40,-2.5,0.99999994 \
// DEFINE:              --input=w=8xf64=0.1,-0,1e-310,4503599627370495.5,1e200,1e308,-2.5,0.49999999999999994
// RUN: gpuvm-compile --exact %s -o %t.gvplan
// RUN: gpuvm-plan show %t.gvplan | FileCheck %s --check-prefix=NEEDS
// RUN: gpuvm-run %t.gvplan --validate %{numbers} > %t.out
// RUN: FileCheck %s < %t.out
// RUN: gpuvm-interpret --exact %s %{numbers} | diff - %t.out
// RUN: not gpuvm-run %t.gvplan --assume-features=-round_to_even_64 %{numbers} 2>&1 | FileCheck %s --check-prefix=REFUSED

// NEEDS: needs {{.*}}round_to_even_64, signed_zero_inf_nan_64
// REFUSED: needs the feature round_to_even_64, which the device is taken not to have.
// CHECK: floor: 14xf32=0 -1 2 -2 8388607 -0 0 inf -inf nan 0 -0 -3 0
// CHECK: ceil: 14xf32=1 -0 3 -1 8388608 -0 0 inf -inf nan 0 -0 -2 1
// CHECK: trunc: 14xf32=0 -0 2 -1 8388607 -0 0 inf -inf nan 0 -0 -2 0
// CHECK: round: 14xf32=1 -1 3 -1 8388608 -0 0 inf -inf nan 0 -0 -3 1
// CHECK: even: 14xf32=0 -0 2 -1 8388608 -0 0 inf -inf nan 0 -0 -2 1
// CHECK: wide: 8xf64=0 0 0 4503599627370496 1e+200 1e+308 -3 0
gpuvm.program @p(%v: tensor<14xf32>, %w: tensor<8xf64>) -> (floor: tensor<14xf32>, ceil: tensor<14xf32>, trunc: tensor<14xf32>, round: tensor<14xf32>, even: tensor<14xf32>, wide: tensor<8xf64>, sums: tensor<8xf64>) {
  %m:5 = gpuvm.stage @s(%x = %v : tensor<14xf32>) -> (tensor<14xf32>, tensor<14xf32>, tensor<14xf32>, tensor<14xf32>, tensor<14xf32>) {
    %a = math.floor %x : tensor<14xf32>
    %b = math.ceil %x : tensor<14xf32>
    %c = math.trunc %x : tensor<14xf32>
    %d = math.round %x : tensor<14xf32>
    %e = math.roundeven %x : tensor<14xf32>
    gpuvm.send %a, %b, %c, %d, %e : tensor<14xf32>, tensor<14xf32>, tensor<14xf32>, tensor<14xf32>, tensor<14xf32>
  }
  %n:2 = gpuvm.stage @t(%x = %w : tensor<8xf64>) -> (tensor<8xf64>, tensor<8xf64>) {
    %zero = arith.constant dense<0.0> : tensor<8xf64>
    %y = arith.subf %zero, %x : tensor<8xf64>
    %z = arith.subf %zero, %y : tensor<8xf64>
    %r = math.round %z : tensor<8xf64>
    %p = arith.mulf %x, %x : tensor<8xf64>
    %s = arith.addf %p, %x : tensor<8xf64>
    gpuvm.send %r, %s : tensor<8xf64>, tensor<8xf64>
  }
  gpuvm.return %m#0, %m#1, %m#2, %m#3, %m#4, %n#0, %n#1 : !gpuvm.message<tensor<14xf32>>, !gpuvm.message<tensor<14xf32>>, !gpuvm.message<tensor<14xf32>>, !gpuvm.message<tensor<14xf32>>, !gpuvm.message<tensor<14xf32>>, !gpuvm.message<tensor<8xf64>>, !gpuvm.message<tensor<8xf64>>
}
