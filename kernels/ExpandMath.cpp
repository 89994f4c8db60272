//===- ExpandMath.cpp - functions in terms of what devices have -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SPIR-V for Vulkan has fewer functions than `math`, and lets a device compute
// some of them with an error of 2^-11. What is missing or that coarse is
// computed here, f16 by way of f32. There is no exponential, logarithm or
// trigonometric function on f64 on any device.
//
//===----------------------------------------------------------------------===//

#include "kernels/ExpandOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {

/// Scalar code at one place.
class Code {
public:
  explicit Code(Operation *op) : b(op), loc(op->getLoc()) {}

  Value number(Type type, double value) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }
  Value integer(Type type, const APInt &value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }
  Value integer(Type type, int64_t value) {
    unsigned width = type.getIntOrFloatBitWidth();
    return integer(type, APInt(width, value, /*isSigned=*/true,
                               /*implicitTrunc=*/true));
  }
  template <typename OpTy, typename... Args> Value make(Args &&...args) {
    return OpTy::create(b, loc, std::forward<Args>(args)...);
  }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return make<arith::CmpFOp>(predicate, x, y);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return make<arith::CmpIOp>(predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return make<arith::SelectOp>(condition, x, y);
  }
  /// `x` as f32 if it is f16.
  Value widen(Value x) {
    return x.getType().isF16() ? make<arith::ExtFOp>(b.getF32Type(), x) : x;
  }
  Value narrow(Value x, Type type) {
    return x.getType() == type ? x : make<arith::TruncFOp>(type, x);
  }

  Value trunc(Value x);
  Value cbrt(Value x);
  Value atan(Value x);
  Value atan2(Value y, Value x);
  Value powf(Value x, Value y);
  Value asin(Value x);
  Value acos(Value x);
  Value clamp(Value x, Value low, Value high);
  Value isFinite(Value x);
  Value isNormal(Value x);
  Value countBits(Value x);
  Value countTrailingZeros(Value x);
  Value power(Value base, Value exponent);
  Value shift(Operation *op);

  OpBuilder b;
  Location loc;

private:
  /// sqrt((1 - x) (1 + x)), without cancellation.
  Value besideUnit(Value x);
  /// The bits of |x|: integers, so that no device takes a subnormal number for
  /// zero.
  Value magnitudeBits(Value x);
};

} // namespace

using F = arith::CmpFPredicate;
using I = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

Value Code::trunc(Value x) {
  Value whole = make<math::FloorOp>(make<math::AbsFOp>(x));
  return make<math::CopySignOp>(whole, x);
}

/// A power, and a step of Newton's method.
Value Code::cbrt(Value x) {
  Type type = x.getType();
  Value magnitude = make<math::AbsFOp>(x);
  Value y = make<math::PowFOp>(magnitude, number(type, 1.0 / 3.0));
  Value square = make<arith::MulFOp>(y, y);
  Value error = make<arith::SubFOp>(y, make<arith::DivFOp>(magnitude, square));
  Value step = make<arith::DivFOp>(error, number(type, 3.0));
  Value root = make<arith::SubFOp>(y, step);
  // Zero and infinity (and NaN) are their own roots.
  Value inside = make<arith::AndIOp>(
      compare(F::OGT, magnitude, number(type, 0.0)),
      compare(F::OLT, magnitude,
              make<arith::ConstantOp>(b.getFloatAttr(
                  type, APFloat::getInf(
                            cast<FloatType>(type).getFloatSemantics())))));
  return make<math::CopySignOp>(select(inside, root, magnitude), x);
}

/// Lavapipe gives 0 for a NaN.
Value Code::atan(Value x) {
  return select(compare(F::UNO, x, x), x, make<math::AtanOp>(x));
}

/// 1 for a zero exponent and for base 1, whatever the other operand is, and
/// otherwise a NaN for a NaN; SPIR-V leaves these open.
Value Code::powf(Value x, Value y) {
  Type type = x.getType();
  Value one = number(type, 1.0);
  Value isOne = make<arith::OrIOp>(compare(F::OEQ, y, number(type, 0.0)),
                                   compare(F::OEQ, x, one));
  Value power = select(compare(F::UNO, x, y), make<arith::AddFOp>(x, y),
                       make<math::PowFOp>(x, y));
  return select(isOne, one, power);
}

/// The arc tangent of the smaller by the greater magnitude, moved to the right
/// octant.
Value Code::atan2(Value y, Value x) {
  constexpr double kPi = 3.14159265358979323846;
  Type type = x.getType();
  Value ax = make<math::AbsFOp>(x), ay = make<math::AbsFOp>(y);
  Value steep = compare(F::OGT, ay, ax);
  Value low = select(steep, ax, ay), high = select(steep, ay, ax);
  Value ratio = make<arith::DivFOp>(low, high);
  // 0 / 0 and inf / inf stand for 0 and 1.
  Value equal = compare(F::OEQ, low, high);
  Value isZero = compare(F::OEQ, high, number(type, 0.0));
  ratio = select(equal, number(type, 1.0), ratio);
  ratio = select(isZero, number(type, 0.0), ratio);
  Value angle = make<math::AtanOp>(ratio);
  Value beyond = make<arith::SubFOp>(number(type, kPi / 2), angle);
  angle = select(steep, beyond, angle);
  Value signOfX = make<math::CopySignOp>(number(type, 1.0), x);
  Value left = compare(F::OLT, signOfX, number(type, 0.0));
  angle = select(left, make<arith::SubFOp>(number(type, kPi), angle), angle);
  Value result = make<math::CopySignOp>(angle, y);
  Value isNaN = compare(F::UNO, x, y);
  return select(isNaN, make<arith::AddFOp>(x, y), result);
}

Value Code::besideUnit(Value x) {
  Value one = number(x.getType(), 1.0);
  return make<math::SqrtOp>(make<arith::MulFOp>(make<arith::SubFOp>(one, x),
                                                make<arith::AddFOp>(one, x)));
}

Value Code::asin(Value x) { return atan2(x, besideUnit(x)); }
Value Code::acos(Value x) { return atan2(besideUnit(x), x); }

Value Code::clamp(Value x, Value low, Value high) {
  Value raised = select(compare(F::OLT, x, low), low, x);
  Value result = select(compare(F::OGT, raised, high), high, raised);
  Value isNaN =
      make<arith::OrIOp>(compare(F::UNO, x, low), compare(F::UNO, high, high));
  Value sum = make<arith::AddFOp>(make<arith::AddFOp>(x, low), high);
  return select(isNaN, sum, result);
}

static const llvm::fltSemantics &semanticsOf(Value x) {
  return cast<FloatType>(x.getType()).getFloatSemantics();
}

Value Code::magnitudeBits(Value x) {
  unsigned width = x.getType().getIntOrFloatBitWidth();
  Type word = b.getIntegerType(width);
  return make<arith::AndIOp>(make<arith::BitcastOp>(word, x),
                             integer(word, APInt::getSignedMaxValue(width)));
}

Value Code::isFinite(Value x) {
  Value bits = magnitudeBits(x);
  APFloat infinity = APFloat::getInf(semanticsOf(x));
  return compare(I::ult, bits,
                 integer(bits.getType(), infinity.bitcastToAPInt()));
}

Value Code::isNormal(Value x) {
  Value bits = magnitudeBits(x);
  APFloat smallest = APFloat::getSmallestNormalized(semanticsOf(x));
  Value enough =
      compare(I::uge, bits, integer(bits.getType(), smallest.bitcastToAPInt()));
  return make<arith::AndIOp>(isFinite(x), enough);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Vulkan counts bits of 32-bit words.
Value Code::countBits(Value x) {
  Type type = x.getType(), word = b.getI32Type();
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 32)
    return make<math::CtPopOp>(x);
  if (width < 32)
    return make<arith::TruncIOp>(
        type, make<math::CtPopOp>(make<arith::ExtUIOp>(word, x)));
  Value low = make<arith::TruncIOp>(word, x);
  Value high =
      make<arith::TruncIOp>(word, make<arith::ShRUIOp>(x, integer(type, 32)));
  Value count =
      make<arith::AddIOp>(make<math::CtPopOp>(low), make<math::CtPopOp>(high));
  return make<arith::ExtUIOp>(type, count);
}

/// The bits below the lowest one that is set: all of them for 0.
Value Code::countTrailingZeros(Value x) {
  Type type = x.getType();
  Value below = make<arith::AndIOp>(make<arith::XOrIOp>(x, integer(type, -1)),
                                    make<arith::SubIOp>(x, integer(type, 1)));
  return countBits(below);
}

/// By squaring, a bit of the exponent at a time; a negative one gives the
/// integer part of the inverse.
Value Code::power(Value base, Value exponent) {
  Type type = base.getType();
  Value zero = integer(type, 0), one = integer(type, 1);
  Value result = one, square = base;
  for (unsigned bit = 0; bit + 1 < type.getIntOrFloatBitWidth(); ++bit) {
    Value mask = integer(type, int64_t(1) << bit);
    Value isSet = compare(I::ne, make<arith::AndIOp>(exponent, mask), zero);
    result = select(isSet, make<arith::MulIOp>(result, square), result);
    square = make<arith::MulIOp>(square, square);
  }
  Value isOdd = compare(I::ne, make<arith::AndIOp>(exponent, one), zero);
  Value isUnit = compare(I::eq, base, one);
  Value isMinusOne = compare(I::eq, base, integer(type, -1));
  Value inverse = select(isMinusOne, select(isOdd, base, one), zero);
  inverse = select(isUnit, one, inverse);
  return select(compare(I::slt, exponent, zero), inverse, result);
}

/// A shift by the width or more shifts everything out; the amount that is left
/// is one that every device knows.
Value Code::shift(Operation *op) {
  Value x = op->getOperand(0), amount = op->getOperand(1);
  Type type = x.getType();
  int64_t width = type.getIntOrFloatBitWidth();
  Value inside = compare(I::ult, amount, integer(type, width));
  if (isa<arith::ShRSIOp>(op))
    return make<arith::ShRSIOp>(
        x, select(inside, amount, integer(type, width - 1)));
  Value safe = select(inside, amount, integer(type, 0));
  Value shifted = isa<arith::ShLIOp>(op) ? make<arith::ShLIOp>(x, safe)
                                         : make<arith::ShRUIOp>(x, safe);
  return select(inside, shifted, integer(type, 0));
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

/// Functions of `math` that no device has on f64.
static bool isMissingOnF64(Operation *op) {
  return op->getDialect()->getNamespace() == "math" &&
         llvm::any_of(op->getOperandTypes(),
                      [](Type type) { return type.isF64(); }) &&
         !isa<math::AbsFOp, math::CeilOp, math::ClampFOp, math::CopySignOp,
              math::FloorOp, math::FmaOp, math::IsFiniteOp, math::IsInfOp,
              math::IsNaNOp, math::IsNormalOp, math::RoundOp, math::RoundEvenOp,
              math::RsqrtOp, math::SqrtOp, math::TruncOp>(op);
}

/// Functions of one number that devices compute with an error.
static bool isFunction(Operation *op) {
  return isa<math::AcoshOp, math::AsinhOp, math::AtanhOp, math::CosOp,
             math::CoshOp, math::ErfOp, math::ErfcOp, math::ExpOp, math::Exp2Op,
             math::ExpM1Op, math::LogOp, math::Log10Op, math::Log1pOp,
             math::Log2Op, math::RsqrtOp, math::SinOp, math::SinhOp,
             math::SqrtOp, math::TanOp, math::TanhOp>(op);
}

static bool shiftsFar(Operation *op) {
  IntegerAttr amount;
  return !matchPattern(op->getOperand(1), m_Constant(&amount)) ||
         amount.getValue().uge(amount.getValue().getBitWidth());
}

/// What stands for `op`, or null if devices have it.
static Value expand(Operation *op) {
  Code c(op);
  auto operand = [&](unsigned i) { return c.widen(op->getOperand(i)); };
  Type type = op->getResult(0).getType();
  if (isa<math::TruncOp>(op))
    return c.trunc(op->getOperand(0));
  if (isa<math::CbrtOp>(op))
    return c.narrow(c.cbrt(operand(0)), type);
  if (isa<math::Atan2Op>(op))
    return c.narrow(c.atan2(operand(0), operand(1)), type);
  if (isa<math::AsinOp>(op))
    return c.narrow(c.asin(operand(0)), type);
  if (isa<math::AcosOp>(op))
    return c.narrow(c.acos(operand(0)), type);
  if (isa<math::AtanOp>(op))
    return c.narrow(c.atan(operand(0)), type);
  if (isa<math::PowFOp>(op))
    return c.narrow(c.powf(operand(0), operand(1)), type);
  if (type.isF16() && isFunction(op)) {
    Value x = operand(0);
    Operation *wide = c.b.clone(*op);
    wide->setOperand(0, x);
    wide->getResult(0).setType(c.b.getF32Type());
    return c.narrow(wide->getResult(0), type);
  }
  if (auto clamp = dyn_cast<math::ClampFOp>(op))
    return c.clamp(clamp.getValue(), clamp.getMin(), clamp.getMax());
  if (isa<math::IsFiniteOp>(op))
    return c.isFinite(op->getOperand(0));
  if (isa<math::IsNormalOp>(op))
    return c.isNormal(op->getOperand(0));
  if (isa<math::CtPopOp>(op) && !type.isInteger(32))
    return c.countBits(op->getOperand(0));
  if (isa<math::CountTrailingZerosOp>(op))
    return c.countTrailingZeros(op->getOperand(0));
  if (isa<math::IPowIOp>(op))
    return c.power(op->getOperand(0), op->getOperand(1));
  if (isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op) && shiftsFar(op))
    return c.shift(op);
  return Value();
}

LogicalResult gpuvm::expandMath(Operation *module) {
  SmallVector<Operation *> ops;
  module->walk([&](Operation *op) {
    if (op->getNumResults() == 1 && op->getNumOperands() > 0)
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (isMissingOnF64(op))
      return op->emitOpError("cannot be compiled for f64: Vulkan devices have "
                             "it for f16 and f32 only");
    Value value = expand(op);
    if (!value)
      continue;
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }
  RewritePatternSet patterns(module->getContext());
  populatePolynomialApproximateErfPattern(patterns);
  populatePolynomialApproximateErfcPattern(patterns);
  return applyPatternsGreedily(module, std::move(patterns),
                               GreedyRewriteConfig().enableFolding(false));
}
