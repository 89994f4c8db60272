//===- Commands.h - accesses of a program's commands ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the stages have become kernels, a program is a list of commands
// (CommandOpInterface) between symbols, loads and the return. Effects.h has
// what they read and write.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "dialects/gpuvm/ProgramOrder.h"
#include "kernels/analysis/Rotations.h"

namespace mlir::gpuvm {

/// The commands of a program and of its loops, in program order: a loop stands
/// before its body, and the end of the body after that.
inline SmallVector<CommandOpInterface> getCommands(ProgramOp program) {
  return listOps<CommandOpInterface>(program);
}

/// What is between the beginnings and ends of loops.
class Parts {
public:
  explicit Parts(ProgramOp program);
  /// Counts up in program order.
  unsigned numberOf(Operation *op) const { return numbers.lookup(op); }
  /// Whether no loop begins or ends between `a` and `b`.
  bool areTogether(Operation *a, Operation *b) const {
    return numberOf(a) == numberOf(b);
  }

private:
  llvm::DenseMap<Operation *, unsigned> numbers;
};

/// The length of the window a tensor gets: whole words.
uint64_t windowLength(RankedTensorType type);

/// The last command of a live range that ends in `user`: `user` itself, or the
/// end of the outermost loop that is around it and not around `maker` (null: an
/// input), since the loop runs `user` again.
Operation *lastRun(Operation *user, Operation *maker);

/// `wanted`, or a name like it, that nothing in the program has.
StringAttr freeName(ProgramOp program, const Twine &wanted);

} // namespace mlir::gpuvm
