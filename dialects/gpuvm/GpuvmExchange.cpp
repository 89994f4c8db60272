//===- GpuvmExchange.cpp - programs of several ranks ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"

#include <limits>

using namespace mlir;
using namespace mlir::gpuvm;

int64_t gpuvm::getRanks(Operation *op) {
  auto program = op->getParentOfType<ProgramOp>();
  return program ? static_cast<int64_t>(program.getRanks().value_or(0)) : 0;
}

bool gpuvm::hasExchanges(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return inner->hasTrait<IsExchange>() ? WalkResult::interrupt()
                                             : WalkResult::advance();
      })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// C0.
static LogicalResult verifyExchange(Operation *op) {
  if (getRanks(op) == 0)
    return op->emitOpError("C0: exchanges with other ranks in a program that "
                           "does not say how many there are: write `ranks(n)` "
                           "after its outputs");
  Type type = op->getOperand(0).getType();
  if (!isVmTensor(payloadType(type)))
    return op->emitOpError("C0: ") << type << " is no static tensor with "
                                   << "elements";
  return success();
}

/// Whether the axis is one of `type`.
static LogicalResult verifyAxis(Operation *op, StringRef constraint,
                                int64_t axis, RankedTensorType type) {
  if (axis >= 0 && axis < type.getRank())
    return success();
  return op->emitOpError(constraint)
         << ": there is no axis " << axis << " of " << type;
}

/// How long the block of one rank is if the axis is cut into those of all.
static FailureOr<int64_t> getBlockLength(Operation *op, StringRef constraint,
                                         int64_t axis, RankedTensorType type) {
  if (failed(verifyAxis(op, constraint, axis, type)))
    return failure();
  int64_t ranks =
      std::max<int64_t>(getRanks(op), 1); // verifyExchange was here.
  if (type.getDimSize(axis) % ranks == 0)
    return type.getDimSize(axis) / ranks;
  return op->emitOpError(constraint)
         << ": axis " << axis << " of " << type << " has length "
         << type.getDimSize(axis) << ", which is no multiple of the " << ranks
         << " ranks";
}

/// Whether the first result has `shape`, and the elements of `source`.
static LogicalResult verifyResult(Operation *op, StringRef constraint,
                                  RankedTensorType source,
                                  ArrayRef<int64_t> shape) {
  auto wanted = RankedTensorType::get(shape, source.getElementType());
  Type type = op->getResult(0).getType();
  if (type == wanted)
    return success();
  return op->emitOpError(constraint)
         << ": the result for " << getRanks(op) << " ranks is " << wanted
         << ", not " << type;
}

/// C1 of a reduction.
static LogicalResult verifyRule(Operation *op, Rule rule, Type element) {
  if (rule != Rule::last && canCombine(rule, element))
    return success();
  return op->emitOpError("C1: there is no ")
         << stringifyRule(rule) << " of " << element << " of several ranks";
}

LogicalResult AllGatherOp::verify() {
  if (failed(verifyExchange(*this)))
    return failure();
  RankedTensorType type = payloadType(getSource().getType());
  if (failed(verifyAxis(*this, "C1", getAxis(), type)))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  shape[getAxis()] *= getRanks(*this);
  return verifyResult(*this, "C1", type, shape);
}

LogicalResult AllReduceOp::verify() {
  if (failed(verifyExchange(*this)))
    return failure();
  return verifyRule(*this, getRule(), getType().getElementType());
}

LogicalResult ReduceScatterOp::verify() {
  RankedTensorType type = payloadType(getSource().getType());
  if (failed(verifyExchange(*this)) ||
      failed(verifyRule(*this, getRule(), type.getElementType())))
    return failure();
  FailureOr<int64_t> block = getBlockLength(*this, "C2", getAxis(), type);
  if (failed(block))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  shape[getAxis()] = *block;
  return verifyResult(*this, "C2", type, shape);
}

/// C2.
static LogicalResult verifyCounts(AllToAllOp op) {
  if (!op.getCounts() && !op.getReceived())
    return success();
  if (!op.getCounts() || !op.getReceived())
    return op.emitOpError("C2: says how many rows are sent or how many came, "
                          "but not both");
  if (op.getSplit() != 0 || op.getConcat() != 0)
    return op.emitOpError("C2: counts rows, and has the axes ")
           << op.getSplit() << " and " << op.getConcat() << ", not 0 and 0";
  auto counts = RankedTensorType::get({getRanks(op)},
                                      IntegerType::get(op.getContext(), 32));
  for (Value value : {op.getCounts(), Value(op.getReceived())})
    if (payloadType(value.getType()) != counts)
      return op.emitOpError("C2: counts of ")
             << getRanks(op) << " ranks are " << counts << ", not "
             << value.getType();
  return success();
}

LogicalResult AllToAllOp::verify() {
  RankedTensorType type = payloadType(getSource().getType());
  if (failed(verifyExchange(*this)))
    return failure();
  FailureOr<int64_t> block = getBlockLength(*this, "C1", getSplit(), type);
  if (failed(block) || failed(verifyAxis(*this, "C1", getConcat(), type)))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  shape[getSplit()] = *block;
  shape[getConcat()] *= getRanks(*this);
  if (failed(verifyResult(*this, "C1", type, shape)))
    return failure();
  return verifyCounts(*this);
}

LogicalResult ShiftOp::verify() {
  if (failed(verifyExchange(*this)))
    return failure();
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  auto offset = static_cast<int64_t>(getOffset());
  if (offset == 0) // C1
    return emitOpError("C1: shifts by 0 ranks, which is the operand");
  if (offset > kMost || offset < -kMost) // C1
    return emitOpError("C1: shifts by ")
           << offset << " ranks (at most " << kMost << ")";
  return success();
}

LogicalResult UpdateHaloOp::verify() {
  if (failed(verifyExchange(*this)))
    return failure();
  RankedTensorType type = payloadType(getSource().getType());
  if (failed(verifyAxis(*this, "C1", getAxis(), type)))
    return failure();
  int64_t before = getBefore(), after = getAfter();
  int64_t rows = type.getDimSize(getAxis());
  if (before < 0 || after < 0 || before > rows || after > rows ||
      before + after == 0) // C2
    return emitOpError("C2: a halo of ")
           << before << " and " << after << " rows around " << rows
           << ": each may have 0 to " << rows << ", one of them at least 1";
  SmallVector<int64_t> shape(type.getShape());
  shape[getAxis()] += before + after;
  return verifyResult(*this, "C1", type, shape);
}
