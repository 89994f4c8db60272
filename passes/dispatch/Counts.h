//===- Counts.h - workgroup counts that the device computes -----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose numbers of workgroups the device decides read them from
// triplets in Control. One small kernel writes those of several of them.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "dialects/gpuvm/Target.h"
#include "passes/expand/ElementBuilder.h"

namespace mlir::gpuvm {

/// What the kernel that writes counts costs, with its barriers, in
/// microseconds: 4.8 on an H200, where a dispatch takes 2.07
/// (docs/rationale/conditions.md).
inline double getCountsUs(TargetAttr target) {
  return 2.32 * target.getDispatchNs() / 1e3;
}

/// What kernels in a repeat must be expected to take, as a share of what
/// counting costs elsewhere. There it costs hardly more than the copy of the
/// state that it saves, and times after the end are many; on a CPU, where
/// kernels take a thousand times as long and counting a tenth of a millisecond,
/// this is where it begins to pay (docs/rationale/repeats.md).
inline constexpr double kShareInRepeat = 1.0 / 16;

/// The number of workgroups of a kernel, an i32, made of the only element of a
/// word; `groups` is what it has at most.
using GroupsFn = function_ref<Expr(const Expr &element, flow::DispatchOp kernel,
                                   uint32_t groups)>;

/// What of a kernel the number depends on, besides `groups`: kernels that have
/// it in common have one triplet.
using GroupsKeyFn =
    function_ref<SmallVector<int64_t, 4>(flow::DispatchOp kernel)>;

/// Gives `kernels` their triplets, which the planner places in Control: kernels
/// at `place`, before all of them, write there what `groupsOf` makes of `word`.
/// The first one replaces `copy`, if there is one, which copies `word`.
void addCounts(ProgramOp program, Operation *place, Value word,
               ArrayRef<flow::DispatchOp> kernels, GroupsFn groupsOf,
               GroupsKeyFn keyOf, flow::DispatchOp copy = {});

} // namespace mlir::gpuvm
