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
  explicit Partitioner(ProgramOp program);
  void run();

  Axis axisOf(Value value) const { return axes.lookup(value); }
  /// What has been built for `value`: a block if it is cut.
  Value lookup(Value value) const { return built.lookup(value); }
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
  RankedTensorType blockOf(RankedTensorType type, int64_t axis) const;
  int64_t getRanks() const { return ranks; }
  OpBuilder &builder() { return b; }
  StageOp addStage(Location loc, StringRef name, ValueRange inputs,
                   Block *body);
  std::string uniqueName(const Twine &name);
  void remark(Operation *op, const Twine &text) {
    remarks.emplace_back(op, text.str());
  }

private:
  void place(Operation &op);
  void place(StageOp stage);
  void place(RepeatOp repeat);
  RepeatOp build(RepeatOp repeat, ValueRange initial, ArrayRef<Axis> cuts);
  FunctionType build(Block &old);
  Value cut(Value value, Axis axis);
  bool canBeCut(StageOp stage) const;
  void eraseUnused();

  ProgramOp program;
  int64_t ranks;
  OpBuilder b;
  bool readsMetadata; ///< Of messages, whose words are those of the whole.
  llvm::DenseMap<Value, Axis> axes;
  llvm::DenseMap<Value, Value> built, gathered;
  llvm::DenseMap<Value, Halo> halos;
  llvm::StringSet<> names;
  std::vector<std::pair<Operation *, std::string>> remarks;
};

/// All that `op` reads: operands, and what its body takes from around it.
SmallVector<Value> getReads(Operation *op);

/// The number of the first row of the block of a rank, rows of which it has
/// `length`.
Value blockBegin(OpBuilder &b, Location loc, Value rank, int64_t length);

/// The block of `whole` that a rank has.
Value cutBlock(OpBuilder &b, Location loc, Value whole, int64_t axis,
               RankedTensorType block, Value rank);

/// A block of a constant with equal elements, which is the same for all ranks;
/// null if `value` is none.
Value cutConstant(OpBuilder &b, Value value, RankedTensorType block);

} // namespace mlir::gpuvm
