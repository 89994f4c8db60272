//===- ResultStores.h - how kernels store what they compute -----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/family/RootEmitter.h"

namespace mlir::gpuvm {

/// A result of a kernel, and where it is stored.
struct StoredResult {
  Value value; ///< That the kernel's body yields.
  unsigned binding;
};

/// The results of a kernel in the order in which their elements are stored:
/// what takes the window of an operand comes after all that is made of that
/// operand. Any order would do if all loads came first, as emitters have it,
/// but a driver moves conditional loads down to where they are used, over a
/// store to the same place (docs/rationale/memory-reuse.md).
SmallVector<StoredResult> getStoredResults(EmitterContext &c);

/// The elements of a kernel's results at places of the results of its root.
/// Stores come after all loads: a result may have the window of an operand that
/// another one is made of.
class ResultStores {
public:
  explicit ResultStores(EmitterContext &context) : c(context) {}

  /// Emits the elements of `yielded` at `at`: of a result that has the root's
  /// shape, or of updates that have it, where scatters store them.
  LogicalResult add(Value yielded, unsigned binding, ElementEmitter::Point at);
  void store();

private:
  struct Pending {
    unsigned binding;
    Lanes elements;
    ElementEmitter::Point at;
    Lanes rows;      ///< Where they are stored instead, words; empty if not.
    int64_t numRows; ///< What is not less is not stored.
  };

  EmitterContext &c;
  SmallVector<Pending, 2> pending;
};

} // namespace mlir::gpuvm
