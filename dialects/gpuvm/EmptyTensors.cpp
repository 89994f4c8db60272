//===- EmptyTensors.cpp - tensors without elements ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/EmptyTensors.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Between stages
//===----------------------------------------------------------------------===//

static Value makeConstant(OpBuilder &b, Location loc, Type type) {
  RankedTensorType tensor = payloadType(type);
  return arith::ConstantOp::create(
      b, loc, tensor, DenseElementsAttr::get(tensor, ArrayRef<Attribute>()));
}

static void eraseEmpty(MutableOperandRange operands) {
  for (unsigned i = operands.size(); i-- > 0;)
    if (hasNoElements(operands[i].get().getType()))
      operands.erase(i);
}

/// Replaces `op` by one without the results that have no elements; their users
/// get constants.
static void dropEmptyResults(Operation *op) {
  if (llvm::none_of(op->getResultTypes(), hasNoElements))
    return;
  OpBuilder b(op);
  auto types = llvm::filter_to_vector(
      op->getResultTypes(), [](Type type) { return !hasNoElements(type); });
  Operation *rest = Operation::create(
      op->getLoc(), op->getName(), types, op->getOperands(),
      op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
      BlockRange(), op->getNumRegions());
  b.insert(rest);
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), rest->getRegions()))
    to.takeBody(from);
  unsigned next = 0;
  for (OpResult result : op->getResults())
    result.replaceAllUsesWith(
        hasNoElements(result.getType())
            ? makeConstant(b, op->getLoc(), result.getType())
            : rest->getResult(next++));
  op->erase();
}

static void dropMessages(StageOp stage) {
  Block &body = stage.getBody().front();
  auto b = OpBuilder::atBlockBegin(&body);
  for (unsigned i = stage.getInputs().size(); i-- > 0;) {
    BlockArgument argument = body.getArgument(i);
    if (!hasNoElements(argument.getType()))
      continue;
    auto type = cast<RankedTensorType>(argument.getType());
    argument.replaceAllUsesWith(tensor::EmptyOp::create(
        b, argument.getLoc(), type.getShape(), type.getElementType()));
    body.eraseArgument(i);
    stage->eraseOperand(i);
  }
  SendOp send = stage.getSend();
  eraseEmpty(send.getPayloadsMutable());
  eraseEmpty(send.getOtherwiseMutable());
  if (send.getPayloads().empty())
    send.getStatusMutable().clear();
  dropEmptyResults(stage);
}

static void dropMessages(RepeatOp repeat) {
  Block &body = repeat.getBody().front();
  auto b = OpBuilder::atBlockBegin(&body);
  for (unsigned i = repeat.getInitial().size(); i-- > 0;) {
    BlockArgument argument = body.getArgument(i);
    if (!hasNoElements(argument.getType()))
      continue;
    argument.replaceAllUsesWith(
        makeConstant(b, argument.getLoc(), argument.getType()));
    body.eraseArgument(i);
  }
  eraseEmpty(repeat.getInitialMutable());
  eraseEmpty(repeat.getNext().getValuesMutable());
  dropEmptyResults(repeat);
}

/// Stages and repeats give none and are given none.
static void dropMessages(ProgramOp program) {
  SmallVector<Operation *> ops;
  program.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<StageOp, RepeatOp, ClockOp>(op))
      ops.push_back(op);
  });
  // A repeat is left out after what stands in it.
  for (Operation *op : llvm::reverse(ops))
    if (auto repeat = dyn_cast<RepeatOp>(op))
      dropMessages(repeat);
    else if (auto stage = dyn_cast<StageOp>(op))
      dropMessages(stage);
    else
      eraseEmpty(cast<ClockOp>(op).getAfterMutable());
}

//===----------------------------------------------------------------------===//
// Inside of stages
//===----------------------------------------------------------------------===//

/// Of some tensors one has elements.
static Value dropFrom(tensor::ConcatOp op, OpBuilder &b) {
  SmallVector<Value> inputs;
  llvm::copy_if(op.getInputs(), std::back_inserter(inputs),
                [](Value input) { return !hasNoElements(input.getType()); });
  if (inputs.size() == 1)
    return inputs.front();
  return tensor::ConcatOp::create(b, op.getLoc(), op.getType(), op.getDim(),
                                  inputs);
}

/// Nothing is padded but padding.
static Value dropFrom(tensor::PadOp op, OpBuilder &b) {
  auto generated =
      tensor::GenerateOp::create(b, op.getLoc(), op.getType(), ValueRange());
  generated.getBody().takeBody(op.getRegion());
  return generated;
}

/// The values that replace `op`, which has elements although an operand has
/// none. Empty if there is none.
static SmallVector<Value> withoutEmpty(Operation *op) {
  OpBuilder b(op);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return {dropFrom(concat, b)};
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return {dropFrom(pad, b)};
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return {insert.getDest()};
  // A dimension of length 0 that the result does not have is reduced.
  if (auto reduction = dyn_cast<DestinationStyleOpInterface>(op))
    return llvm::to_vector_of<Value>(reduction.getDpsInits());
  return {};
}

static bool makesNothing(Operation *op) {
  return op->getNumResults() > 0 &&
         llvm::all_of(op->getResultTypes(), hasNoElements);
}

/// Operations whose results are tensors without elements stay until they are
/// unused.
static LogicalResult drop(StageOp stage) {
  SmallVector<Operation *> ops, empty;
  stage.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    bool isMade = llvm::any_of(op->getResultTypes(), hasNoElements);
    bool isTaken = llvm::any_of(op->getOperandTypes(), hasNoElements);
    if (makesNothing(op) && op->getNumRegions() == 0)
      empty.push_back(op);
    else if (makesNothing(op) && isa<DestinationStyleOpInterface,
                                     tensor::GenerateOp, tensor::PadOp>(op))
      empty.push_back(op);
    else if (isMade || isTaken) {
      SmallVector<Value> values = withoutEmpty(op);
      if (isMade || values.size() != op->getNumResults())
        return op->emitOpError("C0: takes no tensor without elements");
      op->replaceAllUsesWith(values);
      op->erase();
    }
  }
  for (Operation *op : llvm::reverse(empty)) {
    if (!op->use_empty())
      return op->emitOpError("C0: has no elements, and is needed");
    op->erase();
  }
  return success();
}

LogicalResult gpuvm::dropEmptyTensors(ProgramOp program) {
  dropMessages(program);
  SmallVector<StageOp> stages;
  program.walk([&](StageOp stage) { stages.push_back(stage); });
  for (StageOp stage : stages)
    if (failed(drop(stage)))
      return failure();
  return success();
}
