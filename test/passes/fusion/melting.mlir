// What leads to a root alone is computed there, however many operations that
// are; so is what loops read as a table, each element about once.

// RUN: gpuvm-opt %s --split-input-file --pass-pipeline='builtin.module(gpuvm.program(gpuvm-generalize),canonicalize,cse,gpuvm.program(gpuvm-form-kernels))' | FileCheck %s

// A predicate of several operations and a payload share what they are made of.
// CHECK-LABEL: gpuvm.program @filter
// CHECK: flow.dispatch @{{.*}} scan
// CHECK: arith.mulf
// CHECK: arith.andi
// CHECK: gpuvm.compact
// CHECK-NOT: flow.dispatch @
// CHECK: return
gpuvm.program @filter(%x: tensor<1000xf32>) -> (v: tensor<1000xf32>, n: tensor<i32>) {
  %m:2 = gpuvm.stage @s(%x_ = %x : tensor<1000xf32>) -> (tensor<1000xf32>, tensor<i32>) {
    %low = arith.constant dense<1.0> : tensor<1000xf32>
    %high = arith.constant dense<2.0> : tensor<1000xf32>
    %square = arith.mulf %x_, %x_ : tensor<1000xf32>
    %a = arith.cmpf ogt, %square, %low : tensor<1000xf32>
    %b = arith.cmpf olt, %square, %high : tensor<1000xf32>
    %keep = arith.andi %a, %b : tensor<1000xi1>
    %double = arith.addf %square, %square : tensor<1000xf32>
    %v, %n = gpuvm.compact %double where %keep : (tensor<1000xf32>, tensor<1000xi1>) -> (tensor<1000xf32>, tensor<i32>)
    gpuvm.send %v, %n : tensor<1000xf32>, tensor<i32>
  }
  gpuvm.return %m#0, %m#1 : !gpuvm.message<tensor<1000xf32>>, !gpuvm.message<tensor<i32>>
}

// -----

// What somebody else reads, too, is in memory.
// CHECK-LABEL: gpuvm.program @shared
// CHECK: flow.dispatch @{{.*}} map
// CHECK: flow.dispatch @{{.*}} scan
gpuvm.program @shared(%x: tensor<1000xf32>) -> (v: tensor<1000xf32>, s: tensor<1000xf32>) {
  %m:2 = gpuvm.stage @s(%x_ = %x : tensor<1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>) {
    %low = arith.constant dense<1.0> : tensor<1000xf32>
    %square = arith.mulf %x_, %x_ : tensor<1000xf32>
    %keep = arith.cmpf ogt, %square, %low : tensor<1000xf32>
    %v, %n = gpuvm.compact %x_ where %keep : (tensor<1000xf32>, tensor<1000xi1>) -> (tensor<1000xf32>, tensor<i32>)
    gpuvm.send %v, %square : tensor<1000xf32>, tensor<1000xf32>
  }
  gpuvm.return %m#0, %m#1 : !gpuvm.message<tensor<1000xf32>>, !gpuvm.message<tensor<1000xf32>>
}

// -----

// A sparse matrix times a dense one, in one kernel: the products are made where
// they are added up.
// CHECK-LABEL: gpuvm.program @spmm
// CHECK: flow.dispatch @{{.*}} map
// CHECK: scf.for
// CHECK: tensor.extract
// CHECK-NOT: flow.dispatch @
// CHECK: return
gpuvm.program @spmm(%value: tensor<200xf32>, %column: tensor<200xi32>, %offsets: tensor<31xi32>, %b: tensor<40x8xf32>) -> (c: tensor<30x8xf32>) {
  %m = gpuvm.stage @s(%v = %value : tensor<200xf32>, %k = %column : tensor<200xi32>, %o = %offsets : tensor<31xi32>,
                      %b_ = %b : tensor<40x8xf32>) -> tensor<30x8xf32> {
    %init = tensor.empty() : tensor<200x8xf32>
    %products = linalg.generic {
        indexing_maps = [affine_map<(e, f) -> (e)>, affine_map<(e, f) -> (e)>, affine_map<(e, f) -> (e, f)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%v, %k : tensor<200xf32>, tensor<200xi32>) outs(%init : tensor<200x8xf32>) {
    ^bb0(%a: f32, %row: i32, %unused: f32):
      %f = linalg.index 1 : index
      %r = arith.index_cast %row : i32 to index
      %x = tensor.extract %b_[%r, %f] : tensor<40x8xf32>
      %p = arith.mulf %a, %x : f32
      linalg.yield %p : f32
    } -> tensor<200x8xf32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %c = gpuvm.segment_reduce %products by %o from %zero
        : (tensor<200x8xf32>, tensor<31xi32>, tensor<f32>) -> tensor<30x8xf32> {
    ^bb0(%before: f32, %next: f32):
      %s = arith.addf %before, %next : f32
      gpuvm.yield %s : f32
    }
    gpuvm.send %c : tensor<30x8xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<30x8xf32>>
}

// -----

// Eight results are made where their initial values lie: of 24 windows they take
// eight, and the updates are computed in the kernel.
// CHECK-LABEL: gpuvm.program @sums
// CHECK-NOT: arith.muli
// CHECK: flow.dispatch @{{.*}} scatter
// CHECK-COUNT-8: arith.muli
// CHECK: gpuvm.scatter
// CHECK-NOT: flow.dispatch @
// CHECK: return
!x = tensor<900xi32>
!z = tensor<700xi32>
!m = !gpuvm.message<!z>
gpuvm.program @sums(%p: !x, %x0: !x, %x1: !x, %x2: !x, %x3: !x, %x4: !x, %x5: !x, %x6: !x, %x7: !x)
    -> (r0: !z, r1: !z, r2: !z, r3: !z, r4: !z, r5: !z, r6: !z, r7: !z) {
  %m:8 = gpuvm.stage @s(%at = %p : !x, %y0 = %x0 : !x, %y1 = %x1 : !x, %y2 = %x2 : !x, %y3 = %x3 : !x, %y4 = %x4 : !x, %y5 = %x5 : !x, %y6 = %x6 : !x, %y7 = %x7 : !x)
      -> (!z, !z, !z, !z, !z, !z, !z, !z) {
    %zero = arith.constant dense<0> : !z
    %u0 = arith.muli %y0, %y0 : !x
    %u1 = arith.muli %y1, %y1 : !x
    %u2 = arith.muli %y2, %y2 : !x
    %u3 = arith.muli %y3, %y3 : !x
    %u4 = arith.muli %y4, %y4 : !x
    %u5 = arith.muli %y5, %y5 : !x
    %u6 = arith.muli %y6, %y6 : !x
    %u7 = arith.muli %y7, %y7 : !x
    %r:8 = gpuvm.scatter add, add, add, add, add, add, add, add %u0, %u1, %u2, %u3, %u4, %u5, %u6, %u7 at %at
        into %zero, %zero, %zero, %zero, %zero, %zero, %zero, %zero
        : (!x, !x, !x, !x, !x, !x, !x, !x, !x, !z, !z, !z, !z, !z, !z, !z, !z)
        -> (!z, !z, !z, !z, !z, !z, !z, !z)
    gpuvm.send %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7 : !z, !z, !z, !z, !z, !z, !z, !z
  }
  gpuvm.return %m#0, %m#1, %m#2, %m#3, %m#4, %m#5, %m#6, %m#7 : !m, !m, !m, !m, !m, !m, !m, !m
}
