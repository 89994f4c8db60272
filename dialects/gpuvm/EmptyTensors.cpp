//===- EmptyTensors.cpp - tensors without elements ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/EmptyTensors.h"
#include "dialects/gpuvm/EmptyOperands.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

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

/// The words of a message without elements that depend on these alone.
static LogicalResult dropMetadata(BlockArgument message) {
  for (Operation *user : llvm::make_early_inc_range(message.getUsers())) {
    auto op = dyn_cast<MetadataOp>(user);
    if (!op)
      continue;
    if (op.getField() != Field::norm && op.getField() != Field::max_abs)
      return op.emitOpError("C0: a message without elements has no ")
             << stringifyField(op.getField());
    OpBuilder b(op);
    op.replaceAllUsesWith(makeZeros(b, op.getLoc(), op.getWord().getType()));
    op.erase();
  }
  return success();
}

static LogicalResult dropMessages(StageOp stage) {
  Block &body = stage.getBody().front();
  for (unsigned i = stage.getInputs().size(); i-- > 0;) {
    BlockArgument argument = body.getArgument(i);
    if (!hasNoElements(argument.getType()))
      continue;
    if (failed(dropMetadata(argument)))
      return failure();
    auto b = OpBuilder::atBlockBegin(&body);
    argument.replaceAllUsesWith(
        makeZeros(b, argument.getLoc(), argument.getType()));
    body.eraseArgument(i);
    stage->eraseOperand(i);
  }
  SendOp send = stage.getSend();
  eraseEmpty(send.getPayloadsMutable());
  eraseEmpty(send.getOtherwiseMutable());
  if (send.getPayloads().empty())
    send.getStatusMutable().clear();
  dropEmptyResults(stage);
  return success();
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
static LogicalResult dropMessages(ProgramOp program) {
  SmallVector<Operation *> ops;
  program.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<StageOp, RepeatOp, ClockOp>(op))
      ops.push_back(op);
  });
  // A repeat is left out after what stands in it.
  for (Operation *op : llvm::reverse(ops))
    if (auto repeat = dyn_cast<RepeatOp>(op))
      dropMessages(repeat);
    else if (auto stage = dyn_cast<StageOp>(op)) {
      if (failed(dropMessages(stage)))
        return failure();
    } else
      eraseEmpty(cast<ClockOp>(op).getAfterMutable());
  return success();
}

//===----------------------------------------------------------------------===//
// Inside of stages
//===----------------------------------------------------------------------===//

static bool makesNothing(Operation *op) {
  return op->getNumResults() > 0 &&
         llvm::all_of(op->getResultTypes(), hasNoElements) &&
         (isMemoryEffectFree(op) || isa<LoadOp>(op));
}

static LogicalResult replaceEmpty(Operation *op) {
  if (!isa<StoreOp>(op)) {
    SmallVector<Value> values = withoutEmpty(op);
    if (values.empty())
      return op->emitOpError("C0: takes no tensor without elements");
    op->replaceAllUsesWith(values);
  }
  op->erase();
  return success();
}

/// What makes tensors without elements goes last, when nothing takes them.
static LogicalResult dropEmpty(StageOp stage) {
  SmallVector<Operation *> taking, making;
  stage.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (makesNothing(op))
      return WalkResult::skip();
    if (llvm::none_of(op->getOperandTypes(), hasNoElements) &&
        llvm::none_of(op->getResultTypes(), hasNoElements))
      return WalkResult::advance();
    taking.push_back(op);
    return WalkResult::skip();
  });
  for (Operation *op : taking)
    if (failed(replaceEmpty(op)))
      return failure();
  stage.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!makesNothing(op))
      return WalkResult::advance();
    making.push_back(op);
    return WalkResult::skip();
  });
  for (Operation *op : llvm::reverse(making)) {
    if (!op->use_empty())
      return op->emitOpError("C0: has no elements, and is needed");
    op->erase();
  }
  return success();
}

/// An input stays one.
static void dropSymbols(ProgramOp program) {
  for (Operation &op : llvm::make_early_inc_range(program.getBody().front())) {
    SymbolInfo symbol = getSymbolInfo(&op);
    bool isInput = symbol.region == gpuvm::Region::heap && !symbol.initial;
    if (symbol.op && hasNoElements(symbol.type) && !isInput)
      op.erase();
  }
}

LogicalResult gpuvm::dropEmptyTensors(ProgramOp program) {
  if (failed(dropMessages(program)))
    return failure();
  WalkResult result =
      program.walk([](StageOp stage) { return WalkResult(dropEmpty(stage)); });
  dropSymbols(program);
  return failure(result.wasInterrupted());
}
