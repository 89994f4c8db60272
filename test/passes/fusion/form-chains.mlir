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
// CHECK:         %[[C:.*]]:2 = flow.dispatch @a_and_2_more_chain chain ["a", "b", "c"](%x) {
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: tensor<64xf32>):
// CHECK-NEXT:      %[[X:.*]] = flow.hold %[[IN]]
// CHECK:           concat {{.*}}
// CHECK:           %[[A:.*]] = flow.hold
// CHECK:           extract_slice %[[A]]
// CHECK:           %[[B:.*]] = flow.hold
// CHECK:           %[[D:.*]] = flow.hold
// CHECK-NEXT:      yield %[[B]], %[[D]]
// CHECK-NOT:     dispatch
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

// A reduction of one workgroup is a step, and so is what reads it.
// CHECK-LABEL: gpuvm.program @between
// CHECK:         flow.dispatch @a_and_3_more_chain chain ["a", "b", "sum", "late"](%x)
// CHECK-NOT:     flow.dispatch
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

// Thirty results are more windows than a kernel may have, so there are two
// chains.
// CHECK-LABEL: gpuvm.program @many
// CHECK:         flow.dispatch @m0_and_14_more_chain chain
// CHECK:         flow.dispatch @m15_and_14_more_chain chain
gpuvm.program @many(%x: !v) -> (!v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v) {
  %m0 = gpuvm.stage @m0(%v = %x : !v) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m1 = gpuvm.stage @m1(%v = %m0 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m2 = gpuvm.stage @m2(%v = %m1 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m3 = gpuvm.stage @m3(%v = %m2 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m4 = gpuvm.stage @m4(%v = %m3 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m5 = gpuvm.stage @m5(%v = %m4 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m6 = gpuvm.stage @m6(%v = %m5 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m7 = gpuvm.stage @m7(%v = %m6 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m8 = gpuvm.stage @m8(%v = %m7 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m9 = gpuvm.stage @m9(%v = %m8 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m10 = gpuvm.stage @m10(%v = %m9 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m11 = gpuvm.stage @m11(%v = %m10 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m12 = gpuvm.stage @m12(%v = %m11 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m13 = gpuvm.stage @m13(%v = %m12 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m14 = gpuvm.stage @m14(%v = %m13 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m15 = gpuvm.stage @m15(%v = %m14 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m16 = gpuvm.stage @m16(%v = %m15 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m17 = gpuvm.stage @m17(%v = %m16 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m18 = gpuvm.stage @m18(%v = %m17 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m19 = gpuvm.stage @m19(%v = %m18 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m20 = gpuvm.stage @m20(%v = %m19 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m21 = gpuvm.stage @m21(%v = %m20 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m22 = gpuvm.stage @m22(%v = %m21 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m23 = gpuvm.stage @m23(%v = %m22 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m24 = gpuvm.stage @m24(%v = %m23 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m25 = gpuvm.stage @m25(%v = %m24 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m26 = gpuvm.stage @m26(%v = %m25 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m27 = gpuvm.stage @m27(%v = %m26 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m28 = gpuvm.stage @m28(%v = %m27 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %m29 = gpuvm.stage @m29(%v = %m28 : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  gpuvm.return %m0, %m1, %m2, %m3, %m4, %m5, %m6, %m7, %m8, %m9, %m10, %m11, %m12, %m13, %m14, %m15, %m16, %m17, %m18, %m19, %m20, %m21, %m22, %m23, %m24, %m25, %m26, %m27, %m28, %m29 : !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m
}

// Chains of one stage that have as many steps have names of their own.
// ALWAYS-LABEL: gpuvm.program @names
// ALWAYS:         flow.dispatch @s_and_1_more_chain chain
// ALWAYS:         flow.dispatch @s_and_1_more_chain_0 chain
gpuvm.program @names(%x: !v, %y: tensor<32xf32>) -> (a: !v, b: tensor<32xf32>, c: !v, d: tensor<32xf32>) {
  %a, %b, %c, %d = gpuvm.stage @s(%v = %x : !v, %w = %y : tensor<32xf32>) -> (!v, tensor<32xf32>, !v, tensor<32xf32>) {
    %0 = tensor.extract_slice %v[1] [63] [1] : !v to tensor<63xf32>
    %1 = tensor.extract_slice %v[0] [1] [1] : !v to tensor<1xf32>
    %2 = tensor.concat dim(0) %0, %1 : (tensor<63xf32>, tensor<1xf32>) -> !v
    %3 = arith.addf %v, %2 : !v
    %4 = tensor.extract_slice %3[1] [63] [1] : !v to tensor<63xf32>
    %5 = tensor.extract_slice %3[0] [1] [1] : !v to tensor<1xf32>
    %6 = tensor.concat dim(0) %4, %5 : (tensor<63xf32>, tensor<1xf32>) -> !v
    %7 = arith.mulf %3, %6 : !v
    %10 = tensor.extract_slice %w[1] [31] [1] : tensor<32xf32> to tensor<31xf32>
    %11 = tensor.extract_slice %w[0] [1] [1] : tensor<32xf32> to tensor<1xf32>
    %12 = tensor.concat dim(0) %10, %11 : (tensor<31xf32>, tensor<1xf32>) -> tensor<32xf32>
    %13 = arith.addf %w, %12 : tensor<32xf32>
    %14 = tensor.extract_slice %13[1] [31] [1] : tensor<32xf32> to tensor<31xf32>
    %15 = tensor.extract_slice %13[0] [1] [1] : tensor<32xf32> to tensor<1xf32>
    %16 = tensor.concat dim(0) %14, %15 : (tensor<31xf32>, tensor<1xf32>) -> tensor<32xf32>
    %17 = arith.mulf %13, %16 : tensor<32xf32>
    gpuvm.send %7, %17, %3, %13 : !v, tensor<32xf32>, !v, tensor<32xf32>
  }
  gpuvm.return %a, %b, %c, %d : !m, !gpuvm.message<tensor<32xf32>>, !m, !gpuvm.message<tensor<32xf32>>
}
