// A symbol without elements has no place in a plan, unless it is an input. What is read of a table without elements, or
// past its end, is zero; so are the norm and the largest magnitude of a message without elements.

// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate --input=price=0xf32= --input=none=0x4xf32= --input=x=3xf32=1,2,3 > %t.out
// RUN: FileCheck %s < %t.out
// RUN: gpuvm-interpret %s --input=price=0xf32= --input=none=0x4xf32= --input=x=3xf32=1,2,3 | diff - %t.out
// RUN: not gpuvm-run %t.gvplan --input=none=0x4xf32= --input=x=3xf32=1,2,3 2>&1 | FileCheck %s --check-prefix=GIVEN
// RUN: gpuvm-plan show %t.gvplan | FileCheck %s --check-prefix=PLAN

// GIVEN: Input "price" is not given (0xf32; --input=price=<tensor>).
// PLAN-NOT: gone
// PLAN: price
// PLAN-NOT: gone

// CHECK: total: f32=3
// CHECK: states: 2x0xf32={{$}}
// CHECK: each: 3xf32=1 2 3
// CHECK: read: 3xf32=0 0 0
// CHECK: norm: f32=0
// CHECK: most: 2xf32=0 0
gpuvm.heap @price : tensor<0xf32>
gpuvm.heap @gone_fixed : tensor<0x3xf32> = dense<> : tensor<0x3xf32>
gpuvm.program @p(%none: tensor<0x4xf32>, %x: tensor<3xf32>) -> (total: tensor<f32>, states: tensor<2x0xf32>, each: tensor<3xf32>, read: tensor<3xf32>, norm: tensor<f32>, most: tensor<2xf32>) {
  gpuvm.control @gone_words : tensor<0xi32>
  gpuvm.metric @gone_metric : tensor<3x0xi64>
  gpuvm.register @gone_state : tensor<2x0xf32>
  gpuvm.register @rows : tensor<16x4xf32>
  %total = gpuvm.stage @loads(%e = %none : tensor<0x4xf32>) -> tensor<f32> {
    %price = gpuvm.load @price : tensor<0xf32>
    %fixed = gpuvm.load @gone_fixed : tensor<0x3xf32>
    %words = gpuvm.load @gone_words : tensor<0xi32>
    %metric = arith.constant dense<> : tensor<3x0xi64>
    gpuvm.store %metric, @gone_metric : tensor<3x0xi64>
    %at = arith.constant dense<7> : tensor<i32>
    gpuvm.store %e, @rows[%at] : tensor<0x4xf32>
    %last = gpuvm.load @rows[16] : tensor<0x4xf32>
    %all = tensor.concat dim(0) %e, %last : (tensor<0x4xf32>, tensor<0x4xf32>) -> tensor<0x4xf32>
    gpuvm.store %all, @rows[0] : tensor<0x4xf32>
    %three = arith.constant dense<3.0> : tensor<f32>
    %sum = linalg.reduce { arith.addf } ins(%price : tensor<0xf32>) outs(%three : tensor<f32>) dimensions = [0]
    gpuvm.send %sum : tensor<f32>
  }
  %states = gpuvm.stage @instances instances(2) (%t = shared %total : !gpuvm.message<tensor<f32>>) -> tensor<2x0xf32> {
    %own = gpuvm.load own @gone_state : tensor<0xf32>
    %twice = arith.addf %own, %own : tensor<0xf32>
    gpuvm.store own %twice, @gone_state : tensor<0xf32>
    gpuvm.send %twice : tensor<0xf32>
  }
  %each, %read = gpuvm.stage @reads(%e = %none : tensor<0x4xf32>, %v = %x : tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %init = tensor.empty() : tensor<3xf32>
    %sums, %firsts = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                                     iterator_types = ["parallel"]}
        ins(%v : tensor<3xf32>) outs(%init, %init : tensor<3xf32>, tensor<3xf32>) {
    ^bb0(%a: f32, %o: f32, %p: f32):
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %rows = tensor.dim %e, %c0 : tensor<0x4xf32>
      %sum = scf.for %i = %c0 to %rows step %c1 iter_args(%before = %a) -> f32 {
        %element = tensor.extract %e[%i, %c0] : tensor<0x4xf32>
        %next = arith.addf %before, %element : f32
        scf.yield %next : f32
      }
      %first = tensor.extract %e[%c0, %c1] : tensor<0x4xf32>
      linalg.yield %sum, %first : f32, f32
    } -> (tensor<3xf32>, tensor<3xf32>)
    gpuvm.send %sums, %firsts : tensor<3xf32>, tensor<3xf32>
  }
  %norm, %most = gpuvm.stage @metadata(%s = %states : !gpuvm.message<tensor<2x0xf32>>) -> (tensor<f32>, tensor<2xf32>) {
    %n = gpuvm.metadata norm of %s : tensor<2x0xf32> -> tensor<f32>
    %m = gpuvm.metadata max_abs of %s : tensor<2x0xf32> -> tensor<2xf32>
    gpuvm.send %n, %m : tensor<f32>, tensor<2xf32>
  }
  gpuvm.return %total, %states, %each, %read, %norm, %most : !gpuvm.message<tensor<f32>>, !gpuvm.message<tensor<2x0xf32>>, !gpuvm.message<tensor<3xf32>>, !gpuvm.message<tensor<3xf32>>, !gpuvm.message<tensor<f32>>, !gpuvm.message<tensor<2xf32>>
}
