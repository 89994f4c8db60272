//===- VirtualOps.h - operations that are rematerialised --------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation is virtual if it has no place of its own: every kernel that
// reads it rematerialises it, for the elements that it needs. Virtual are
//
//   - cheap elementwise operations that are read at other indices (broadcast,
//     transposed, sliced, by a root), functions for few readers;
//   - elementwise operations that lead to one root, which reads each element
//     about once, and to nothing else: those of a predicate, say;
//   - elementwise operations that are read as tables, and there about once;
//   - inner reductions: over few neighbours, in an order that is not visible.
//
// as long as their code is not copied too often (CodeCopies.h).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "passes/fusion/GroupingLimits.h"
#include "passes/fusion/LoopNest.h"

namespace mlir::gpuvm {

struct VirtualOps {
  llvm::DenseSet<Operation *> ops;
  /// What only moves elements, and would do so for too many readers.
  SmallVector<Operation *> crowdedMoves;
};

/// The virtual ones among `ops` (KernelGroups.h), of which `facts` holds all
/// but what they read through virtual operations.
VirtualOps findVirtualOps(ArrayRef<Operation *> ops, const OpFactsMap &facts,
                          const ResolveFn &resolve,
                          function_ref<bool(Operation *, Operation *)> mayShare,
                          const GroupingLimits &limits);

} // namespace mlir::gpuvm
