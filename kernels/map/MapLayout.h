//===- MapLayout.h - how a map is laid over the device --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/family/Layout.h"

namespace mlir::gpuvm {

struct MapLayout : LayoutOf<MapLayout> {
  /// How the loops of the bodies run.
  enum class Loops {
    Plain,   ///< As they are written.
    Limited, ///< Up to a limit; elements that need more are left.
    Resumed, ///< In parts, of elements that were left.
  };
  Loops loops = Loops::Plain;
  /// Of a map that holds values: the results of a workgroup (HaloTile.h).
  SmallVector<int64_t> tile;

  void visit(LayoutFields &fields) override;
};

/// The form of a map with loops of the kind Limited.
inline constexpr StringLiteral kLimitedForm = "limited";
/// The form of what computes the elements that a limited one has left.
inline constexpr StringLiteral kResumingForm = "resuming";

} // namespace mlir::gpuvm
