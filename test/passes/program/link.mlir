// A called program stands in the place of the call: its stages and symbols have
// the name of the call before theirs, and what it keeps is the call's own.

// RUN: gpuvm-opt %s --gpuvm-link | FileCheck %s
// RUN: gpuvm-opt %s --gpuvm-link | gpuvm-opt | FileCheck %s

!v = tensor<4xf32>
!m = !gpuvm.message<!v>

// CHECK-LABEL: gpuvm.program @twice
// CHECK-DAG:     register @near.state : tensor<4xf32>
// CHECK-DAG:     register @far.state : tensor<4xf32>
// CHECK-DAG:     register @loop.sum.state : tensor<4xf32>
// CHECK:         %[[N:.*]]:2 = stage @near.add(%{{.*}} = %x : tensor<4xf32>)
// CHECK:           load @near.state
// CHECK:           store %{{.*}}, @near.state
// CHECK:         %[[F:.*]]:2 = stage @far.add(%{{.*}} = %[[N]]#0 : !gpuvm.message<tensor<4xf32>>)
// CHECK:           store %{{.*}}, @far.state
// CHECK:         repeat @again up_to 3
// CHECK:           stage @loop.sum.add(
// CHECK:             store %{{.*}}, @loop.sum.state
// CHECK:           stage @loop.negate(
// CHECK:         stage @look(
// CHECK:           metadata status of
// CHECK:         return %[[N]]#0, %[[F]]#1
gpuvm.program @twice(%x: !v) -> (a: !v, b: tensor<f32>, c: !v, d: tensor<i32>) {
  %a, %a1 = gpuvm.call @sum as @near (%x) : (!v) -> (!m, !gpuvm.message<tensor<f32>>)
  %b, %b1 = gpuvm.call @sum as @far (%a) : (!m) -> (!m, !gpuvm.message<tensor<f32>>)
  %c = gpuvm.repeat @again up_to 3 (%v = %x : !v) {
    %r = gpuvm.call @both as @loop (%v) : (!m) -> !m
    gpuvm.next %r : !m
  }
  %d = gpuvm.stage @look(%v = %a : !m) -> tensor<i32> {
    %s = gpuvm.metadata status of %v : !v -> tensor<i32>
    gpuvm.send %s : tensor<i32>
  }
  gpuvm.return %a, %b1, %c, %d : !m, !gpuvm.message<tensor<f32>>, !m, !gpuvm.message<tensor<i32>>
}

// Programs that are called are whole programs.
// CHECK-LABEL: gpuvm.program @sum
gpuvm.program @sum(%x: !v) -> (y: !v, first: tensor<f32>) {
  gpuvm.register @state : !v
  %y, %first = gpuvm.stage @add(%v = %x : !v) -> (!v, tensor<f32>) {
    %old = gpuvm.load @state : !v
    %new = arith.addf %old, %v : !v
    gpuvm.store %new, @state : !v
    %f = tensor.extract_slice %new[0] [1] [1] : !v to tensor<f32>
    gpuvm.send %new, %f : !v, tensor<f32>
  }
  gpuvm.return %y, %first : !m, !gpuvm.message<tensor<f32>>
}

// CHECK-LABEL: gpuvm.program @both
// CHECK:         stage @sum.add(
gpuvm.program @both(%x: !v) -> (y: !v) {
  %y, %unused = gpuvm.call @sum as @sum (%x) : (!v) -> (!m, !gpuvm.message<tensor<f32>>)
  %z = gpuvm.stage @negate(%v = %y : !m) -> !v {
    %n = arith.negf %v : !v
    gpuvm.send %n : !v
  }
  gpuvm.return %z : !m
}
