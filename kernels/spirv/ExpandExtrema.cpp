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

#include "expr/Expr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// So many numbers pay for what is done at the end.
static constexpr size_t kMany = 4;

namespace {
/// What an operation does.
struct Extremum {
  bool greatest, keepsNaN;

  explicit Extremum(Operation *op)
      : greatest(isa<arith::MaximumFOp, arith::MaxNumFOp>(op)),
        keepsNaN(isa<arith::MaximumFOp, arith::MinimumFOp>(op)) {}

  Expr ofTwo(const Expr &x, const Expr &y) const;
  Expr ofMany(ArrayRef<Expr> numbers) const;

private:
  /// Of equal numbers only zeros differ, in their sign.
  Expr join(const Expr &xBits, const Expr &yBits) const {
    return greatest ? xBits & yBits : xBits | yBits;
  }
  /// As the device likes where a number is a NaN, or both are zero.
  Expr ofDevice(const Expr &x, const Expr &y) const {
    return greatest ? x.builder().make<spirv::GLFMaxOp>(x, y)
                    : x.builder().make<spirv::GLFMinOp>(x, y);
  }
};
} // namespace

Expr Extremum::ofTwo(const Expr &x, const Expr &y) const {
  Expr xBits = bitsOf(x), both = fromBits(join(xBits, bitsOf(y)));
  Expr result = select(x == y, both, y);
  result = select(greatest ? x > y : x < y, x, result);
  // With one NaN or two, `result` is y.
  const Expr &other = keepsNaN ? x : y;
  return select(isUnordered(other, other), x, result);
}

/// A zero has the sign that all numbers, or one of them, have: those of the
/// other sign are not zeros, or they would be the extremum.
Expr Extremum::ofMany(ArrayRef<Expr> numbers) const {
  Expr result = numbers.front(), bits = bitsOf(result);
  Expr hasNaN = isUnordered(result, result);
  for (const Expr &number : numbers.drop_front()) {
    result = ofDevice(result, number);
    bits = join(bits, bitsOf(number));
    hasNaN = hasNaN | isUnordered(number, number);
  }
  Expr zero = fromBits(bits & llvm::minIntN(bits.width()));
  result = select(result == 0.0, zero, result);
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  return select(hasNaN, kNaN, result);
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
  auto extremumOfTwo = [](Operation *op) -> Value {
    OpBuilder builder(op);
    ExprBuilder b(builder, op->getLoc());
    return Extremum(op).ofTwo(b(op->getOperand(0)), b(op->getOperand(1)));
  };
  for (Operation *op : outermost) {
    SmallVector<Operation *> inner;
    SmallVector<Value> leaves = leavesOf(op, inner);
    Extremum extremum(op);
    if (leaves.size() >= kMany && extremum.keepsNaN) {
      OpBuilder builder(op);
      ExprBuilder b(builder, op->getLoc());
      replace(op, extremum.ofMany(b(leaves)));
      for (Operation *other : inner)
        other->erase();
      continue;
    }
    replace(op, extremumOfTwo(op));
    for (Operation *other : inner)
      replace(other, extremumOfTwo(other));
  }
}
