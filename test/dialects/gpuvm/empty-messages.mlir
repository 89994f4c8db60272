// Inputs, outputs and messages may have no elements, through repeats, too. An
// output may be a constant.

// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate --input=cache=0x4xf32= --input=x=2x4xf32=1,2,3,4,5,6,7,8 > %t.out
// RUN: FileCheck %s < %t.out
// RUN: gpuvm-interpret %s --input=cache=0x4xf32= --input=x=2x4xf32=1,2,3,4,5,6,7,8 | diff - %t.out

// Through files, and bound to one as it is.
// RUN: gpuvm-run %t.gvplan --input=cache=0x4xf32= --input=x=2x4xf32=1 --output=kept=@%t.npy
// RUN: gpuvm-run %t.gvplan --input=cache=@%t.npy --input=x=2x4xf32=1 --expected_output=kept=@%t.npy --expected_output=columns=2x0xi32= | FileCheck %s --check-prefix=SAME
// SAME: [SUCCESS]

// RUN: not gpuvm-run %t.gvplan --input=cache=1x4xf32=1 --input=x=2x4xf32=1 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: Input "cache" has the wrong shape: 1x4xf32 is given, but the program takes 0x4xf32.

// Nothing that a device runs knows of them.
// RUN: gpuvm-opt %s --gpuvm-link | FileCheck %s --check-prefix=LINKED
// LINKED: gpuvm.program @p(%cache: tensor<0x4xf32>
// LINKED: stage @first(%{{.*}} = %x : tensor<2x4xf32>) -> tensor<2x4xf32> {
// LINKED: repeat @thrice up_to 3 (%{{.*}} = %{{.*}} : !gpuvm.message<tensor<2x4xf32>>) {
// LINKED-NOT: !gpuvm.message<tensor<0x4
// LINKED: return %cache,

// CHECK: same: 0x4xf32={{$}}
// CHECK: joined: 2x4xf32=[2 4 6 8][10 12 14 16]
// CHECK: columns: 2x0xi32={{$}}
// CHECK: sum: 4xf32=5 5 5 5
// CHECK: two: 2xi64=3 4
// CHECK: kept: 0x4xf32={{$}}
// CHECK: total: 2x4xf32=[16 32 48 64][80 96 112 128]
gpuvm.program @p(%cache: tensor<0x4xf32>, %x: tensor<2x4xf32>) -> (same: tensor<0x4xf32>, joined: tensor<2x4xf32>, columns: tensor<2x0xi32>, sum: tensor<4xf32>, two: tensor<2xi64>, kept: tensor<0x4xf32>, total: tensor<2x4xf32>) {
  %e, %twice, %none = gpuvm.stage @first(%c = %cache : tensor<0x4xf32>, %v = %x : tensor<2x4xf32>) -> (tensor<0x4xf32>, tensor<2x4xf32>, tensor<2x0xi32>) {
    %d = arith.addf %c, %c : tensor<0x4xf32>
    %t = arith.addf %v, %v : tensor<2x4xf32>
    %n = tensor.empty() : tensor<2x0xi32>
    gpuvm.send %d, %t, %n : tensor<0x4xf32>, tensor<2x4xf32>, tensor<2x0xi32>
  }
  %joined, %sum = gpuvm.stage @second(%a = %e : !gpuvm.message<tensor<0x4xf32>>, %b = %twice : !gpuvm.message<tensor<2x4xf32>>) -> (tensor<2x4xf32>, tensor<4xf32>) {
    %j = tensor.concat dim(0) %a, %b : (tensor<0x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %five = arith.constant dense<5.0> : tensor<4xf32>
    %s = linalg.reduce { arith.addf } ins(%a : tensor<0x4xf32>) outs(%five : tensor<4xf32>) dimensions = [0]
    gpuvm.send %j, %s : tensor<2x4xf32>, tensor<4xf32>
  }
  %kept, %total = gpuvm.repeat @thrice up_to 3 (%k = %e : !gpuvm.message<tensor<0x4xf32>>, %y = %twice : !gpuvm.message<tensor<2x4xf32>>) {
    %k2, %y2 = gpuvm.stage @step(%k = %k : !gpuvm.message<tensor<0x4xf32>>, %v = %y : !gpuvm.message<tensor<2x4xf32>>) -> (tensor<0x4xf32>, tensor<2x4xf32>) {
      %t = arith.addf %v, %v : tensor<2x4xf32>
      gpuvm.send %k, %t : tensor<0x4xf32>, tensor<2x4xf32>
    }
    gpuvm.next %k2, %y2 : !gpuvm.message<tensor<0x4xf32>>, !gpuvm.message<tensor<2x4xf32>>
  }
  %two = arith.constant dense<[3, 4]> : tensor<2xi64>
  gpuvm.return %cache, %joined, %none, %sum, %two, %kept, %total : tensor<0x4xf32>, !gpuvm.message<tensor<2x4xf32>>, !gpuvm.message<tensor<2x0xi32>>, !gpuvm.message<tensor<4xf32>>, tensor<2xi64>, !gpuvm.message<tensor<0x4xf32>>, !gpuvm.message<tensor<2x4xf32>>
}
