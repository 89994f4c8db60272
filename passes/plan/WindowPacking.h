//===- WindowPacking.h - the placement of windows in a region -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dynamic storage allocation: windows with a size and a range of time in which
// they are in use get offsets, so that windows in use at once do not overlap
// and the region stays small. Time is counted in commands, or in steps:
// commands of one step may run at the same time.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::gpuvm {

/// A window to be placed, in use from command `first` to command `last`.
struct LiveRange {
  uint64_t bytes;
  unsigned first, last;
};

/// The step of each command, ascending without gaps from 0.
using Steps = SmallVector<unsigned>;

/// The most bytes in use in one step: no placement gets along with less.
uint64_t countLiveBytes(ArrayRef<LiveRange> ranges, ArrayRef<unsigned> steps);

/// Cuts steps in two where a barrier costs less than the bytes it saves, one
/// barrier for `bytesPerBarrier`.
Steps cutSteps(ArrayRef<LiveRange> ranges, ArrayRef<unsigned> steps,
               uint64_t bytesPerBarrier);

struct Packing {
  SmallVector<uint64_t> offsets; ///< Of each range; multiples of its alignment.
  uint64_t bytes = 0;            ///< The end of the last window.
};

/// Offsets for `ranges`, whose sizes are multiples of the alignment of windows.
/// Greedy in several orders; the best packing is kept.
Packing packWindows(ArrayRef<LiveRange> ranges, ArrayRef<unsigned> steps);

} // namespace mlir::gpuvm
