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

#include "expr/Expr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// The integer between zero and `from`, kept in the range of the type; a NaN is
/// 0. An f16 is compared as f32, which holds the limits.
static Expr toInteger(Expr from, Type to, bool isSigned) {
  if (from.getType().isF16())
    from = from.extend(from.builder().ir().getF32Type());
  unsigned width = to.getIntOrFloatBitWidth();
  if (width == 1) // As a signed number true is -1.
    return isSigned ? from <= -1 : from >= 1;
  double limit = std::ldexp(1.0, isSigned ? width - 1 : width);
  Expr above = from >= limit, below = isSigned ? from < -limit : from <= 0;
  Expr outside = above | below;
  outside = outside | isUnordered(from, 0);
  Expr inside = select(outside, 0, from);
  Expr result = isSigned ? inside.toSigned(to) : inside.toInteger(to);
  result = select(above, isSigned ? llvm::maxIntN(width) : -1, result);
  return select(below, isSigned ? llvm::minIntN(width) : 0, result);
}

/// From booleans by way of i32 (lavapipe takes a selection of -1.0 and 0.0 for
/// a negation), to f16 by way of f32, which holds every integer that is finite
/// as f16. Null if SPIR-V has the conversion.
static Value toFloat(Expr from, Type to, bool isSigned) {
  OpBuilder &b = from.builder().ir();
  bool fromBoolean = from.getType().isInteger(1);
  if (!fromBoolean && !to.isF16())
    return Value();
  if (fromBoolean)
    from = isSigned ? from.signExtend(b.getI32Type())
                    : from.extend(b.getI32Type());
  Type type = to.isF16() ? b.getF32Type() : to;
  Expr number = isSigned ? from.signedToFloat(type) : from.toFloat(type);
  return number.truncate(to);
}

void gpuvm::expandCasts(Operation *module) {
  SmallVector<Operation *> casts;
  module->walk([&](Operation *op) {
    if (isa<arith::FPToSIOp, arith::FPToUIOp, arith::SIToFPOp, arith::UIToFPOp>(
            op))
      casts.push_back(op);
  });
  for (Operation *op : casts) {
    OpBuilder b(op);
    Expr from = ExprBuilder(b, op->getLoc())(op->getOperand(0));
    Type to = op->getResult(0).getType();
    bool isSigned = isa<arith::FPToSIOp, arith::SIToFPOp>(op);
    Value result = isa<arith::FPToSIOp, arith::FPToUIOp>(op)
                       ? Value(toInteger(from, to, isSigned))
                       : toFloat(from, to, isSigned);
    if (!result)
      continue;
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }
}
