//===- StepLimit.h - a limit on the interpreter's steps ---------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of a few lines can loop for years. Steps are counted, not time, so
// that a program ends in the same place on every machine.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

#include <cstdint>

namespace mlir::gpuvm::reference {

/// A step is an operation of a program, an iteration of a loop, or an operation
/// on one element. Not thread-safe.
class StepLimit {
public:
  explicit StepLimit(uint64_t steps = UINT64_MAX) : all(steps), left(steps) {}

  /// Fails from where there are not `steps` left; emits an error, once, at
  /// `op`, which is what takes them.
  LogicalResult take(Operation *op, uint64_t steps) {
    if (isOver)
      return failure();
    isOver = steps > left;
    if (isOver)
      return op->emitError("the interpreter ends here: it has done the ")
             << all << " steps that it may do";
    left -= steps;
    return success();
  }
  /// Whether that has happened.
  bool exceeded() const { return isOver; }

private:
  uint64_t all, left;
  bool isOver = false;
};

} // namespace mlir::gpuvm::reference
