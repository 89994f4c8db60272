//===- Bindings.h - which windows a kernel binds where --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows of a region are numbered. A value that is longer than a device may
// bind takes several (docs/rationale/split-windows.md); a kernel with more
// windows than its target binds has those that lie next to each other in one
// binding (docs/rationale/bundles.md).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"

namespace mlir::gpuvm {

/// Windows that hold one operand, result or scratch of a kernel together.
struct SplitWindow {
  SmallVector<unsigned> bindings; ///< Of the pieces, in order; two or more.
  uint64_t pieceBytes;            ///< Of all but the last one; a power of two.
};

/// A window that shares a binding with the windows before and after it.
struct BundledWindow {
  unsigned number; ///< What BindingLayout has in the place of a binding.
  unsigned binding;
  uint64_t offset; ///< Of the window in the binding, in bytes.
};

/// The bindings of a kernel's operands, results and scratch: window k of region
/// r is binding r + 5 * k, windows counted in this order, equal ones once, and
/// those that are longer than the device may bind in pieces.
struct BindingLayout {
  /// Bindings of first pieces, or numbers of bundled windows.
  SmallVector<unsigned> inputs, outputs, scratch;
  SmallVector<WindowAttr> windows; ///< Of each distinct binding, ascending.
  SmallVector<unsigned> bindings;  ///< Their numbers.
  SmallVector<SplitWindow> splits;
  SmallVector<BundledWindow> bundled;

  /// Where the operand is that `number` stands for.
  unsigned bindingOf(unsigned number) const;
};

/// The layout of a kernel with windows.
BindingLayout layOutBindings(flow::DispatchOp kernel);

/// The longest window a kernel of `program` may bind: what gpuvm-plan-memory
/// was told, or what every Vulkan device can do.
uint64_t getMaxWindowBytes(ProgramOp program);
void setMaxWindowBytes(ProgramOp program, uint64_t bytes);

/// maxStorageBufferRange is at least so much (Vulkan 1.2, required limits).
inline constexpr uint64_t kGuaranteedWindowBytes = uint64_t(1) << 27;

/// How many windows a value of `type` takes.
unsigned countWindows(RankedTensorType type, uint64_t maxWindowBytes);

} // namespace mlir::gpuvm
