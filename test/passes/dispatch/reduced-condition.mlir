// What says whether a loop goes on is a reduction of what a map makes: the map does not store it, too.

// RUN: %python -c "import numpy; numpy.save('%t.npy', numpy.arange(2560, dtype='i4'))"
// RUN: gpuvm-compile %s --park=always -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate --iterations=2 --input=x=@%t.npy --output=y=@%t.y.npy
// RUN: gpuvm-interpret %s --iterations=2 --input=x=@%t.npy --expected_output=y=@%t.y.npy | FileCheck %s

// CHECK: [SUCCESS]
gpuvm.program @reduced(%x: tensor<2560xi32>) -> (y: tensor<2560xi32>) {
  gpuvm.metric @seen : tensor<10240xi32>
  gpuvm.global @held : tensor<10240xi32>
  %m1 = gpuvm.stage @s1() -> tensor<10240xi32> {
    %v1 = gpuvm.load @held : tensor<10240xi32>
    gpuvm.send %v1 : tensor<10240xi32>
  }
  %r:1 = gpuvm.repeat @loop up_to 1 (%r_0 = %x : tensor<2560xi32>) {
  %m:2 = gpuvm.stage @step(%x0 = %r_0 : !gpuvm.message<tensor<2560xi32>>, %x1 = %m1 : !gpuvm.message<tensor<10240xi32>>) -> (tensor<10240xi32>, tensor<10240xi32>) {
    gpuvm.store %x1, @seen[0] : tensor<10240xi32>
    %v1 = gpuvm.load @seen : tensor<10240xi32>
    %v2 = arith.subi %v1, %x1 : tensor<10240xi32>
    %v3 = arith.subi %x1, %v2 : tensor<10240xi32>
    gpuvm.store %x0, @seen[5120] : tensor<2560xi32>
    gpuvm.send %v2, %v3 : tensor<10240xi32>, tensor<10240xi32>
  }
  %t = gpuvm.stage @judge(%x0 = %m#1 : !gpuvm.message<tensor<10240xi32>>) -> tensor<i1> {
    %v1 = arith.constant dense<1> : tensor<10240xi32>
    %v2 = arith.andi %x0, %v1 : tensor<10240xi32>
    %v3 = arith.cmpi eq, %v2, %v1 : tensor<10240xi32>
    %v4 = arith.constant dense<false> : tensor<i1>
    %v5 = linalg.reduce { arith.xori } ins(%v3 : tensor<10240xi1>) outs(%v4 : tensor<i1>) dimensions = [0]
    gpuvm.send %v5 : tensor<i1>
  }
    gpuvm.next %x : tensor<2560xi32> until %t : !gpuvm.message<tensor<i1>>
  }
  gpuvm.return %r#0 : !gpuvm.message<tensor<2560xi32>>
}
