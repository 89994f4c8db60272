//===- ExpandCasts.cpp - numbers of one kind as numbers of another --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SPIR-V leaves open what becomes of a float that an integer type cannot hold,
// and has no conversion of booleans. docs/arithmetic.md says what it is here.
//
//===----------------------------------------------------------------------===//

#include "kernels/spirv/ExpandOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::gpuvm;

using F = arith::CmpFPredicate;

namespace {

/// Scalar code in place of one conversion.
struct Cast {
  OpBuilder b;
  Location loc;
  Value from;
  Type to;

  explicit Cast(Operation *op)
      : b(op), loc(op->getLoc()), from(op->getOperand(0)),
        to(op->getResult(0).getType()) {}

  template <typename OpTy, typename... Args> Value make(Args &&...args) {
    return OpTy::create(b, loc, std::forward<Args>(args)...);
  }
  Value integer(const APInt &value) {
    return make<arith::ConstantOp>(b.getIntegerAttr(to, value));
  }
  Value number(double value) {
    return make<arith::ConstantOp>(b.getFloatAttr(from.getType(), value));
  }
  Value is(F predicate, double value) {
    return make<arith::CmpFOp>(predicate, from, number(value));
  }
  Value toInteger(bool isSigned);
  Value toFloat(bool isSigned);
};

} // namespace

/// The integer between zero and `from`, kept in the range of the type; a NaN is
/// 0. An f16 is compared as f32, which holds the limits.
Value Cast::toInteger(bool isSigned) {
  if (from.getType().isF16())
    from = make<arith::ExtFOp>(b.getF32Type(), from);
  unsigned width = to.getIntOrFloatBitWidth();
  if (width == 1) // As a signed number true is -1.
    return isSigned ? is(F::OLE, -1) : is(F::OGE, 1);
  double limit = std::ldexp(1.0, isSigned ? width - 1 : width);
  Value above = is(F::OGE, limit);
  Value below = isSigned ? is(F::OLT, -limit) : is(F::OLE, 0);
  Value outside =
      make<arith::OrIOp>(make<arith::OrIOp>(above, below), is(F::UNO, 0));
  Value inside = make<arith::SelectOp>(outside, number(0), from);
  Value result = isSigned ? make<arith::FPToSIOp>(to, inside)
                          : make<arith::FPToUIOp>(to, inside);
  APInt least =
      isSigned ? APInt::getSignedMinValue(width) : APInt::getZero(width);
  APInt greatest =
      isSigned ? APInt::getSignedMaxValue(width) : APInt::getAllOnes(width);
  result = make<arith::SelectOp>(above, integer(greatest), result);
  return make<arith::SelectOp>(below, integer(least), result);
}

/// From booleans by way of i32 (lavapipe takes a selection of -1.0 and 0.0 for
/// a negation), to f16 by way of f32, which holds every integer that is finite
/// as f16. Null if SPIR-V has the conversion.
Value Cast::toFloat(bool isSigned) {
  bool fromBoolean = from.getType().isInteger(1);
  if (!fromBoolean && !to.isF16())
    return Value();
  if (fromBoolean)
    from = isSigned ? make<arith::ExtSIOp>(b.getI32Type(), from)
                    : make<arith::ExtUIOp>(b.getI32Type(), from);
  Type type = to.isF16() ? b.getF32Type() : to;
  Value number = isSigned ? make<arith::SIToFPOp>(type, from)
                          : make<arith::UIToFPOp>(type, from);
  return to.isF16() ? make<arith::TruncFOp>(to, number) : number;
}

void gpuvm::expandCasts(Operation *module) {
  SmallVector<Operation *> casts;
  module->walk([&](Operation *op) {
    if (isa<arith::FPToSIOp, arith::FPToUIOp, arith::SIToFPOp, arith::UIToFPOp>(
            op))
      casts.push_back(op);
  });
  for (Operation *op : casts) {
    Cast cast(op);
    bool isSigned = isa<arith::FPToSIOp, arith::SIToFPOp>(op);
    Value result = isa<arith::FPToSIOp, arith::FPToUIOp>(op)
                       ? cast.toInteger(isSigned)
                       : cast.toFloat(isSigned);
    if (!result)
      continue;
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }
}
