//===- ExchangeDepths.h - after how many exchanges --------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "passes/analysis/Effects.h"

namespace mlir::gpuvm {

/// How many exchanges come before the commands of a program, between the
/// beginnings and ends of loops around them.
class ExchangeDepths {
public:
  ExchangeDepths(ProgramOp program, const Effects &effects);

  /// The exchanges of the longest chain of them that `op` waits for.
  unsigned of(Operation *op) const { return depths.lookup(op); }
  /// Whether `a` and `b` can be one command and no exchange comes after more
  /// exchanges for that.
  bool mayJoin(Operation *a, Operation *b) const {
    return of(a) == of(b) || !needed.contains(of(a) < of(b) ? a : b);
  }

private:
  llvm::DenseMap<Operation *, unsigned> depths;
  llvm::DenseSet<Operation *> needed; ///< By exchanges.
};

} // namespace mlir::gpuvm
