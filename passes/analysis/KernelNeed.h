//===- KernelNeed.h - demand under a predicate ------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "kernels/analysis/Alternative.h"
#include "passes/analysis/KernelCondition.h"

namespace mlir::gpuvm {

/// Which results of kernels are demanded while a predicate is false, or, with
/// `unless`, while it is true.
class Need {
public:
  Need(KernelCondition condition, bool unless)
      : condition(condition), unless(unless) {}
  /// What each result of `kernel` is while it is skipped: the number of the
  /// operand that a select, or the root that updates it, says, or -1 for what
  /// is not demanded then. Nothing if it cannot be skipped.
  std::optional<SmallVector<int64_t>> findOtherwise(flow::DispatchOp kernel);

private:
  std::optional<unsigned> findAlternative(flow::DispatchOp kernel,
                                          OpResult result);
  bool isNeeded(OpResult result);
  bool isNeededBy(flow::DispatchOp kernel, unsigned number);
  bool runsOnCondition(flow::DispatchOp kernel, Operation *op);
  bool isNeededIn(flow::DispatchOp kernel, Value inside);
  /// The operand of a select by the predicate that is chosen while kernels are
  /// skipped, and the other one.
  Value left(const Alternative &choice) const {
    return unless ? choice.yes : choice.no;
  }
  Value taken(const Alternative &choice) const {
    return unless ? choice.no : choice.yes;
  }

  KernelCondition condition;
  bool unless;
  llvm::DenseMap<Value, bool> known;
};

} // namespace mlir::gpuvm
