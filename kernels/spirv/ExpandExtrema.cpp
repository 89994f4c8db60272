//===- ExpandExtrema.cpp - the greater and the lesser of floats -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SPIR-V's own operations leave open what becomes of a NaN and of zeros of both
// signs. Here -0 is less than +0, and a NaN is kept or ignored. Where many
// numbers have one extremum, as in an unrolled reduction, the device's
// operation is right but for those two, which are put right once at the end:
// three operations a number instead of eight.
//
//===----------------------------------------------------------------------===//

#include "kernels/spirv/ExpandOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// So many numbers pay for what is done at the end.
static constexpr size_t kMany = 4;

namespace {
/// Extrema of one type at one place.
class Extremum {
public:
  Extremum(Operation *op)
      : b(op->getLoc(), op), type(cast<FloatType>(op->getResult(0).getType())),
        word(b.getIntegerType(type.getWidth())),
        greatest(isa<arith::MaximumFOp, arith::MaxNumFOp>(op)),
        keepsNaN(isa<arith::MaximumFOp, arith::MinimumFOp>(op)) {}

  Value ofTwo(Value x, Value y);
  Value ofMany(ArrayRef<Value> numbers);

private:
  using P = arith::CmpFPredicate;
  Value compare(P predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value bitsOf(Value x) { return arith::BitcastOp::create(b, word, x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, type, x); }
  Value constant(const APFloat &value) {
    return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  }
  /// Of equal numbers only zeros differ, in their sign.
  Value join(Value xBits, Value yBits) {
    return greatest ? Value(arith::AndIOp::create(b, xBits, yBits))
                    : Value(arith::OrIOp::create(b, xBits, yBits));
  }
  /// As the device likes where a number is a NaN, or both are zero.
  Value ofDevice(Value x, Value y) {
    return greatest ? Value(spirv::GLFMaxOp::create(b, x, y))
                    : Value(spirv::GLFMinOp::create(b, x, y));
  }

  ImplicitLocOpBuilder b;
  FloatType type;
  Type word;
  bool greatest, keepsNaN;
};
} // namespace

Value Extremum::ofTwo(Value x, Value y) {
  Value both = fromBits(join(bitsOf(x), bitsOf(y)));
  Value result = select(compare(P::OEQ, x, y), both, y);
  result = select(compare(greatest ? P::OGT : P::OLT, x, y), x, result);
  // With one NaN or two, `result` is y.
  Value other = keepsNaN ? x : y;
  return select(compare(P::UNO, other, other), x, result);
}

/// A zero has the sign that all numbers, or one of them, have: those of the
/// other sign are not zeros, or they would be the extremum.
Value Extremum::ofMany(ArrayRef<Value> numbers) {
  Value result = numbers.front(), bits = bitsOf(result);
  Value hasNaN = compare(P::UNO, result, result);
  for (Value number : numbers.drop_front()) {
    result = ofDevice(result, number);
    bits = join(bits, bitsOf(number));
    hasNaN = arith::OrIOp::create(b, hasNaN, compare(P::UNO, number, number));
  }
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  Value signBit = arith::ConstantOp::create(
      b, b.getIntegerAttr(
             word,
             APFloat::getZero(semantics, /*Negative=*/true).bitcastToAPInt()));
  Value zero = fromBits(arith::AndIOp::create(b, bits, signBit));
  Value isZero = compare(P::OEQ, result, constant(APFloat::getZero(semantics)));
  result = select(isZero, zero, result);
  return select(hasNaN, constant(APFloat::getQNaN(semantics)), result);
}

/// Whether `op` is of the same kind as `other`, in the same block.
static bool isSame(Operation *op, Operation *other) {
  return op && op->getName() == other->getName() &&
         op->getBlock() == other->getBlock();
}

/// The numbers whose extremum `op` is. `inner` gets the operations that are
/// used for nothing but it, the first one last.
static SmallVector<Value> leavesOf(Operation *op,
                                   SmallVectorImpl<Operation *> &inner) {
  SmallVector<Value> leaves, open = {op->getOperand(1), op->getOperand(0)};
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *maker = value.getDefiningOp();
    if (!isSame(maker, op) || !value.hasOneUse()) {
      leaves.push_back(value);
      continue;
    }
    inner.push_back(maker);
    open.append({maker->getOperand(1), maker->getOperand(0)});
  }
  return leaves;
}

static bool isInner(Operation *op) {
  Value result = op->getResult(0);
  return result.hasOneUse() && isSame(*result.user_begin(), op);
}

void gpuvm::expandExtrema(Operation *module) {
  SmallVector<Operation *> outermost;
  module->walk([&](Operation *op) {
    if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
            arith::MinNumFOp>(op) &&
        !isInner(op))
      outermost.push_back(op);
  });
  auto replace = [](Operation *op, Value result) {
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  };
  for (Operation *op : outermost) {
    SmallVector<Operation *> inner;
    SmallVector<Value> leaves = leavesOf(op, inner);
    bool keepsNaN = isa<arith::MaximumFOp, arith::MinimumFOp>(op);
    bool isMany = leaves.size() >= kMany && keepsNaN;
    Value result =
        isMany ? Extremum(op).ofMany(leaves)
               : Extremum(op).ofTwo(op->getOperand(0), op->getOperand(1));
    replace(op, result);
    for (Operation *other : inner)
      if (isMany)
        other->erase();
      else
        replace(other, Extremum(other).ofTwo(other->getOperand(0),
                                             other->getOperand(1)));
  }
}
