// A kernel with more windows than its target binds has those in one binding that it uses alike: they lie next to each
// other. Where kernels disagree on what that is, operands are copied.

// RUN: gpuvm-opt %s --split-input-file --gpuvm-pipeline | FileCheck %s

#small = #gpuvm.target<name = "small", kind = any, units = 132, subgroup = 32, workgroup_bytes = 32768,
                       dispatch_ns = 2070, bytes_per_us = 4200000, bindings = 4, features = [], closed = false>
module attributes {gpuvm.targets = [#small]} {
  // Of different types: views of one binding. The result is in the place of an operand.
  // CHECK-LABEL: plan.module @mixed
  // CHECK:       plan.kernel @s_map {{.*}} bindings [#plan.binding<0, read>, #plan.binding<5, readwrite>]
  // CHECK:         spirv.GlobalVariable {{.*}} bind(0, 0) {aliased, non_writable} {{.*}}rtarray<i16
  // CHECK:         spirv.GlobalVariable {{.*}} bind(0, 5) :
  // CHECK:         spirv.GlobalVariable {{.*}} bind(0, 0) {aliased, non_writable} {{.*}}rtarray<i32
  // CHECK:       plan.dispatch @s_map {{.*}} windows [#gpuvm.window<registers, 256, 784>, #gpuvm.window<registers, 0, 32>]
  gpuvm.program @mixed(%a: tensor<8xi32>, %b: tensor<8xi16>, %c: tensor<8xi32>, %d: tensor<8xi16>, %e: tensor<8xi16>)
      -> (r: tensor<8xi32>) {
    %r = gpuvm.stage @s(%v = %a : tensor<8xi32>, %w = %b : tensor<8xi16>, %x = %c : tensor<8xi32>,
                        %y = %d : tensor<8xi16>, %z = %e : tensor<8xi16>) -> tensor<8xi32> {
      %0 = arith.addi %w, %y : tensor<8xi16>
      %1 = arith.addi %0, %z : tensor<8xi16>
      %2 = arith.extui %1 : tensor<8xi16> to tensor<8xi32>
      %3 = arith.addi %v, %x : tensor<8xi32>
      %4 = arith.muli %2, %3 : tensor<8xi32>
      gpuvm.send %4 : tensor<8xi32>
    }
    gpuvm.return %r : !gpuvm.message<tensor<8xi32>>
  }
}

// -----

#small = #gpuvm.target<name = "small", kind = any, units = 132, subgroup = 32, workgroup_bytes = 32768,
                       dispatch_ns = 2070, bytes_per_us = 4200000, bindings = 4, features = [], closed = false>
!v = tensor<8xi32>
!m = !gpuvm.message<!v>
module attributes {gpuvm.targets = [#small]} {
  // Loop-carried values rotate together.
  // CHECK-LABEL: plan.module @loop
  // CHECK:       plan.repeat 4 times rotating {{\[\[}}#gpuvm.window<registers, 1280, 1056>, #gpuvm.window<registers, 0, 1056>]]
  // CHECK:         plan.dispatch @s_map {{.*}} windows [#gpuvm.window<registers, 1280, 1056>, #gpuvm.window<registers, 0, 1056>]
  gpuvm.program @loop(%a: !v, %b: !v, %c: !v, %d: !v, %e: !v) -> (r: !v, s: !v, t: !v, u: !v, w: !v) {
    %l:5 = gpuvm.repeat @l up_to 4 (%p = %a : !v, %q = %b : !v, %x = %c : !v, %y = %d : !v, %z = %e : !v) {
      %n:5 = gpuvm.stage @s(%p_ = %p : !m, %q_ = %q : !m, %x_ = %x : !m, %y_ = %y : !m, %z_ = %z : !m)
          -> (!v, !v, !v, !v, !v) {
        %o = tensor.empty() : !v
        %r:5 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
                                                affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                               iterator_types = ["parallel"]} outs(%o, %o, %o, %o, %o : !v, !v, !v, !v, !v) {
        ^bb0(%o0: i32, %o1: i32, %o2: i32, %o3: i32, %o4: i32):
          %i = linalg.index 0 : index
          %seven = arith.constant 7 : index
          %j = arith.subi %seven, %i : index
          %0 = tensor.extract %p_[%j] : !v
          %1 = tensor.extract %q_[%j] : !v
          %2 = tensor.extract %x_[%j] : !v
          %3 = tensor.extract %y_[%j] : !v
          %4 = tensor.extract %z_[%j] : !v
          %5 = arith.addi %0, %1 : i32
          linalg.yield %1, %2, %3, %4, %5 : i32, i32, i32, i32, i32
        } -> (!v, !v, !v, !v, !v)
        gpuvm.send %r#0, %r#1, %r#2, %r#3, %r#4 : !v, !v, !v, !v, !v
      }
      gpuvm.next %n#0, %n#1, %n#2, %n#3, %n#4 : !m, !m, !m, !m, !m
    }
    gpuvm.return %l#0, %l#1, %l#2, %l#3, %l#4 : !m, !m, !m, !m, !m
  }
}

// -----

#small = #gpuvm.target<name = "small", kind = any, units = 132, subgroup = 32, workgroup_bytes = 32768,
                       dispatch_ns = 2070, bytes_per_us = 4200000, bindings = 4, features = [], closed = false>
!v = tensor<8xi32>
!m = !gpuvm.message<!v>
module attributes {gpuvm.targets = [#small]} {
  // What does not rotate is in no binding with what does, though it lies directly after it.
  // CHECK-LABEL: plan.program @border
  // CHECK:       plan.input "f" : tensor<8xi32> at <registers, 2048, 32>
  // CHECK:       plan.repeat 4 times rotating {{\[\[}}#gpuvm.window<registers, 1024, 800>, #gpuvm.window<registers, 0, 800>]]
  // CHECK:         plan.dispatch @s_map {{.*}} windows [#gpuvm.window<registers, 1024, 800>, #gpuvm.window<registers, 2048, 32>, #gpuvm.window<registers, 0, 800>]
  gpuvm.program @border(%f: !v, %a: !v, %b: !v, %c: !v, %d: !v) -> (r: !v, s: !v, t: !v, u: !v) {
    %l:4 = gpuvm.repeat @l up_to 4 (%p = %a : !v, %q = %b : !v, %x = %c : !v, %y = %d : !v) {
      %n:4 = gpuvm.stage @s(%p_ = %p : !m, %q_ = %q : !m, %x_ = %x : !m, %y_ = %y : !m, %f_ = %f : !v)
          -> (!v, !v, !v, !v) {
        %o = tensor.empty() : !v
        %r:4 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
                                                affine_map<(i) -> (i)>],
                               iterator_types = ["parallel"]} outs(%o, %o, %o, %o : !v, !v, !v, !v) {
        ^bb0(%o0: i32, %o1: i32, %o2: i32, %o3: i32):
          %i = linalg.index 0 : index
          %seven = arith.constant 7 : index
          %j = arith.subi %seven, %i : index
          %0 = tensor.extract %p_[%j] : !v
          %1 = tensor.extract %q_[%j] : !v
          %2 = tensor.extract %x_[%j] : !v
          %3 = tensor.extract %y_[%j] : !v
          %4 = tensor.extract %f_[%j] : !v
          %5 = arith.addi %0, %4 : i32
          linalg.yield %1, %2, %3, %5 : i32, i32, i32, i32
        } -> (!v, !v, !v, !v)
        gpuvm.send %r#0, %r#1, %r#2, %r#3 : !v, !v, !v, !v
      }
      gpuvm.next %n#0, %n#1, %n#2, %n#3 : !m, !m, !m, !m
    }
    gpuvm.return %l#0, %l#1, %l#2, %l#3 : !m, !m, !m, !m
  }
}
