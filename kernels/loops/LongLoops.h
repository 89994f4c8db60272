//===- LongLoops.h - bodies whose loops run long ----------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some drivers end loops early (docs/rationale/long-loops.md). There a map
// whose loops may run so long ends them itself, and marks the elements that it
// leaves out; a second kernel, which can resume loops, makes those.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::gpuvm {

/// How often `loop` runs at most, if its bounds say so: the lower one is a
/// constant, and the upper one is, too, or is a sum of constants and indices of
/// the operation around it, or the smaller one of two numbers, one of them
/// such.
std::optional<int64_t> mostIterations(scf::ForOp loop);

/// How often the loops of `op`'s regions run at most, each in the others; those
/// that hardly ever run are left out. Nothing if that is not known.
std::optional<int64_t> countIterations(Operation *op);

/// Loops of at most so many iterations, known in advance, are never long.
inline constexpr int64_t kShortLoop = 64;

/// Whether `op` is a loop that is not short, or holds one.
bool mayRunLong(Operation *op);

/// Whether loops of the bodies of `kernel`, which a lane computes `bodies`
/// times, may run longer than some drivers let them.
bool mayLoopLong(flow::DispatchOp kernel, int64_t bodies);

/// Below 65,535, after which such a driver ends all loops of a subgroup.
inline constexpr int64_t kMaxSubgroupIterations = 60000;

/// A map whose loops are limited deals its elements round robin to all its
/// lanes. A lane that has come to one whose loops are too long stores no more,
/// but in its word of the scratch memory, which is zero else, the number of
/// those that it has stored, and one more. The lanes that a workgroup of the
/// other kernel looks after:
int64_t lanesOfResuming(int64_t elements);

/// Words in Control of each such map. They are zero between executions, but for
/// the other two counts of workgroups.
enum LoopWord : int64_t {
  kUnfinished, ///< A loop was given up.
  kGroups,     ///< As many as there are if a lane has left something.
  kOtherGroups,
  kMoreGroups,
  kArrived, ///< Workgroups that are through.
  kNumLoopWords
};

} // namespace mlir::gpuvm
