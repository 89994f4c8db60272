// A condition that kernels compute of values from around a loop has one kernel,
// in front of the loop, and serves those behind the loop, too.

// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-lower-repeat,gpuvm-generalize,canonicalize,cse,gpuvm-form-kernels,gpuvm-infer-predicates{mode=always}))' | FileCheck %s
// The loop is read back from text; only places in the file are others.
// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-plan show %t.gvplan | sed 's/ ([^ ]*:[0-9:]*)//' > %t.txt
// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-lower-repeat))' | gpuvm-compile - -o %t.gvplan
// RUN: gpuvm-plan show %t.gvplan | sed 's/ ([^ ]*:[0-9:]*)//' | diff %t.txt -

// CHECK: %[[CONDITION:.*]] = flow.dispatch @{{.*}}_condition map {{.*}}(%a, %b)
// CHECK: flow.loop @{{.*}} 3 times
// CHECK: flow.dispatch @inside_reduce  reduce {{.*}}(%{{.*}}) if(%[[CONDITION]])
// CHECK: flow.dispatch @inside_map map {{.*}}(%{{.*}}, %[[V:.*]]) if(%[[CONDITION]]) attributes {otherwise = array<i64: 1>}
// CHECK: flow.dispatch @behind_reduce reduce {{.*}}(%{{.*}}) if(%[[CONDITION]])

#scalar = affine_map<(d0) -> ()>
#element = affine_map<(d0) -> (d0)>

gpuvm.program @p(%a: tensor<f32>, %b: tensor<f32>, %x: tensor<65536xf32>)
    -> (y: tensor<65536xf32>, z: tensor<65536xf32>) {
  %y = gpuvm.repeat @r up_to 3 (%v = %x : tensor<65536xf32>) {
    %w = gpuvm.stage @inside(%o = %v : !gpuvm.message<tensor<65536xf32>>, %l = %a : tensor<f32>, %m = %b : tensor<f32>)
        -> tensor<65536xf32> {
      %zero = arith.constant dense<0.0> : tensor<f32>
      %most = linalg.reduce { arith.maximumf } ins(%o : tensor<65536xf32>) outs(%zero : tensor<f32>) dimensions = [0]
      %goes = arith.cmpf olt, %l, %m : tensor<f32>
      %empty = tensor.empty() : tensor<65536xf32>
      %s = linalg.generic {indexing_maps = [#scalar, #element, #element], iterator_types = ["parallel"]}
          ins(%most, %o : tensor<f32>, tensor<65536xf32>) outs(%empty : tensor<65536xf32>) {
      ^bb0(%p: f32, %q: f32, %x: f32):
        %s = arith.mulf %p, %q : f32
        linalg.yield %s : f32
      } -> tensor<65536xf32>
      %r = linalg.generic {indexing_maps = [#scalar, #element, #element, #element], iterator_types = ["parallel"]}
          ins(%goes, %s, %o : tensor<i1>, tensor<65536xf32>, tensor<65536xf32>) outs(%empty : tensor<65536xf32>) {
      ^bb0(%c: i1, %p: f32, %q: f32, %x: f32):
        %t = arith.select %c, %p, %q : f32
        linalg.yield %t : f32
      } -> tensor<65536xf32>
      gpuvm.send %r : tensor<65536xf32>
    }
    gpuvm.next %w : !gpuvm.message<tensor<65536xf32>>
  }
  %z = gpuvm.stage @behind(%o = %y : !gpuvm.message<tensor<65536xf32>>, %l = %a : tensor<f32>, %m = %b : tensor<f32>)
      -> tensor<65536xf32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %most = linalg.reduce { arith.maximumf } ins(%o : tensor<65536xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    %goes = arith.cmpf olt, %l, %m : tensor<f32>
    %empty = tensor.empty() : tensor<65536xf32>
    %s = linalg.generic {indexing_maps = [#scalar, #element, #element], iterator_types = ["parallel"]}
        ins(%most, %o : tensor<f32>, tensor<65536xf32>) outs(%empty : tensor<65536xf32>) {
    ^bb0(%p: f32, %q: f32, %x: f32):
      %s = arith.mulf %p, %q : f32
      linalg.yield %s : f32
    } -> tensor<65536xf32>
    %r = linalg.generic {indexing_maps = [#scalar, #element, #element, #element], iterator_types = ["parallel"]}
        ins(%goes, %s, %o : tensor<i1>, tensor<65536xf32>, tensor<65536xf32>) outs(%empty : tensor<65536xf32>) {
    ^bb0(%c: i1, %p: f32, %q: f32, %x: f32):
      %t = arith.select %c, %p, %q : f32
      linalg.yield %t : f32
    } -> tensor<65536xf32>
    gpuvm.send %r : tensor<65536xf32>
  }
  gpuvm.return %y, %z : !gpuvm.message<tensor<65536xf32>>, !gpuvm.message<tensor<65536xf32>>
}
