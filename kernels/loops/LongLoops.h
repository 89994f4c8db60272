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

#include "kernels/Emitter.h"

namespace mlir::gpuvm {

/// How often the loops of `op`'s regions run at most, each in the others; those
/// that hardly ever run are left out. Nothing if that is not known.
std::optional<int64_t> countIterations(Operation *op);

/// Loops of at most so many iterations, known in advance, are never long.
inline constexpr int64_t kShortLoop = 64;

/// Whether `op` is a loop that is not short, or holds one.
bool mayRunLong(Operation *op);

/// Whether loops of the bodies of `kernel`, laid out as `config` says, may run
/// longer than some drivers let them.
bool mayLoopLong(KernelOp kernel, const KernelConfig &config);

/// Below 65,535, after which such a driver ends all loops of a subgroup.
inline constexpr int64_t kMaxSubgroupIterations = 60000;

/// On a kernel, which makes the elements that an equal one right before it has
/// left, and on the barrier before it, which is there for it alone.
inline constexpr llvm::StringLiteral kResumesAttr = "gpuvm.resumes";

/// On its emitted module, and on the chain.kernel: the binding whose first word
/// says that a loop was given up.
inline constexpr llvm::StringLiteral kUnfinishedAttr = "chain.unfinished";

/// On commands of a plan: the feature of devices that do without them.
inline constexpr llvm::StringLiteral kUnlessAttr = "chain.unless";

/// How the loops of a map's bodies run.
enum class LoopForm {
  Plain,   ///< As they are written.
  Limited, ///< Up to a limit; elements that need more are left.
  Resumed, ///< In parts, of elements that were left.
};
/// That of `kernel`, laid out as `config` says: a map has scratch memory for
/// what it leaves, and nothing else.
LoopForm getLoopForm(KernelOp kernel, const KernelConfig &config);

/// Chooses how the loops of a map run, and lays it out for that.
void configureLoops(KernelOp kernel, KernelConfig &config);

/// Such a map deals its elements round robin to all its lanes. A lane that has
/// come to one whose loops are too long stores no more, but in its word of the
/// scratch memory, which is zero else, the number of those that it has stored,
/// and one more. The lanes that a workgroup of the other kernel looks after:
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

/// Emits the kernel that leaves elements, and the one that makes those.
LogicalResult emitLimitedMap(EmitterContext &context);
LogicalResult emitResumingMap(EmitterContext &context);
/// Stores element `i` of the results of a map, if what `mayStore` emits, when
/// they are known, says so.
LogicalResult emitElement(EmitterContext &context, Value i,
                          function_ref<Value()> mayStore = {});

} // namespace mlir::gpuvm
