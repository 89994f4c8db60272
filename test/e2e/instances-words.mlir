// Norms and largest values of slices are rounded in one order, whoever reads them: a stage, instances that get a slice each, or others that
// get all of them. Three times four results of shared elements would be summed in another order.

// RUN: %python -c "import random, struct, sys; r = random.Random(1); open(sys.argv[1], 'wb').write(struct.pack('<8000f', *(r.gauss(0, 1) for _ in range(8000))))" %t.x
// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-interpret %s --input=x=4x2000xf32=@%t.x --output=one=@%t.one.npy --output=own=@%t.own.npy --output=all=@%t.all.npy --output=largest=@%t.largest.npy --output=sums=@%t.sums.npy
// RUN: gpuvm-run %t.gvplan --validate --input=x=4x2000xf32=@%t.x --expected_output=one=@%t.one.npy --expected_output=own=@%t.own.npy --expected_output=all=@%t.all.npy --expected_output=largest=@%t.largest.npy --expected_output=sums=@%t.sums.npy --expected_f32_threshold=0 | FileCheck %s
// CHECK: [SUCCESS]
gpuvm.program @words(%x: tensor<4x2000xf32>)
    -> (one: tensor<4xf32>, own: tensor<4xf32>, all: tensor<3x4xf32>, largest: tensor<3x4xf32>, sums: tensor<3xf32>) {
  %m = gpuvm.stage @send instances(4) (%v = %x : tensor<4x2000xf32>) -> tensor<4x2000xf32> {
    gpuvm.send %v : tensor<2000xf32>
  }
  %one = gpuvm.stage @one(%v = %m : !gpuvm.message<tensor<4x2000xf32>>) -> tensor<4xf32> {
    %n = gpuvm.metadata norm of %v : tensor<4x2000xf32> -> tensor<4xf32>
    gpuvm.send %n : tensor<4xf32>
  }
  %own = gpuvm.stage @own instances(4) (%v = %m : !gpuvm.message<tensor<4x2000xf32>>) -> tensor<4xf32> {
    %n = gpuvm.metadata norm of %v : tensor<2000xf32> -> tensor<f32>
    gpuvm.send %n : tensor<f32>
  }
  %all, %largest, %sums = gpuvm.stage @all instances(3) (%v = shared %m : !gpuvm.message<tensor<4x2000xf32>>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3xf32>) {
    %n = gpuvm.metadata norm of %v : tensor<4x2000xf32> -> tensor<4xf32>
    %l = gpuvm.metadata max_abs of %v : tensor<4x2000xf32> -> tensor<4xf32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %s = linalg.reduce { arith.addf } ins(%n : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.send %n, %l, %s : tensor<4xf32>, tensor<4xf32>, tensor<f32>
  }
  gpuvm.return %one, %own, %all, %largest, %sums : !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<3x4xf32>>,
      !gpuvm.message<tensor<3x4xf32>>, !gpuvm.message<tensor<3xf32>>
}
