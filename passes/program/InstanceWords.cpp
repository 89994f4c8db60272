//===- InstanceWords.cpp - metadata of instances --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/program/InstanceWords.h"

#include "dialects/gpuvm/Reduction.h"
#include "passes/program/Magnitude.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// The message whose words `op` reads.
static Value getMessage(MetadataOp op) {
  auto stage = cast<StageOp>(op->getParentOp());
  return stage.getInputs()[cast<BlockArgument>(op.getMessage()).getArgNumber()];
}

/// Whether `op` reads the word of each instance.
static bool readsEach(MetadataOp op) {
  return cast<RankedTensorType>(op.getWord().getType()).getRank() != 0;
}

/// Whether `op` reads words of slices, one or all.
static bool readsSlices(MetadataOp op) {
  auto stage = cast<StageOp>(op->getParentOp());
  unsigned number = cast<BlockArgument>(op.getMessage()).getArgNumber();
  return readsEach(op) || (stage.getInstances() && !stage.isShared(number));
}

/// What the instances of a stage each said, in a stage that reads it: the word
/// of one instance, or those of all.
static Value receiveWords(MetadataOp op, Value words) {
  auto stage = cast<StageOp>(op->getParentOp());
  stage.getInputsMutable().append(words);
  return stage.getBody().front().addArgument(op.getWord().getType(),
                                             op.getLoc());
}

/// Makes the norm or largest value of the slice, or of all of them.
static Value makeMagnitude(OpBuilder &b, MetadataOp op) {
  Value reduced = reduceMagnitude(b, op.getLoc(), op.getMessage(),
                                  op.getField(), readsEach(op));
  if (readsEach(op) && cast<StageOp>(op->getParentOp()).getInstances())
    reduced.getDefiningOp()->setAttr(kInstancesAttr, b.getUnitAttr());
  return op.getField() == Field::norm ? makeNorms(b, op.getLoc(), reduced)
                                      : reduced;
}

InstanceWords::InstanceWords(ProgramOp program) {
  program.walk([&](MetadataOp op) {
    if (op.getField() == Field::status && readsSlices(op))
      wanted.insert(getMessage(op));
  });
}

void InstanceWords::lowerRead(MetadataOp op) {
  OpBuilder b(op);
  Value word;
  if (op.getField() == Field::norm || op.getField() == Field::max_abs)
    word = makeMagnitude(b, op);
  else if (Value field = op.getField() == Field::status
                             ? senders.lookup(getMessage(op))
                             : Value())
    word = receiveWords(op, field);
  else if (readsEach(op)) // No status is sent: all are OK.
    word = arith::ConstantOp::create(
        b, op.getLoc(),
        b.getZeroAttr(cast<RankedTensorType>(op.getWord().getType())));
  else // The same for all instances.
    return;
  op.replaceAllUsesWith(word);
  op.erase();
}

void InstanceWords::lowerReads(StageOp stage) {
  for (auto op :
       llvm::make_early_inc_range(stage.getBody().getOps<MetadataOp>()))
    if (readsSlices(op))
      lowerRead(op);
}

bool InstanceWords::areSent(StageOp stage) const {
  return stage.getSend().getStatus() && stage.getNumResults() != 0 &&
         wanted.contains(stage.getResult(0));
}

void InstanceWords::addSender(StageOp stage) {
  senders[stage.getResult(0)] = stage.getMessages().back();
}

Value gpuvm::makeMessageStatus(OpBuilder &b, Location loc, Value statuses) {
  auto type = RankedTensorType::get({}, b.getI32Type());
  Value least = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(type, std::numeric_limits<int32_t>::min()));
  AffineMap all = b.getMultiDimIdentityMap(1);
  AffineMap none = AffineMap::get(1, 0, b.getContext());
  return linalg::GenericOp::create(
             b, loc, type, statuses, least, ArrayRef{all, none},
             utils::IteratorType::reduction,
             [](OpBuilder &inside, Location at, ValueRange elements) {
               Value larger =
                   arith::MaxSIOp::create(inside, at, elements[1], elements[0]);
               linalg::YieldOp::create(inside, at, larger);
             })
      .getResult(0);
}
