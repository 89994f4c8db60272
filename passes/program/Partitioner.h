//===- Partitioner.h - the program of one rank ------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values are whole on all ranks, or cut along an axis: then each rank has its
// block. The program is built anew, in its order. An operation that works on
// blocks as they are stays in its stage. Where one needs what other ranks have,
// its stage is cut, and an exchange stands between the two parts. How many rows
// of its neighbours a rank needs is known when all that reads them is: if any
// are, the program is built twice.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "passes/program/ShiftedRows.h"

#include "llvm/ADT/StringSet.h"

namespace mlir::gpuvm {

/// Where the values of the program are, and the program that is built.
class Partitioner {
public:
  /// `exact`: sums of floats have the same bits on any number of ranks.
  Partitioner(ProgramOp program, bool exact);
  void run();

  Axis axisOf(Value value) const { return axes.lookup(value); }
  /// What has been built for `value`: a block if it is cut.
  Value lookup(Value value) const { return built.lookup(value); }
  /// The same with a margin, where blocks have one.
  Value blockOf(Value value);
  void define(Value value, Value now, Axis axis);
  /// The whole of `value`, after a gather if it is cut.
  Value whole(Value value);
  /// The block of `value` with rows of its neighbours, at least those that
  /// `reach` says, and which ones.
  struct Halo {
    RowReach reach;
    Value wide; ///< Null until it is needed.
  };
  const Halo &halo(Value value, const RowReach &reach);
  /// Whether the neighbours have that many rows.
  bool fits(const RowReach &reach, int64_t length) const {
    return std::max(reach.before, reach.after) <= length / ranks;
  }
  /// The type of a block, with its margin where blocks have one.
  RankedTensorType blockOf(RankedTensorType type, int64_t axis);
  int64_t getRanks() const { return ranks; }
  bool isExact() const { return exact; }
  OpBuilder &builder() { return b; }
  StageOp addStage(Location loc, StringRef name, ValueRange inputs,
                   Block *body);
  std::string uniqueName(const Twine &name);
  void remark(Operation *op, const Twine &text) {
    remarks.emplace_back(op, text.str());
  }

  /// In a repeat that exchanges once in several iterations (DeepHalos.cpp),
  /// blocks have this many rows of their neighbours on either side, fewer of
  /// which are right after each operation that reads rows of neighbours.
  struct Margin {
    int64_t rows = 0;
    int64_t length = 0;   ///< Of the axis.
    bool wraps = false;   ///< Rows are read that come round.
    bool hasEnds = false; ///< Windows end where the axis does.
  };
  const Margin &getMargin() const { return margin; }
  void wrapMargin() { margin.wraps = true; }
  void endMargin() { margin.hasEnds = true; }
  /// What is built with a margin needs more than rows of the neighbours.
  void refuseMargin() { isMarginRefused = true; }
  /// How many rows of a margin are no longer right.
  int64_t lossOf(Value value) const { return losses.lookup(value); }
  void setLoss(Value value, int64_t rows) { losses[value] = rows; }

private:
  void place(Operation &op);
  void place(StageOp stage);
  void place(RepeatOp repeat);
  RepeatOp build(RepeatOp repeat, ValueRange initial, ArrayRef<Axis> cuts);
  FunctionType build(Block &old);
  void close(RepeatOp repeat, RepeatOp copy, ArrayRef<Axis> cuts);
  /// The results, if an exchange in several iterations costs less than one in
  /// each, as it is in `plain`.
  std::optional<SmallVector<Value>> deepen(RepeatOp repeat, RepeatOp plain,
                                           ArrayRef<Axis> cuts);
  std::optional<int64_t> findLoss(RepeatOp repeat, RepeatOp plain,
                                  ArrayRef<Axis> cuts);
  Value widen(Value block, Axis axis, const Margin &wanted);
  Value cut(Value value, Axis axis);
  bool canBeCut(StageOp stage) const;
  void eraseUnused();

  ProgramOp program;
  bool exact;
  int64_t ranks;
  OpBuilder b;
  bool readsMetadata; ///< Of messages, whose words are those of the whole.
  llvm::DenseMap<Value, Axis> axes;
  llvm::DenseMap<Value, Value> built, gathered;
  llvm::DenseMap<Value, Halo> halos;
  Margin margin;
  bool isMarginRefused = false;
  llvm::DenseSet<Value> withMargin;     ///< Are built so.
  llvm::DenseMap<Value, Value> widened; ///< Those that are not, with one.
  llvm::DenseMap<Value, int64_t> losses;
  llvm::StringSet<> names;
  std::vector<std::pair<Operation *, std::string>> remarks;
};

/// All that `op` reads: operands, and what its body takes from around it.
SmallVector<Value> getReads(Operation *op);

/// The number of the first row of the block of a rank, rows of which it has
/// `length`.
Value blockBegin(OpBuilder &b, Location loc, Value rank, int64_t length);

/// The type with `rows` along an axis.
RankedTensorType withRows(RankedTensorType type, int64_t axis, int64_t rows);

/// `rows` rows along an axis of `value`, from `first` on.
Value sliceRows(OpBuilder &b, Location loc, Value value, int64_t axis,
                OpFoldResult first, int64_t rows);

/// A block of a constant with equal elements, which is the same for all ranks;
/// null if `value` is none.
Value cutConstant(OpBuilder &b, Value value, RankedTensorType block);

} // namespace mlir::gpuvm
