//===- Unspecified.h - elements that nothing specifies ----------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A read outside of a table gets some element, and a program may read first and
// test the index then (docs/arithmetic.md, Tables). So the interpreter marks
// the result of such a read and what is computed of it. The mark is dropped
// where a select takes the other side. It is an error where it would decide
// about anything: a branch, a result, a store, an operation that reads all of
// its elements.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/Operation.h"

#include <memory>
#include <vector>

namespace mlir::gpuvm::reference {

/// Why an element has no value: `op` did `what`.
struct Cause {
  Operation *op;
  std::string what;
};
using CausePtr = std::shared_ptr<const Cause>;

/// Which elements of a value are unspecified.
struct Unspecified {
  std::vector<uint8_t> flags; ///< 1 or 0 for each element; empty: none is.
  CausePtr cause;             ///< Of one of them.

  bool any() const { return !flags.empty(); }
};

/// `flags` if there is a 1 among them, or none.
Unspecified makeUnspecified(std::vector<uint8_t> flags, CausePtr cause);

/// Emits an error at the cause, with a note at `user`, which cannot do with
/// what it is given.
LogicalResult reportUnspecified(Operation *user, const CausePtr &cause);

/// Which of `count` elements that `op` computes are unspecified: those of which
/// an operand is that matters. `flags`: of the operands, null where none is.
void propagateUnspecified(Operation *op, ArrayRef<const uint8_t *> flags,
                          ArrayRef<const void *> elements, size_t count,
                          uint8_t *result);

/// Whether `op` may not be computed at all for some operands, as a division.
bool needsSpecified(Operation *op);

} // namespace mlir::gpuvm::reference
