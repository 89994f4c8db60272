// Tensors of scalars of the stage: constants, elements, and what is computed of them; in one instance and in several.

// RUN: gpuvm-compile %s --program=one -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate --input=x=f32=1 --input=z=1xf32=7 --input=t=2x3xf32=1,2,3,4,5,6 | FileCheck %s --check-prefix=ONE
// RUN: gpuvm-interpret %s --program=one --input=x=f32=1 --input=z=1xf32=7 --input=t=2x3xf32=1,2,3,4,5,6 | FileCheck %s --check-prefix=ONE
// ONE: y: 2x3xf32=[2.5 1 7][3.5 6 2.5]
// ONE: sum: f32=4.5
gpuvm.program @one(%x: tensor<f32>, %z: tensor<1xf32>, %t: tensor<2x3xf32>) -> (y: tensor<2x3xf32>, sum: tensor<f32>) {
  %y, %sum = gpuvm.stage @s(%x = %x : tensor<f32>, %z = %z : tensor<1xf32>, %t = %t : tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<f32>) {
    %c = arith.constant 2.5 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %a = tensor.extract %x[] : tensor<f32>
    %b = tensor.extract %z[%c0] : tensor<1xf32>
    %e = tensor.extract %t[%c1, %c2] : tensor<2x3xf32>
    %s = arith.addf %a, %c : f32
    %u = arith.addf %s, %a : f32
    %y = tensor.from_elements %c, %a, %b, %s, %e, %c : tensor<2x3xf32>
    %sum = tensor.from_elements %u : tensor<f32>
    gpuvm.send %y, %sum : tensor<2x3xf32>, tensor<f32>
  }
  gpuvm.return %y, %sum : !gpuvm.message<tensor<2x3xf32>>, !gpuvm.message<tensor<f32>>
}

// RUN: gpuvm-compile %s --program=several -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate --input=x=3xi32=1,2,3 --input=f=2xi32=10,20 | FileCheck %s --check-prefix=SEVERAL
// RUN: gpuvm-interpret %s --program=several --input=x=3xi32=1,2,3 --input=f=2xi32=10,20 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: y: 3x3xi32=[1 20 21][2 20 22][3 20 23]
gpuvm.program @several(%x: tensor<3xi32>, %f: tensor<2xi32>) -> (y: tensor<3x3xi32>) {
  %y = gpuvm.stage @s instances(3) (%x = %x : tensor<3xi32>, %f = shared %f : tensor<2xi32>) -> tensor<3x3xi32> {
    %c1 = arith.constant 1 : index
    %a = tensor.extract %x[] : tensor<i32>
    %b = tensor.extract %f[%c1] : tensor<2xi32>
    %s = arith.addi %a, %b : i32
    %y = tensor.from_elements %a, %b, %s : tensor<3xi32>
    gpuvm.send %y : tensor<3xi32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<3x3xi32>>
}
