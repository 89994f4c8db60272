// Instances that share an input reduce in the order in which they do it together: the interpreter's bits.

// RUN: %python -c "import random, struct, sys; r = random.Random(1); open(sys.argv[1], 'wb').write(struct.pack('<9000f', *(r.uniform(-1, 1) for _ in range(9000))))" %t.x
// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-interpret %s --input=x=3x3000xf32=@%t.x --input=v=3000xf32=0.3 --output=own=@%t.own.npy --output=same=@%t.same.npy
// RUN: gpuvm-run %t.gvplan --validate --input=x=3x3000xf32=@%t.x --input=v=3000xf32=0.3 --expected_output=own=@%t.own.npy --expected_output=same=@%t.same.npy --expected_f32_threshold=0 | FileCheck %s
// CHECK: [SUCCESS]
#row = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
gpuvm.program @shared(%x: tensor<3x3000xf32>, %v: tensor<3000xf32>) -> (own: tensor<3xf32>, same: tensor<3xf32>) {
  %own = gpuvm.stage @own instances(3) (%a = %x : tensor<3x3000xf32>, %b = shared %v : tensor<3000xf32>) -> tensor<3xf32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %r = linalg.generic {indexing_maps = [#row, #row, #none], iterator_types = ["reduction"]}
        ins(%a, %b : tensor<3000xf32>, tensor<3000xf32>) outs(%zero : tensor<f32>) {
    ^bb0(%p: f32, %q: f32, %sum: f32):
      %product = arith.mulf %p, %q : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    } -> tensor<f32>
    gpuvm.send %r : tensor<f32>
  }
  %same = gpuvm.stage @same instances(3) (%a = %x : tensor<3x3000xf32>) -> tensor<3xf32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %r = linalg.reduce { arith.addf } ins(%a : tensor<3000xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %own, %same : !gpuvm.message<tensor<3xf32>>, !gpuvm.message<tensor<3xf32>>
}
