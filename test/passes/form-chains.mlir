// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-form-kernels --gpuvm-form-chains | FileCheck %s
// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-form-kernels --gpuvm-form-chains=mode=never | FileCheck %s --check-prefix=NEVER
// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-form-kernels --gpuvm-form-chains=mode=always | FileCheck %s --check-prefix=ALWAYS
// RUN: not gpuvm-opt %s --gpuvm-form-chains=mode=often 2>&1 | FileCheck %s --check-prefix=MODE

// NEVER-NOT: chain [
// MODE: the mode of chains is "auto", "always" or "never", not "often"

!v = tensor<64xf32>
!m = !gpuvm.message<!v>

// The input is read at other indices, so it is held, too. Of what the steps
// make, only what others need is a result.
// CHECK-LABEL: gpuvm.program @run
// CHECK:         %[[C:.*]]:2 = kernel @a_and_2_more_chain chain ["a", "b", "c"](%x) {
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: tensor<64xf32>):
// CHECK-NEXT:      %[[X:.*]] = gpuvm.hold %[[IN]]
// CHECK:           concat {{.*}}
// CHECK:           %[[A:.*]] = gpuvm.hold
// CHECK:           extract_slice %[[A]]
// CHECK:           %[[B:.*]] = gpuvm.hold
// CHECK:           %[[D:.*]] = gpuvm.hold
// CHECK-NEXT:      yield %[[B]], %[[D]]
// CHECK-NOT:     kernel
// CHECK-NOT:     expose {{.*}} as 30 of 0
// CHECK:         expose %[[C]]#0 as 30 of 1
// CHECK:         return %[[C]]#1, %[[C]]#0
gpuvm.program @run(%x: !v) -> (c: !v, b: !v) {
  %a = gpuvm.stage @a(%v = %x : !v) -> !v {
    %f = tensor.extract_slice %v[1] [63] [1] : !v to tensor<63xf32>
    %l = tensor.extract_slice %v[0] [1] [1] : !v to tensor<1xf32>
    %s = tensor.concat dim(0) %f, %l : (tensor<63xf32>, tensor<1xf32>) -> !v
    %r = arith.addf %v, %s : !v
    gpuvm.send %r : !v
  }
  %b = gpuvm.stage @b(%v = %a : !m) -> !v {
    %f = tensor.extract_slice %v[1] [63] [1] : !v to tensor<63xf32>
    %l = tensor.extract_slice %v[0] [1] [1] : !v to tensor<1xf32>
    %s = tensor.concat dim(0) %f, %l : (tensor<63xf32>, tensor<1xf32>) -> !v
    %r = arith.addf %v, %s : !v
    gpuvm.send %r : !v
  }
  %c = gpuvm.stage @c(%v = %b : !m) -> !v {
    %e = tensor.empty() : !v
    %r = arith.negf %v : !v
    gpuvm.send %r : !v
  }
  gpuvm.return %c, %b : !m, !m
}

// A reduction is no step, and what comes behind it and before another kernel
// of the run stays outside.
// CHECK-LABEL: gpuvm.program @between
// CHECK:         kernel @a_and_1_more_chain chain ["a", "b"](%x)
// CHECK:         kernel @sum_reduce reduce
// CHECK:         kernel @late_map map
gpuvm.program @between(%x: !v) -> (y: !v) {
  %a = gpuvm.stage @a(%v = %x : !v) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %b = gpuvm.stage @b(%v = %a : !m) -> !v {
    %r = arith.negf %v : !v
    gpuvm.send %r : !v
  }
  %sum = gpuvm.stage @sum(%v = %b : !m) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %r = linalg.reduce { arith.addf } ins(%v : !v) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.send %r : tensor<f32>
  }
  %late = gpuvm.stage @late(%v = %b : !m, %s = %sum : !gpuvm.message<tensor<f32>>) -> !v {
    %e = tensor.empty() : !v
    %all = linalg.broadcast ins(%s : tensor<f32>) outs(%e : !v) dimensions = [0]
    %r = arith.subf %v, %all : !v
    gpuvm.send %r : !v
  }
  gpuvm.return %late : !gpuvm.message<!v>
}

// No workgroup holds a million elements.
// CHECK-LABEL: gpuvm.program @large
// CHECK-NOT:     chain [
// ALWAYS-LABEL: gpuvm.program @large
// ALWAYS-NOT:     chain [
!large = tensor<1048576xf32>
gpuvm.program @large(%x: !large) -> (y: !large) {
  %a = gpuvm.stage @a(%v = %x : !large) -> !large {
    %r = arith.addf %v, %v : !large
    gpuvm.send %r : !large
  }
  %b = gpuvm.stage @b(%v = %a : !gpuvm.message<!large>) -> !large {
    %r = arith.negf %v : !large
    gpuvm.send %r : !large
  }
  gpuvm.return %b : !gpuvm.message<!large>
}

// It would fit, but the device is faster on two kernels than one workgroup.
// CHECK-LABEL: gpuvm.program @slow
// CHECK-NOT:     chain [
// ALWAYS-LABEL: gpuvm.program @slow
// ALWAYS:         chain ["a", "b"]
!long = tensor<16384xf32>
gpuvm.program @slow(%x: !long) -> (y: !long) {
  %a = gpuvm.stage @a(%v = %x : !long) -> !long {
    %r1 = arith.addf %v, %v : !long
    %r2 = arith.mulf %r1, %v : !long
    %r3 = arith.mulf %r2, %v : !long
    %r4 = arith.mulf %r3, %v : !long
    %r5 = arith.mulf %r4, %v : !long
    %r6 = arith.mulf %r5, %v : !long
    %r7 = arith.mulf %r6, %v : !long
    %r8 = arith.mulf %r7, %v : !long
    %r9 = arith.mulf %r8, %v : !long
    %r10 = arith.mulf %r9, %v : !long
    %r11 = arith.mulf %r10, %v : !long
    %r12 = arith.mulf %r11, %v : !long
    %r13 = arith.mulf %r12, %v : !long
    %r14 = arith.mulf %r13, %v : !long
    %r15 = arith.mulf %r14, %v : !long
    %r16 = arith.mulf %r15, %v : !long
    %r17 = arith.mulf %r16, %v : !long
    %r18 = arith.mulf %r17, %v : !long
    %r19 = arith.mulf %r18, %v : !long
    %r20 = arith.mulf %r19, %v : !long
    %r21 = arith.mulf %r20, %v : !long
    %r22 = arith.mulf %r21, %v : !long
    %r23 = arith.mulf %r22, %v : !long
    %r24 = arith.mulf %r23, %v : !long
    %r25 = arith.mulf %r24, %v : !long
    %r26 = arith.mulf %r25, %v : !long
    %r27 = arith.mulf %r26, %v : !long
    %r28 = arith.mulf %r27, %v : !long
    %r29 = arith.mulf %r28, %v : !long
    %r30 = arith.mulf %r29, %v : !long
    %r31 = arith.mulf %r30, %v : !long
    %r32 = arith.mulf %r31, %v : !long
    gpuvm.send %r32 : !long
  }
  %b = gpuvm.stage @b(%v = %a : !gpuvm.message<!long>) -> !long {
    %r1 = arith.addf %v, %v : !long
    %r2 = arith.mulf %r1, %v : !long
    %r3 = arith.mulf %r2, %v : !long
    %r4 = arith.mulf %r3, %v : !long
    %r5 = arith.mulf %r4, %v : !long
    %r6 = arith.mulf %r5, %v : !long
    %r7 = arith.mulf %r6, %v : !long
    %r8 = arith.mulf %r7, %v : !long
    %r9 = arith.mulf %r8, %v : !long
    %r10 = arith.mulf %r9, %v : !long
    %r11 = arith.mulf %r10, %v : !long
    %r12 = arith.mulf %r11, %v : !long
    %r13 = arith.mulf %r12, %v : !long
    %r14 = arith.mulf %r13, %v : !long
    %r15 = arith.mulf %r14, %v : !long
    %r16 = arith.mulf %r15, %v : !long
    %r17 = arith.mulf %r16, %v : !long
    %r18 = arith.mulf %r17, %v : !long
    %r19 = arith.mulf %r18, %v : !long
    %r20 = arith.mulf %r19, %v : !long
    %r21 = arith.mulf %r20, %v : !long
    %r22 = arith.mulf %r21, %v : !long
    %r23 = arith.mulf %r22, %v : !long
    %r24 = arith.mulf %r23, %v : !long
    %r25 = arith.mulf %r24, %v : !long
    %r26 = arith.mulf %r25, %v : !long
    %r27 = arith.mulf %r26, %v : !long
    %r28 = arith.mulf %r27, %v : !long
    %r29 = arith.mulf %r28, %v : !long
    %r30 = arith.mulf %r29, %v : !long
    %r31 = arith.mulf %r30, %v : !long
    %r32 = arith.mulf %r31, %v : !long
    gpuvm.send %r32 : !long
  }
  gpuvm.return %b : !gpuvm.message<!long>
}
