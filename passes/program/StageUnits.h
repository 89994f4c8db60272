//===- StageUnits.h - epochs of a stage -----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inside a stage, operations from before an external kernel cannot share a
// kernel with operations from after it. A read of a symbol which the stage has
// written cannot share one with operations from before the write: a dispatch
// does not see its own writes. The stage is split into epochs.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "passes/analysis/Effects.h"

namespace mlir::gpuvm {

/// The generics and root operations of a stage, and the epoch of each.
struct StageUnits {
  explicit StageUnits(StageOp stage);
  SmallVector<Operation *> ops;
  llvm::DenseMap<Operation *, unsigned> epoch;
  unsigned numEpochs = 1;
  SmallVector<Place> reads, writes; ///< Of symbols.
};

} // namespace mlir::gpuvm
