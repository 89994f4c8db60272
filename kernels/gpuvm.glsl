//===- gpuvm.glsl - windows of external kernels ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of your own sees each operand and each result of its
// gpuvm.extern_kernel through a window, a storage buffer: operands are windows
// 0, 1, ... of Registers, results the windows behind them. Declare each once,
// with the element type of the tensor:
//
//   #extension GL_GOOGLE_include_directive : require
//   #include "gpuvm.glsl"
//   layout(local_size_x = 64) in;
//   GPUVM_READ(0, float, x);   // operand 0: x[i], x.length()
//   GPUVM_WRITE(1, float, y);  // result 0
//
// Operands that are loaded from another region are copied to Registers first.
// Tensors are dense and row-major. A window can be longer than its tensor: take
// the number of elements from the type, not from length(), where that matters.
// The compiler checks the element type, of vectors too; an array of structures
// reads the bytes of its tensor as it likes. Not allowed: push constants,
// specialization constants, images, and uniform buffers (docs/plan-format.md,
// section 4). i1 is one byte, 0 or 1.
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_GLSL
#define GPUVM_GLSL

// The five regions (runtime/plan/Plan.h).
#define GPUVM_REGISTERS 0
#define GPUVM_METRICS 1
#define GPUVM_GLOBALS 2
#define GPUVM_CONTROL 3
#define GPUVM_HEAP 4

// Window k of a region is binding region + 5 k of descriptor set 0.
#define GPUVM_BINDING(region, k) ((region) + 5 * (k))

#define GPUVM_WINDOW(region, k, access, type, name)                            \
  layout(set = 0, binding = GPUVM_BINDING(region, k), std430)                  \
      access restrict buffer GpuvmWindow_##name {                              \
    type name[];                                                               \
  }

// An operand, and a result, of a gpuvm.extern_kernel.
#define GPUVM_READ(k, type, name)                                              \
  GPUVM_WINDOW(GPUVM_REGISTERS, k, readonly, type, name)
#define GPUVM_WRITE(k, type, name)                                             \
  GPUVM_WINDOW(GPUVM_REGISTERS, k, writeonly, type, name)

#endif // GPUVM_GLSL
