//===- Commands.h - accesses of a program's commands ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the stages have become kernels, a program is a list of commands
// (kernels, external kernels, copies, stores) between symbols, loads and the
// return. Scheduling, memory planning and barrier placement ask the same
// questions about them.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/ProgramOrder.h"

namespace mlir::gpuvm {

/// On stages, an array with one entry for each message, and on the producers of
/// messages: the symbol that says how many rows it has.
inline constexpr StringLiteral kRowsAttr = "gpuvm.rows";

/// On stages that had a condition, while passes change nothing but them: the
/// number of the block argument that is also the condition of all receivers of
/// their messages.
inline constexpr StringLiteral kConditionAttr = "gpuvm.condition";

/// Whether `op` becomes a command of the plan, or is a loop or the end of one,
/// which touch nothing themselves.
bool isCommand(Operation *op);

/// The commands of a program and of its loops, in program order: a loop stands
/// before its body, and the end of the body after that.
SmallVector<Operation *> getCommands(ProgramOp program);

/// The part of a symbol that a load or a store accesses, in bytes from the
/// start of the symbol.
struct SymbolBytes {
  Operation *symbol = nullptr;
  uint64_t begin = 0, end = 0;
  bool overlaps(const SymbolBytes &other) const {
    return symbol == other.symbol && begin < other.end && other.begin < end;
  }
};
SymbolBytes getSymbolBytes(LoadOp op);
SymbolBytes getSymbolBytes(StoreOp op);

/// The load of the symbol that a kernel updates in place to compute `value`;
/// null if it computes it elsewhere.
LoadOp getUpdatedLoad(Value value);

/// The window of a slice of a symbol that has one.
WindowAttr getWindow(const SymbolBytes &bytes);

/// The window of a value of a program that has windows.
WindowAttr getWindow(ProgramOp program, Value value);

/// The length of the window a tensor gets: whole words.
uint64_t windowLength(RankedTensorType type);

/// What a command with windows reads and writes.
struct Access {
  WindowAttr window;
  bool writes;
};
SmallVector<Access> getAccesses(Operation *command);

/// The intersection of two windows; null if they do not meet.
WindowAttr intersect(WindowAttr a, WindowAttr b);

/// Whether one of `a` and one of `b` may not happen at the same time.
bool conflicts(ArrayRef<Access> a, ArrayRef<Access> b);
/// The barriers between commands with these accesses.
unsigned countBarriers(ArrayRef<SmallVector<Access>> commands);

/// The windows that rotate in a loop.
using Rotations = SmallVector<SmallVector<WindowAttr>>;
Rotations getRotations(LoopOp op);
/// What is in `window` after `turns` more iterations; `turns` may be negative.
WindowAttr rotate(WindowAttr window, const Rotations &rotations, int64_t turns);

/// The last command of a live range that ends in `user`: `user` itself, or the
/// end of the outermost loop that is around it and not around `maker` (null: an
/// input), since the loop runs `user` again.
Operation *lastRun(Operation *user, Operation *maker);

/// Whether no loop begins or ends between `a` and `b`.
bool stayTogether(Operation *a, Operation *b);

/// The commands that must precede a command or a load according to values and
/// symbols alone (no windows). The order of the loads and stores of a symbol is
/// their program order. Nothing passes the beginning or the end of a loop.
class DataDependences {
public:
  explicit DataDependences(ProgramOp program);
  ArrayRef<Operation *> before(Operation *op) const;

private:
  void orderSymbolAccesses(ProgramOp program);
  void orderLoops(ProgramOp program);
  llvm::DenseMap<Operation *, SmallVector<Operation *>> predecessors;
};

/// Sorts the blocks of a program so that everything comes after what it depends
/// on, keeping the program order otherwise.
void orderByDependence(ProgramOp program);

/// `wanted`, or a name like it, that nothing in the program has.
StringAttr freeName(ProgramOp program, const Twine &wanted);

/// "filter+revenue": the stages a command works for, the first few of many.
std::string stageLabel(Operation *command);

} // namespace mlir::gpuvm
