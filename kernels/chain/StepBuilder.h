//===- StepBuilder.h - the body of a step of one instance -------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to StepKernels.cpp. A step that is for all indices of some leading
// dimensions becomes one for one of them: what it makes of values that steps
// hold loses these dimensions, operation by operation, and of all else a row is
// picked by the number of the instance.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/SetVector.h"

namespace mlir::gpuvm {

class StepBuilder {
public:
  /// Appends to the body of `kernel`, which has no operands yet. `instances`
  /// are the sizes of the leading dimensions.
  StepBuilder(flow::DispatchOp kernel, ArrayRef<int64_t> instances)
      : kernel(kernel), instances(instances),
        b(OpBuilder::atBlockEnd(&kernel.getBody().front())) {}

  /// `value`, a value of the chain, for one instance; null if that cannot be
  /// said.
  Value own(Value value);

  /// What the block arguments are in the chain: arguments, and what is held;
  /// null is the number of the instance.
  ArrayRef<Value> getOperands() const { return operands.getArrayRef(); }

private:
  Value argument(Value value, RankedTensorType type);
  Value full(Value value);
  Value pick(Value value);
  bool isLocal(Value value);
  bool hasInstances(RankedTensorType type) const;
  RankedTensorType ownType(RankedTensorType type) const;

  Value makeOwn(Value value);
  Value ownGeneric(linalg::GenericOp op, unsigned result);
  Value ownSlice(tensor::ExtractSliceOp op);
  Value ownReshape(Operation *op);
  Value ownConcat(tensor::ConcatOp op);
  Value ownPad(tensor::PadOp op);
  Value ownTransform(FftOp op);
  bool mapOperand(linalg::GenericOp op, OpOperand &operand,
                  ArrayRef<unsigned> loops, Value &value, AffineMap &map);
  bool mapTables(linalg::GenericOp op, ArrayRef<unsigned> loops,
                 linalg::GenericOp own);

  unsigned numDims() const { return instances.size(); }

  flow::DispatchOp kernel;
  ArrayRef<int64_t> instances;
  OpBuilder b;
  IRMapping fullValues;
  llvm::DenseMap<Value, Value> ownValues;
  llvm::DenseMap<Value, bool> local;
  llvm::SetVector<Value> operands;
  Value number; ///< Of the instance.
};

} // namespace mlir::gpuvm
