// A remainder has the sign of what is divided, of the least number, too, which
// has no absolute value.

// DEFINE: %{numbers} = --input=a=6xi8=-128,-128,-128,127,-7,7 --input=b=6xi8=63,-3,-128,-128,-4,-4 \
// DEFINE:              --input=c=4xi32=-2147483648,-2147483648,2147483647,-1 --input=d=4xi32=63,-7,-2147483648,-2147483648 \
// DEFINE:              --input=e=3xi64=-9223372036854775808,-9223372036854775808,-9 --input=f=3xi64=10,-9223372036854775808,4
// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate %{numbers} | FileCheck %s
// RUN: gpuvm-interpret %s %{numbers} | FileCheck %s

// CHECK: x: 6xi8=-2 -2 0 127 -3 3
// CHECK: y: 4xi32=-2 -2 2147483647 -1
// CHECK: z: 3xi64=-8 0 -1
gpuvm.program @remainders(%a: tensor<6xi8>, %b: tensor<6xi8>, %c: tensor<4xi32>, %d: tensor<4xi32>, %e: tensor<3xi64>,
                          %f: tensor<3xi64>) -> (x: tensor<6xi8>, y: tensor<4xi32>, z: tensor<3xi64>) {
  %x = gpuvm.stage @x(%m = %a : tensor<6xi8>, %n = %b : tensor<6xi8>) -> tensor<6xi8> {
    %r = arith.remsi %m, %n : tensor<6xi8>
    gpuvm.send %r : tensor<6xi8>
  }
  %y = gpuvm.stage @y(%m = %c : tensor<4xi32>, %n = %d : tensor<4xi32>) -> tensor<4xi32> {
    %r = arith.remsi %m, %n : tensor<4xi32>
    gpuvm.send %r : tensor<4xi32>
  }
  %z = gpuvm.stage @z(%m = %e : tensor<3xi64>, %n = %f : tensor<3xi64>) -> tensor<3xi64> {
    %r = arith.remsi %m, %n : tensor<3xi64>
    gpuvm.send %r : tensor<3xi64>
  }
  gpuvm.return %x, %y, %z : !gpuvm.message<tensor<6xi8>>, !gpuvm.message<tensor<4xi32>>, !gpuvm.message<tensor<3xi64>>
}
