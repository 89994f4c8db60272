//===- ResumableCode.h - loops that can be left and taken up again --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some drivers end the loops of an invocation that have run too often. Code
// with loops becomes a machine of states here, whose one loop runs a known
// number of turns; what it holds between two turns can be saved, and another
// invocation goes on with it. docs/rationale/long-loops.md says how.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/builder/KernelBuilder.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::gpuvm {

class ResumableCode {
public:
  /// `code` has no parent and one argument, an index. What it uses from outside
  /// is there wherever the code is emitted. It holds at least one loop that may
  /// run long. Loops that never do are not cut unless `cutsAll`.
  ResumableCode(KernelBuilder &kernel, Block &code, bool cutsAll = false);

  /// How often the driver's count of turns goes down, at most: for what comes
  /// before the first loop and after the last one, and for a turn of the
  /// states.
  int64_t outsideBackEdges() const { return outside; }
  int64_t turnBackEdges() const { return turn; }
  /// How many iterations of loops of the code a turn holds at least, as long as
  /// the code is in a loop; `inside`: in one that is inside of another.
  int64_t leastIterations(bool inside) const;
  /// Operations in a turn, with what its states load and store, and in those of
  /// its states that are loops which hold no other: what is repeated in a turn.
  int64_t turnOps() const { return ops + kStateOps * int64_t(states.size()); }
  int64_t innerOps() const;

  /// Every lane begins at the beginning, or not at all.
  void begin(Value active);
  /// The code for element `i` in the lanes that are neither through nor idle,
  /// for `turns` turns at most, each `unroll` times the innermost loops.
  void run(Value i, Value turns, int64_t unroll);
  /// Whether the lane is through with its code, or idle.
  Value isDone();

  /// Makes room for `count` saved states.
  void allocateSaved(int64_t count);
  void save(Value at);
  /// Goes on where a lane was that has saved; `at` holds what `save` left.
  void restore(Value at);
  Value isSavedDone(Value at);
  void markSavedDone(Value at);

private:
  static constexpr int64_t kStateOps = 20;
  using State = unsigned;
  static constexpr State kStart = 0;
  struct Uses {
    Operation *op = nullptr; ///< The loop, or the branch that it is behind.
    llvm::SetVector<Value> values;
    llvm::SetVector<Operation *> constants;
  };
  struct Slot {
    Value memory, saved;
  };

  // Which state has what (ResumableStates.cpp).
  bool isCut(Operation *op) const;
  State addState(Operation *op);
  State number(Block &block, State state);
  State numberFor(scf::ForOp loop, State state);
  State numberWhile(scf::WhileOp loop, State state);
  State numberIf(scf::IfOp branch, State state);
  State numberAfter(Operation *op, State state);
  void define(ValueRange values, State state, bool isCarried = false);
  void use(ValueRange values, State state);
  void useAll(Operation *op, State state);
  void findSlots();
  bool isInner(State state) const;

  void emit(State state);
  void emitFrom(Block *block, Block::iterator at);
  void emitHeader(scf::ForOp loop);
  void enter(Operation *cut);
  void leave(Operation *terminator);
  void leaveWhileTest(scf::ConditionOp condition);
  void finishLoop(Operation *loop, ValueRange results);
  void keep(ValueRange values, ValueRange now);
  void go(State state);
  Value isIn(State state);
  SmallVector<Value> mapped(ValueRange values);

  KernelBuilder &k;
  Block &code;
  bool cutsAll;
  std::vector<Uses> states;
  DenseMap<Operation *, State> stateOf; ///< Of loops, and behind branches.
  DenseMap<Value, State> definedIn;
  llvm::DenseSet<Value> carried; ///< They go from turn to turn in any case.
  llvm::MapVector<Value, Slot> slots;
  Operation *last = nullptr; ///< Of the cut operations at the top.
  State end = 0;             ///< Behind it.
  int64_t outside = 0, turn = 0, ops = 0, inner = 0;
  Value counter, savedCounter;
  IRMapping map; ///< Of the state that is emitted.
};

} // namespace mlir::gpuvm
