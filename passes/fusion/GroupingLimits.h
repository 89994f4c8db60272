//===- GroupingLimits.h - how large kernels may become --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Target.h"
#include "schema/Limits.h"

namespace mlir::gpuvm {

struct GroupingLimits {
  GroupingLimits(Operation *program, uint64_t maxWindowBytes)
      : windows(vm::bindingsToGroup(getMainTarget(program).getBindings())),
        maxWindowBytes(maxWindowBytes) {}
  /// Bindings a kernel may need.
  unsigned windows;
  /// Scalar operations for each element in one kernel.
  static constexpr unsigned operations = 128;
  /// Next to an elementwise one that has more than that by itself.
  static constexpr unsigned besides = 32;
  /// A virtual operation computes at most so many scalar operations again.
  unsigned recompute = 8;
  /// And all readers of an element together, with what functions expand to.
  unsigned recomputed = 64;
  /// A value of more bytes takes several windows.
  uint64_t maxWindowBytes;
};

} // namespace mlir::gpuvm
