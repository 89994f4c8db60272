//===- InstanceSpreader.h - a body for all instances ------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every value of the body that differs from instance to instance gets a leading
// dimension, every producer of such a value a leading parallel loop. What is
// the same for all stays as it is, and all read it at the same place. Only
// reductions are always spread, as their order counts the results of all
// instances (Reduction.h), but for those that are over instances already: of
// the messages that all receive (InstanceWords.h).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::gpuvm {

class InstanceSpreader {
public:
  explicit InstanceSpreader(StageOp stage)
      : stage(stage), count(*stage.getInstances()), b(stage) {}
  /// The stage of all instances. `sendsWords`: it has one more field, with the
  /// status of each of them.
  FailureOr<StageOp> run(bool sendsWords);

private:
  bool differs(Operation &op) const;
  LogicalResult spread(Operation &op);
  LogicalResult spreadStore(StoreOp op);
  Value spreadResult(Operation &op);
  void spreadGeneric(linalg::GenericOp op);
  void spreadTables(linalg::GenericOp whole);
  Value spreadInit(linalg::GenericOp op, OpOperand &init);
  Value spreadSlice(tensor::ExtractSliceOp op);
  Value spreadInsert(tensor::InsertSliceOp op);
  Value spreadPad(tensor::PadOp op);
  Value spreadConcat(tensor::ConcatOp op);
  Value spreadGather(GatherOp op);
  Value spreadSearch(SearchSortedOp op);
  void spreadSort(Operation &op);
  LogicalResult spreadScan(ScanOp op);
  Value spreadReshape(Operation *op);
  Value spreadAttention(AttentionOp op);
  Value spreadFft(FftOp op);
  Value spreadConvolve(ConvolveOp op);
  void spreadMetadata(MetadataOp op);
  void send(SendOp op, bool sendsWords);

  RankedTensorType wholeType(Value value) const;
  /// The value for all instances, if need be copied for each of them.
  Value wholeOf(Value value);
  Value broadcast(Value value);
  /// `op` with operands and results of all instances, but for operands that
  /// these share.
  Operation *copyOverAll(Operation &op,
                         llvm::function_ref<bool(OpOperand &)> isShared);

  StageOp stage;
  int64_t count;
  OpBuilder b;
  IRMapping values;                ///< From the body to the new one.
  llvm::DenseSet<Value> spreadOut; ///< Values of the body that differ.
};

} // namespace mlir::gpuvm
