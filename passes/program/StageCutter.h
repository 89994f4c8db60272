//===- StageCutter.h - the stages of one rank -------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "passes/program/Partitioner.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::gpuvm {

/// Builds the stages that a stage becomes: one, and one more for each time that
/// it needs what other ranks have.
class StageCutter {
public:
  StageCutter(Partitioner &all, StageOp stage)
      : all(all), stage(stage), b(stage.getContext()) {
    open();
  }
  void run();

private:
  void open();
  /// Ends the stage that is being built: it sends what is read later, what is
  /// forced, and `more` that it has computed, the messages of which it returns.
  SmallVector<Value> close(ValueRange forced = {}, ArrayRef<Value> more = {});
  bool isUsedLater(Value value);
  void place(Operation &op);
  void placeWhole(Operation &op, StringRef reason);
  StringRef whyWhole(Operation &op);
  bool placeLoop(linalg::GenericOp op);
  void placeReduction(linalg::GenericOp op, const LoopCut &cut);
  linalg::GenericOp emit(linalg::GenericOp op, const LoopCut &cut,
                         ValueRange inits);
  bool placeMove(Operation &op);
  bool placeRoot(Operation &op);
  IRMapping mapCaptures(Operation &op);
  bool placeApart(Operation &op);
  bool placeScatter(ScatterOp op);
  bool placeHistogram(Histogram2dOp op);
  Value numbersInWhole(Value numbers, int64_t block);
  SmallVector<Value> gatherParts(ArrayRef<Value> parts, int64_t axis,
                                 Location loc);
  bool placeTopK(TopKOp op);
  bool placeSort(SortOp op);
  bool placeScan(ScanOp op);
  SmallVector<Value> beginParts(ValueRange inits, ArrayRef<Rule> rules,
                                SmallVectorImpl<bool> &isLeft);
  void combineParts(Operation *op, ValueRange parts, ValueRange inits,
                    ArrayRef<Rule> rules, ArrayRef<bool> isLeft);
  bool placeRows(Operation &op);
  void splitMove(Operation &op);
  std::optional<ShiftedRows> rowsOf(Value value);
  std::optional<RowReach> reachOf(const ShiftedRows &rows, int64_t more) const;
  Value shiftedHere(const ShiftedRows &rows, int64_t more, Location loc);
  Value rowsHere(Value value, int64_t axis, int64_t block, int64_t more);
  bool isShifted(Value value, int64_t axis, int64_t block);
  SmallVector<unsigned> loopsOfRows(linalg::GenericOp op);
  std::optional<RowReach> reachOf(linalg::GenericOp op, Value table,
                                  unsigned loop);
  void numberInHalos(linalg::GenericOp op, const IRMapping &copies,
                     linalg::GenericOp copy, unsigned loop);
  void numberFromRank(linalg::GenericOp op, unsigned loop, int64_t length);

  /// The value of the program that one of the body is, or comes in by.
  Value source(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument ? stage.getInputs()[argument.getArgNumber()] : value;
  }
  Axis axisOf(Value value) { return all.axisOf(source(value)); }
  void needWhole(Value value);
  void send(Value value);
  Value here(Value value);
  Value wholeHere(Value value);
  Value blockHere(Value value, int64_t axis);
  Value argument(Value value);
  Value getRank();
  void define(Value value, Value now, Axis axis) {
    all.define(value, Value(), axis);
    all.setLoss(value, loss);
    inside[value] = now;
  }
  bool hasMargin() const { return all.getMargin().rows != 0; }
  /// Notes that rows of `value` which are up to `far` from the own ones are
  /// read.
  void note(Value value, int64_t far) {
    loss = std::max(loss, all.lossOf(source(value)) + far);
  }
  Value rowBegin(Location loc, int64_t block);
  Value rowNumber(OpBuilder &nested, Location loc, Value begin, Value index,
                  int64_t length);
  Value cutMargin(Value whole, int64_t axis, RankedTensorType type);

  Partitioner &all;
  StageOp stage;
  OpBuilder b; ///< At the end of the stage that is being built.
  Block *body = nullptr;
  SmallVector<Value> inputs; ///< Of it.
  llvm::DenseMap<Value, Value> arguments, constants;
  llvm::MapVector<Value, Value> inside;       ///< What it computes.
  llvm::DenseMap<Value, ShiftedRows> shifted; ///< Computed where it is read.
  Value rank;
  int64_t loss = 0; ///< Of what the operation that is being placed has read.
  llvm::DenseSet<Operation *> done;
};

} // namespace mlir::gpuvm
