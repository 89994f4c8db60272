//===- Lifetimes.h - from where to where values are needed ------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of commands in an order, the steps of that order without a
// barrier inside, and the last command that reads a value.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "passes/analysis/Effects.h"

namespace mlir::gpuvm {

/// How many of the commands after an exchange may run meanwhile: those up to
/// the first one that reads or writes what it moves.
unsigned countMeanwhile(flow::ExchangeOp exchange,
                        ArrayRef<CommandOpInterface> after,
                        const Places &places);

class Lifetimes {
public:
  /// Of `commands`, all of a program, in this order.
  Lifetimes(ArrayRef<CommandOpInterface> commands, const Places &places);

  /// Uploads are number 0, downloads the last; commands have those between.
  unsigned numberOf(Operation *command) const {
    return numbers.lookup(command);
  }
  unsigned getLast() const { return steps.size() - 1; }
  unsigned countSteps() const { return steps.back(); }
  /// The step of each number: a command opens a new one if it depends on a
  /// command of the current one.
  ArrayRef<unsigned> getSteps() const { return steps; }
  /// The number of the last command that reads `value`.
  unsigned lastUse(Value value) const;
  /// Whether `dispatch` is the last to read `value`, all other readers being
  /// in earlier steps.
  bool diesIn(Value value, flow::DispatchOp dispatch) const;
  /// Whether result `result` of `dispatch` may be written over operand
  /// `operand`, a value in no symbol.
  bool canTakeOver(flow::DispatchOp dispatch, Value operand,
                   unsigned result) const;

private:
  unsigned endOf(Operation *command) const;

  llvm::DenseMap<Operation *, unsigned> numbers;
  /// Of exchanges, the last command that may run meanwhile.
  llvm::DenseMap<Operation *, unsigned> ends;
  SmallVector<unsigned> steps;
};

} // namespace mlir::gpuvm
