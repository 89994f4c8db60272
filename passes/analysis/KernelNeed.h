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
  /// Whether the dispatch of `kernel` can be skipped: each result is not
  /// demanded, or is then its tied operand, as `isTied` says; unless given,
  /// wherever there is an operand that it may be tied to.
  bool canBeParked(flow::DispatchOp kernel,
                   llvm::function_ref<bool(OpResult)> isTied = nullptr);
  /// The number of the operand that `result` is while kernels are skipped, if a
  /// select, or the root that updates it, says so.
  std::optional<unsigned> findAlternative(flow::DispatchOp kernel,
                                          OpResult result);

private:
  bool isNeeded(OpResult result);
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
