// Instances store rows at positions of their own, where their symbol is: eight caches of different lengths, each of which
// gets two rows while its mask says so. Positions before the first row and after the last one store nothing.

// RUN: rm -rf %t && mkdir %t
// RUN: gpuvm-compile %s -o %t/plan
// RUN: gpuvm-compile %s --fusion=never --chains=never -o %t/apart
// RUN: gpuvm-plan show %t/plan | FileCheck %s --check-prefix=PLAN
// RUN: %python -c "import struct, random; r = random.Random(1); open('%t/rows', 'wb').write(struct.pack('<1024f', *(r.random() for _ in range(1024))))"
// RUN: gpuvm-interpret %s --run=begin,extend,extend,extend --input=starts=8xi32=0,5,4095,4096,-1,100,-7,-2147483648 --input=extend.rows=8x2x64xf32=@%t/rows --input=extend.awake=8xi1=1,1,1,0,1,0,1,1 --output=caches=@%t/caches.npy --output=lengths=@%t/lengths.npy --output=extend.n=@%t/n.npy
// RUN: gpuvm-run %t/plan --validate --run=begin,extend,extend,extend --input=starts=8xi32=0,5,4095,4096,-1,100,-7,-2147483648 --input=extend.rows=8x2x64xf32=@%t/rows --input=extend.awake=8xi1=1,1,1,0,1,0,1,1 --expected_output=caches=@%t/caches.npy --expected_output=lengths=@%t/lengths.npy --expected_output=extend.n=@%t/n.npy --expected_f32_threshold=0 --output=lengths | FileCheck %s
// RUN: gpuvm-run %t/apart --validate --run=begin,extend,extend,extend --input=starts=8xi32=0,5,4095,4096,-1,100,-7,-2147483648 --input=extend.rows=8x2x64xf32=@%t/rows --input=extend.awake=8xi1=1,1,1,0,1,0,1,1 --expected_output=caches=@%t/caches.npy --expected_output=lengths=@%t/lengths.npy --expected_output=extend.n=@%t/n.npy --expected_f32_threshold=0 --output=lengths | FileCheck %s

// CHECK-DAG: [SUCCESS]
// CHECK-DAG: lengths: 8xi32=6 11 4101 4096 5 100 -1 -2147483642

// PLAN: commands of program extend
// PLAN-NOT: copy for
// PLAN: kernel add_scatter
// PLAN: writes globals[256..8388864)
// PLAN-NOT: copy for

gpuvm.global @caches : tensor<8x4096x64xf32>
gpuvm.global @lengths : tensor<8xi32>

gpuvm.program @begin(%starts: tensor<8xi32>) {
  gpuvm.stage @set(%s = %starts : tensor<8xi32>) {
    gpuvm.store %s, @lengths : tensor<8xi32>
  }
  gpuvm.return
}

gpuvm.program @extend(%rows: tensor<8x2x64xf32>, %awake: tensor<8xi1>) -> (n: tensor<8xi32>) {
  %c = gpuvm.stage @add instances(8) when(%awake : tensor<8xi1>) (%r = %rows : tensor<8x2x64xf32>) -> tensor<8xi32> {
    %n = gpuvm.load own @lengths : tensor<i32>
    gpuvm.store own %r, @caches[%n] : tensor<2x64xf32>
    %two = arith.constant dense<2> : tensor<i32>
    %m = arith.addi %n, %two : tensor<i32>
    gpuvm.store own %m, @lengths : tensor<i32>
    gpuvm.send %m : tensor<i32>
  }
  gpuvm.return %c : !gpuvm.message<tensor<8xi32>>
}
