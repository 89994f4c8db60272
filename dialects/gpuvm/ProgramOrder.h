//===- ProgramOrder.h - the order of commands and loops -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program is a nest: its block, and the blocks of the loops in it. In program
// order it is a list, in which a loop comes before its body and the terminator
// of the body after it.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

/// The operations of a program and of its loops, in the order of the text. What
/// stages and kernels hold is not among them.
SmallVector<Operation *> listOps(ProgramOp program);

/// Those of one kind.
template <typename OpT> SmallVector<OpT> listOps(ProgramOp program) {
  SmallVector<OpT> ops;
  for (Operation *op : listOps(program))
    if (auto own = dyn_cast<OpT>(op))
      ops.push_back(own);
  return ops;
}

/// The operation after `op` in that order; null after the last one.
Operation *getNextOp(Operation *op);

/// The operation of a program, or of a loop, that `op` is or stands in.
Operation *getOpOfProgram(Operation *op);

/// Whether `a` stands before `b` in the order of the text, both operations of
/// one program.
bool isBefore(Operation *a, Operation *b);

} // namespace mlir::gpuvm
