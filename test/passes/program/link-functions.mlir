// A function stands in the place of its calls: in bodies, in the control flow of bodies, on tensors, in functions, and in
// programs that are called.

// RUN: gpuvm-opt %s --gpuvm-link | FileCheck %s --implicit-check-not=func.
// RUN: gpuvm-compile %s --program=whole -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate --input=x=4xf32=1,2,3,40 | FileCheck %s --check-prefix=OUT
// RUN: gpuvm-interpret %s --program=whole --input=x=4xf32=1,2,3,40 | FileCheck %s --check-prefix=OUT

!v = tensor<4xf32>
#own = affine_map<(i) -> (i)>

// CHECK-LABEL: gpuvm.program @part
// CHECK:         stage @scale
// CHECK:           %[[THREE:.*]] = arith.constant dense<3.0{{.*}}> : tensor<4xf32>
// CHECK:           %[[R:.*]] = arith.mulf %{{.*}}, %[[THREE]]
// CHECK:           send %[[R]]
gpuvm.program @part(%x: !v) -> (y: !v) {
  func.func private @thrice(%tensor: !v) -> !v {
    %three = arith.constant dense<3.0> : !v
    %r = arith.mulf %tensor, %three : !v
    func.return %r : !v
  }
  %y = gpuvm.stage @scale(%x_ = %x : !v) -> !v {
    %r = func.call @thrice(%x_) : (!v) -> !v
    gpuvm.send %r : !v
  }
  gpuvm.return %y : !gpuvm.message<!v>
}

// CHECK-LABEL: gpuvm.program @whole
// CHECK:         stage @part.scale
// CHECK:         stage @sum
// CHECK:           linalg.generic
// CHECK:           ^bb0(%[[IN:.*]]: f32, %{{.*}}: f32):
// CHECK:             scf.for {{.*}} iter_args(%[[S:.*]] = %[[IN]])
// CHECK:               %[[LESS:.*]] = arith.minimumf %[[S]], %{{.*}} : f32
// CHECK:               %[[MORE:.*]] = arith.addf %[[LESS]], %{{.*}} : f32
// CHECK:               scf.yield %[[MORE]]
gpuvm.program @whole(%x: !v) -> (y: !v) {
  // Two results, one of which is an argument, and a function in a function.
  func.func private @both(%number: f32) -> (f32, f32) {
    %half = func.call @least(%number) : (f32) -> f32
    func.return %half, %number : f32, f32
  }
  func.func private @least(%number: f32) -> f32 {
    %ten = arith.constant 10.0 : f32
    %r = arith.minimumf %number, %ten : f32
    func.return %r : f32
  }
  %s = gpuvm.call @part as @part (%x) : (!v) -> !gpuvm.message<!v>
  %y = gpuvm.stage @sum(%x_ = %s : !gpuvm.message<!v>) -> !v {
    %init = tensor.empty() : !v
    %r = linalg.generic {indexing_maps = [#own, #own], iterator_types = ["parallel"]} ins(%x_ : !v) outs(%init : !v) {
    ^bb0(%number: f32, %o: f32):
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %twice = scf.for %i = %c0 to %c2 step %c1 iter_args(%s_ = %number) -> (f32) {
        %a:2 = func.call @both(%s_) : (f32) -> (f32, f32)
        %b = arith.addf %a#0, %a#1 : f32
        scf.yield %b : f32
      }
      linalg.yield %twice : f32
    } -> !v
    gpuvm.send %r : !v
  }
  gpuvm.return %y : !gpuvm.message<!v>
}

// 3: 6, 12. 6: 12, 22. 9: 18, 28. 120: 130, 140.
// OUT: y: 4xf32=12 22 28 140
