//===- LoopNest.h - fusion of loop nests ------------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rule of what may be in one kernel as far as loops and the order of
// reductions go. KernelGroups.h tries which operations to put together and
// knows the limits of devices.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "passes/fusion/SourceReads.h"

namespace mlir::gpuvm {

/// What is asked again and again about an operation.
struct OpFacts {
  unsigned number = 0; ///< In program order.
  SmallVector<SourceRead> reads;
  SmallVector<SourceRead> readsThroughVirtual; ///< What virtual ones read.
  SmallVector<int64_t> loops;
  int64_t cost = 0;     ///< `costOf` it.
  bool mayLoop = false; ///< `hasLoops` of it.
};
using OpFactsMap = llvm::DenseMap<Operation *, OpFacts>;

/// Whether `ops` (in program order) walk one index space: the loops of the
/// reductions if there are any. An operation whose loops are those of the
/// results instead is epilogue: it must read a reduction, directly or through
/// other epilogue, or be read by epilogue. So may be one of a few elements, if
/// there is one result.
bool fitsOneLoopNest(ArrayRef<linalg::GenericOp> ops, const OpFactsMap &facts);

} // namespace mlir::gpuvm
