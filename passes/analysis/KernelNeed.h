//===- KernelNeed.h - who needs what kernels make ---------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/analysis/Alternative.h"
#include "passes/analysis/KernelCondition.h"

namespace mlir::gpuvm {

/// Who needs what kernels make, while a condition does not hold, or, with
/// `unless`, while it does.
class Need {
public:
  Need(KernelCondition condition, bool unless)
      : condition(condition), unless(unless) {}
  /// Whether nobody needs anything of it.
  bool canBeParked(KernelOp kernel);

private:
  bool isNeeded(OpResult result);
  bool runsOnCondition(KernelOp kernel, Operation *op);
  bool isNeededIn(KernelOp kernel, Value inside);
  bool staysWhereItIs(KernelOp kernel, OpResult result);
  /// What an alternative by the condition chooses while kernels are parked, and
  /// what it chooses else.
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
