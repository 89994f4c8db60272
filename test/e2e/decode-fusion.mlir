// Decoding is fused into what reads it, and reads the packed bytes.

// RUN: gpuvm-opt %s --gpuvm-pipeline | FileCheck %s
// RUN: gpuvm-compile %s --program=matvec -o %t.gvplan
// RUN: not gpuvm-run %t.gvplan --input=w=71xi8=1 --input=x=64xf32=1 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not gpuvm-run %t.gvplan --input=w=2x64xf32=1 --input=x=64xf32=1 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not gpuvm-interpret %s --program=matvec --input=w=71xi8=1 --input=x=64xf32=1 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: gpuvm-compile %s --program=own -o %t.own.gvplan
// RUN: gpuvm-run %t.own.gvplan --validate --input=b=34xi8=64 | FileCheck %s --check-prefix=OWN
// RUN: gpuvm-interpret %s --program=own --input=b=34xi8=64 | FileCheck %s --check-prefix=OWN

// A matrix times a vector is one kernel; of the matrix it has 72 bytes, not 512.
// CHECK-LABEL: plan.program @matvec
// CHECK: input "matvec.w" : tensor<72xi8> at <heap, 0, 72> on load
// CHECK: plan.dispatch
// CHECK-SAME: windows [#gpuvm.window<registers, 0, 256>, #gpuvm.window<heap, 0, 72>, #gpuvm.window<registers, 256, 8>]
// CHECK-NOT: plan.dispatch
// SHORT: w{{.*}}71{{.*}}72
// TYPE: w{{.*}}f32{{.*}}i8
gpuvm.program @matvec(%x: tensor<64xf32>) -> (y: tensor<2xf32>) {
  gpuvm.heap @w : !gpuvm.packed<q4_0, 2x64>
  %y = gpuvm.stage @multiply(%v = %x : tensor<64xf32>) -> tensor<2xf32> {
    %p = gpuvm.load @w : !gpuvm.packed<q4_0, 2x64>
    %w = gpuvm.decode %p : !gpuvm.packed<q4_0, 2x64> -> tensor<2x64xf32>
    %zero = arith.constant dense<0.0> : tensor<2xf32>
    %r = linalg.matvec ins(%w, %v : tensor<2x64xf32>, tensor<64xf32>) outs(%zero : tensor<2xf32>) -> tensor<2xf32>
    gpuvm.send %r : tensor<2xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<2xf32>>
}

// Three readers, of which each decodes what it reads: no kernel makes the whole tensor.
// CHECK-LABEL: plan.program @readers
// CHECK-NOT: 4096>
gpuvm.program @readers(%p: !gpuvm.packed<q8_0, 32x32>) -> (a: tensor<32xf32>, b: tensor<f32>) {
  %a = gpuvm.stage @row(%in = %p : !gpuvm.packed<q8_0, 32x32>) -> tensor<32xf32> {
    %w = gpuvm.decode %in : !gpuvm.packed<q8_0, 32x32> -> tensor<32x32xf32>
    %r = tensor.extract_slice %w[3, 0] [1, 32] [1, 1] : tensor<32x32xf32> to tensor<32xf32>
    gpuvm.send %r : tensor<32xf32>
  }
  %b = gpuvm.stage @total(%in = %p : !gpuvm.packed<q8_0, 32x32>) -> tensor<f32> {
    %w = gpuvm.decode %in : !gpuvm.packed<q8_0, 32x32> -> tensor<32x32xf32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %r = linalg.reduce ins(%w : tensor<32x32xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
      (%e: f32, %s: f32) {
        %n = arith.addf %s, %e : f32
        linalg.yield %n : f32
      }
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %a, %b : !gpuvm.message<tensor<32xf32>>, !gpuvm.message<tensor<f32>>
}

// A stage that decodes and sends is fused with the stage that multiplies.
// CHECK-LABEL: plan.program @apart
// CHECK: plan.dispatch @decode_multiply_reduce
// CHECK-NOT: plan.dispatch
gpuvm.program @apart(%p: !gpuvm.packed<q8_0, 2x64>, %x: tensor<64xf32>) -> (y: tensor<2xf32>) {
  %m = gpuvm.stage @decode(%in = %p : !gpuvm.packed<q8_0, 2x64>) -> tensor<2x64xf32> {
    %w = gpuvm.decode %in : !gpuvm.packed<q8_0, 2x64> -> tensor<2x64xf32>
    gpuvm.send %w : tensor<2x64xf32>
  }
  %y = gpuvm.stage @multiply(%w = %m : !gpuvm.message<tensor<2x64xf32>>, %v = %x : tensor<64xf32>) -> tensor<2xf32> {
    %zero = arith.constant dense<0.0> : tensor<2xf32>
    %r = linalg.matvec ins(%w, %v : tensor<2x64xf32>, tensor<64xf32>) outs(%zero : tensor<2xf32>) -> tensor<2xf32>
    gpuvm.send %r : tensor<2xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<2xf32>>
}

// Bytes that a stage has made, a slice of them, too: they have a window before they are
// decoded. 0x4040 is 2.125.
// CHECK-LABEL: plan.program @own
// OWN: y: 32xf32=136 136
// OWN: z: 32xf32=2.125 2.125
gpuvm.program @own(%b: tensor<34xi8>) -> (y: tensor<32xf32>, z: tensor<32xf32>) {
  %m = gpuvm.stage @make(%in = %b : tensor<34xi8>) -> tensor<68xi8> {
    %zero = arith.constant dense<0> : tensor<34xi8>
    %same = arith.addi %in, %zero : tensor<34xi8>
    %one = arith.constant dense<1> : tensor<34xi8>
    %two = tensor.concat dim(0) %same, %same : (tensor<34xi8>, tensor<34xi8>) -> tensor<68xi8>
    gpuvm.send %two : tensor<68xi8>
  }
  %y = gpuvm.stage @first(%in = %m : !gpuvm.message<tensor<68xi8>>) -> tensor<32xf32> {
    %part = tensor.extract_slice %in[34] [34] [1] : tensor<68xi8> to tensor<34xi8>
    %r = gpuvm.decode %part as !gpuvm.packed<q8_0, 32> : tensor<34xi8> -> tensor<32xf32>
    gpuvm.send %r : tensor<32xf32>
  }
  %z = gpuvm.stage @second(%in = %m : !gpuvm.message<tensor<68xi8>>) -> tensor<32xf32> {
    %part = tensor.extract_slice %in[2] [64] [1] : tensor<68xi8> to tensor<64xi8>
    %r = gpuvm.decode %part as !gpuvm.packed<f16, 32> : tensor<64xi8> -> tensor<32xf32>
    gpuvm.send %r : tensor<32xf32>
  }
  gpuvm.return %y, %z : !gpuvm.message<tensor<32xf32>>, !gpuvm.message<tensor<32xf32>>
}
