//===- HaloTile.h - tiles with what lies around them ------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A map may hold values that its results read around their own place, as a blur
// reads what it blurs. A workgroup then makes a tile of the results: first it
// computes the held values' elements for the tile and its halo, once, into
// workgroup memory.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "dialects/gpuvm/Target.h"
#include "kernels/analysis/Reach.h"

namespace mlir::gpuvm {

/// A value to hold for a tile.
struct HaloValue {
  Reach reach;
  int64_t elementBytes; ///< In workgroup memory.
};

/// Bytes of an element of `type` in workgroup memory.
int64_t workgroupBytesOf(Type type);

/// The tile of a map over `loops` that holds `values`; empty if no tile with
/// its halos fits into the workgroup memory of `target`.
SmallVector<int64_t> chooseHaloTile(ArrayRef<int64_t> loops,
                                    ArrayRef<HaloValue> values,
                                    TargetAttr target);

/// The dimension along which a lane takes results that share what they read:
/// not the last one of several, along which lanes are.
unsigned getSharingDim(ArrayRef<int64_t> tile);

int64_t countTiles(ArrayRef<int64_t> loops, ArrayRef<int64_t> tile);

/// The values that a map holds, in order.
SmallVector<Value> getHeldValues(flow::DispatchOp kernel);

/// Those that `kernel` holds, as HaloValues; nothing if a result reads one of
/// them elsewhere than around its own place.
std::optional<SmallVector<HaloValue>> findHalos(flow::DispatchOp kernel);

} // namespace mlir::gpuvm
