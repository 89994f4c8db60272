// Tensors without elements through calls, conditions and instances.

// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate --input=c=0x4xf32= --input=x=4xf32=1,2,3,4 --input=go=i1=1 > %t.out
// RUN: FileCheck %s < %t.out
// RUN: gpuvm-interpret %s --program=outer --input=c=0x4xf32= --input=x=4xf32=1,2,3,4 --input=go=i1=1 | diff - %t.out
// RUN: gpuvm-run %t.gvplan --validate --input=c=0x4xf32= --input=x=4xf32=1,2,3,4 --input=go=i1=0 > %t.out
// RUN: gpuvm-interpret %s --program=outer --input=c=0x4xf32= --input=x=4xf32=1,2,3,4 --input=go=i1=0 | diff - %t.out

// CHECK: e: 0x4xf32={{$}}
// CHECK: y: 4xf32=1 2 3 4
// CHECK: w: 4xf32=2 4 6 8
// CHECK: i: 3x0xf32={{$}}
// CHECK: j: 3x4xf32=[2 4 6 8][2 4 6 8][2 4 6 8]
gpuvm.program private @inner(%c: tensor<0x4xf32>, %x: tensor<4xf32>) -> (e: tensor<0x4xf32>, y: tensor<4xf32>) {
  %e, %m = gpuvm.stage @s(%c = %c : tensor<0x4xf32>, %v = %x : tensor<4xf32>) -> (tensor<0x4xf32>, tensor<4xf32>) {
    %s = linalg.reduce { arith.addf } ins(%c : tensor<0x4xf32>) outs(%v : tensor<4xf32>) dimensions = [0]
    gpuvm.send %c, %s : tensor<0x4xf32>, tensor<4xf32>
  }
  gpuvm.return %e, %m : !gpuvm.message<tensor<0x4xf32>>, !gpuvm.message<tensor<4xf32>>
}
gpuvm.program @outer(%c: tensor<0x4xf32>, %x: tensor<4xf32>, %go: tensor<i1>) -> (e: tensor<0x4xf32>, y: tensor<4xf32>, w: tensor<4xf32>, i: tensor<3x0xf32>, j: tensor<3x4xf32>) {
  %a, %b = gpuvm.call @inner as @first (%c, %x) : (tensor<0x4xf32>, tensor<4xf32>) -> (!gpuvm.message<tensor<0x4xf32>>, !gpuvm.message<tensor<4xf32>>)
  %k, %l = gpuvm.call @inner as @second (%a, %b) : (!gpuvm.message<tensor<0x4xf32>>, !gpuvm.message<tensor<4xf32>>) -> (!gpuvm.message<tensor<0x4xf32>>, !gpuvm.message<tensor<4xf32>>)
  %p, %q = gpuvm.stage @w when(%go : tensor<i1>) (%o = %k : !gpuvm.message<tensor<0x4xf32>>, %v = %l : !gpuvm.message<tensor<4xf32>>) -> (tensor<0x4xf32>, tensor<4xf32>) {
    %t = arith.addf %v, %v : tensor<4xf32>
    gpuvm.send %o, %t : tensor<0x4xf32>, tensor<4xf32> else %o, %v : tensor<0x4xf32>, tensor<4xf32>
  }
  %z = gpuvm.stage @only() -> tensor<3x0xf32> {
    %n = tensor.empty() : tensor<3x0xf32>
    gpuvm.send %n : tensor<3x0xf32>
  }
  %g = gpuvm.stage @inst instances(3) (%v = %z : !gpuvm.message<tensor<3x0xf32>>, %u = shared %q : !gpuvm.message<tensor<4xf32>>) -> tensor<3x4xf32> {
    gpuvm.send %u : tensor<4xf32>
  }
  gpuvm.return %p, %l, %q, %z, %g : !gpuvm.message<tensor<0x4xf32>>, !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<3x0xf32>>, !gpuvm.message<tensor<3x4xf32>>
}
