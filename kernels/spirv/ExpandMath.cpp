//===- ExpandMath.cpp - functions in terms of what devices have -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SPIR-V for Vulkan has fewer functions than `math`, and lets a device compute
// most of them with a large error, and has next to none on f64. What is missing
// or coarse is put in terms of arithmetic (Functions.h), f16 by way of f32.
//
//===----------------------------------------------------------------------===//

#include "kernels/functions/Functions.h"
#include "kernels/spirv/ExpandOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// `x` as f32 if it is f16.
static Expr widen(const Expr &x) {
  return x.getType().isF16() ? x.extend(x.builder().ir().getF32Type()) : x;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static Expr trunc(const Expr &x) { return copySign(floor(abs(x)), x); }

/// Halves go away from zero.
static Expr round(const Expr &x) {
  Expr magnitude = abs(x), whole = floor(magnitude), rest = magnitude - whole;
  Expr one = x.constant(1), half = x.constant(0.5);
  Expr goesUp = rest >= half;
  return copySign(select(goesUp, whole + one, whole), x);
}

static Expr clamp(const Expr &x, const Expr &low, const Expr &high) {
  Expr raised = select(x < low, low, x);
  Expr result = select(raised > high, high, raised);
  Expr isNaN = isUnordered(x, low);
  isNaN = isNaN | isUnordered(high, high);
  return select(isNaN, x + low + high, result);
}

static const llvm::fltSemantics &semanticsOf(const Expr &x) {
  return cast<FloatType>(x.getType()).getFloatSemantics();
}

/// The bits of |x|: integers, so that no device takes a subnormal number for
/// zero.
static Expr magnitudeBits(const Expr &x) {
  return bitsOf(x) & llvm::maxIntN(x.width());
}

static uint64_t bitsOf(const APFloat &number) {
  return number.bitcastToAPInt().getZExtValue();
}

static Expr isFinite(const Expr &x) {
  return magnitudeBits(x) < bitsOf(APFloat::getInf(semanticsOf(x)));
}

static Expr isNormal(const Expr &x) {
  APFloat smallest = APFloat::getSmallestNormalized(semanticsOf(x));
  Expr enough = magnitudeBits(x) >= bitsOf(smallest);
  return isFinite(x) & enough;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Vulkan counts bits of 32-bit words.
static Expr countByWords(const Expr &x) {
  Type word = x.builder().ir().getI32Type();
  if (x.width() <= 32)
    return countBits(x.extend(word)).truncate(x.getType());
  Expr low = x.truncate(word), high = (x >> 32).truncate(word);
  Expr count = countBits(low);
  return (count + countBits(high)).extend(x.getType());
}

/// The bits below the lowest one that is set: all of them for 0.
static Expr countTrailingZeros(const Expr &x) {
  Expr others = x ^ -1;
  return countByWords(others & (x - 1));
}

/// By squaring, a bit of the exponent at a time; a negative one gives the
/// integer part of the inverse.
static Expr power(const Expr &base, const Expr &exponent) {
  Expr zero = base.constant(0), one = base.constant(1);
  Expr result = one, square = base;
  for (unsigned bit = 0; bit + 1 < base.width(); ++bit) {
    Expr isSet = (exponent & (int64_t(1) << bit)) != zero;
    result = select(isSet, result * square, result);
    square = square * square;
  }
  Expr isOdd = (exponent & one) != zero;
  Expr isUnit = base == one, isMinusOne = base == -1;
  Expr inverse = select(isMinusOne, select(isOdd, base, one), zero);
  inverse = select(isUnit, one, inverse);
  return select(lessSigned(exponent, zero), inverse, result);
}

/// A shift by the width or more shifts everything out; the amount that is left
/// is one that every device knows.
static Expr shift(Operation *op, const Expr &x, const Expr &amount) {
  Expr inside = amount < x.width();
  if (isa<arith::ShRSIOp>(op))
    return shiftRightSigned(x, select(inside, amount, x.width() - 1));
  Expr safe = select(inside, amount, 0);
  return select(inside, isa<arith::ShLIOp>(op) ? x << safe : x >> safe, 0);
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

namespace {
/// A function of one number, which is an f32 or an f64.
struct Function {
  StringLiteral name;
  Expr (*write)(Expr);
  Expr (*writeWide)(Expr);
};
} // namespace

static constexpr Function kFunctions[] = {
    {"math.acos", functions::acos, functions::wide::acos},
    {"math.acosh", functions::acosh, functions::wide::acosh},
    {"math.asin", functions::asin, functions::wide::asin},
    {"math.asinh", functions::asinh, functions::wide::asinh},
    {"math.atan", functions::atan, functions::wide::atan},
    {"math.atanh", functions::atanh, functions::wide::atanh},
    {"math.cbrt", functions::cbrt, functions::cbrt},
    {"math.cos", functions::cos, functions::wide::cos},
    {"math.cosh", functions::cosh, functions::wide::cosh},
    {"math.erf", functions::erf, functions::wide::erf},
    {"math.erfc", functions::erfc, functions::wide::erfc},
    {"math.exp", functions::exp, functions::wide::exp},
    {"math.exp2", functions::exp2, functions::wide::exp2},
    {"math.expm1", functions::expm1, functions::wide::expm1},
    {"math.log", functions::log, functions::wide::log},
    {"math.log10", functions::log10, functions::wide::log10},
    {"math.log1p", functions::log1p, functions::wide::log1p},
    {"math.log2", functions::log2, functions::wide::log2},
    {"math.sin", functions::sin, functions::wide::sin},
    {"math.sinh", functions::sinh, functions::wide::sinh},
    {"math.tan", functions::tan, functions::wide::tan},
    {"math.tanh", functions::tanh, functions::wide::tanh},
};

/// What computes a function of one number, or null if the device does.
static const Function *functionNamed(StringRef name) {
  const Function *found = llvm::find_if(
      kFunctions, [&](const Function &f) { return f.name == name; });
  return found == std::end(kFunctions) ? nullptr : found;
}

/// A program may ask for the function of the device, whatever its error, if
/// devices have it.
static bool isApproximate(Operation *op) {
  auto flags = op->getAttrOfType<arith::FastMathFlagsAttr>("fastmath");
  return flags && !getElementTypeOrSelf(op->getResult(0).getType()).isF64() &&
         isa<math::AcosOp, math::AcoshOp, math::AsinOp, math::AsinhOp,
             math::AtanOp, math::AtanhOp, math::CosOp, math::CoshOp,
             math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::SinOp,
             math::SinhOp, math::TanOp, math::TanhOp>(op) &&
         bitEnumContainsAny(flags.getValue(), arith::FastMathFlags::afn);
}

/// Functions of one number that are left to the device, on f16 by way of f32.
static bool isOfDevice(Operation *op) {
  return isa<math::RsqrtOp, math::SqrtOp>(op) || isApproximate(op);
}

int64_t gpuvm::countExpandedIn(Operation *op) {
  int64_t count = 0;
  for (mlir::Region &region : op->getRegions())
    region.walk([&](Operation *inner) { count += countExpanded(inner); });
  return count;
}

int64_t gpuvm::countExpanded(Operation *op) {
  return isApproximate(op) ? 1 : countByExpanding(op);
}

/// An integer as wide as what it is an exponent of. Beyond the range of i32 the
/// power of every f32 but 1, 0 and -1 is 0 or infinity, and only the last bit
/// counts.
static Expr exponentAsWord(const Expr &n, bool isWide) {
  OpBuilder &b = n.builder().ir();
  Type word = isWide ? b.getI64Type() : b.getI32Type();
  if (n.width() <= word.getIntOrFloatBitWidth())
    return n.signExtend(word);
  Expr low = n.truncate(word);
  Expr isSame = low.signExtend(n.getType()) == n;
  Expr least = low.constant(std::numeric_limits<int32_t>::min());
  Expr most = low.constant(std::numeric_limits<int32_t>::max() - 1);
  Expr end = select(lessSigned(n, 0), least, most);
  Expr odd = low & 1;
  return select(isSame, low, end | odd);
}

/// A device may divide by way of an inverse, and take that for zero if it is
/// subnormal: divisors are kept where it is not.
static Value divide(const Expr &x, const Expr &y) {
  Type type = x.getType();
  if (type.isF16()) {
    Expr dividend = widen(x);
    return (dividend / widen(y)).truncate(type);
  }
  constexpr float kMost = 0x1p126f;
  APFloat known(0.0f);
  if (!type.isF32() || (matchPattern(y, m_ConstantFloat(&known)) &&
                        !(abs(known) > APFloat(kMost))))
    return Value();
  Expr factor = select(abs(y) > kMost, y.constant(0.25), 1);
  Expr dividend = x * factor;
  return dividend / (y * factor);
}

/// What stands for a function of floats, or null.
static Value expandFunction(Operation *op, const ExprBuilder &b) {
  Type type = op->getResult(0).getType();
  if (isOfDevice(op)) {
    if (!type.isF16())
      return Value();
    Expr x = widen(b(op->getOperand(0)));
    Operation *wide = b.ir().clone(*op);
    wide->setOperand(0, x);
    wide->getResult(0).setType(x.getType());
    return b(wide->getResult(0)).truncate(type);
  }
  if (const Function *function = functionNamed(op->getName().getStringRef())) {
    auto *write = type.isF64() ? function->writeWide : function->write;
    return write(widen(b(op->getOperand(0)))).truncate(type);
  }
  if (!isa<math::Atan2Op, arith::RemFOp, math::PowFOp, math::FPowIOp>(op))
    return Value();
  if (isa<math::FPowIOp>(op)) {
    Expr n = exponentAsWord(b(op->getOperand(1)), type.isF64());
    return functions::powi(widen(b(op->getOperand(0))), n).truncate(type);
  }
  Expr x = widen(b(op->getOperand(0))), y = widen(b(op->getOperand(1)));
  if (isa<arith::RemFOp>(op))
    return functions::remainder(x, y).truncate(type);
  if (isa<math::PowFOp>(op))
    return functions::pow(x, y).truncate(type);
  return (type.isF64() ? functions::wide::atan2 : functions::atan2)(x, y)
      .truncate(type);
}

/// The sine and the cosine of a number are two functions.
static void splitSinCos(Operation *module) {
  module->walk([](math::SincosOp op) {
    OpBuilder b(op);
    Value x = op.getOperand();
    Value sine = math::SinOp::create(b, op.getLoc(), x);
    Value cosine = math::CosOp::create(b, op.getLoc(), x);
    op->replaceAllUsesWith(ValueRange{sine, cosine});
    op->erase();
  });
}

static bool shiftsFar(Operation *op) {
  IntegerAttr amount;
  return !matchPattern(op->getOperand(1), m_Constant(&amount)) ||
         amount.getValue().uge(amount.getValue().getBitWidth());
}

/// What stands for `op`, or null if devices have it.
static Value expand(Operation *op) {
  OpBuilder builder(op);
  ExprBuilder b(builder, op->getLoc());
  Type type = op->getResult(0).getType();
  auto operand = [&](unsigned i) { return b(op->getOperand(i)); };
  if (isa<math::TruncOp>(op))
    return trunc(operand(0));
  if (isa<math::RoundOp>(op))
    return round(operand(0));
  if (isa<math::ClampFOp>(op))
    return clamp(operand(0), operand(1), operand(2));
  if (isa<math::IsFiniteOp>(op))
    return isFinite(operand(0));
  if (isa<math::IsNormalOp>(op))
    return isNormal(operand(0));
  if (isa<math::CtPopOp>(op) && !type.isInteger(32))
    return countByWords(operand(0));
  if (isa<math::CountTrailingZerosOp>(op))
    return countTrailingZeros(operand(0));
  if (isa<math::IPowIOp>(op))
    return power(operand(0), operand(1));
  if (isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op) && shiftsFar(op))
    return shift(op, operand(0), operand(1));
  if (isa<arith::DivFOp>(op))
    return divide(operand(0), operand(1));
  return isa<FloatType>(type) ? expandFunction(op, b) : Value();
}

void gpuvm::expandMath(Operation *module) {
  splitSinCos(module);
  SmallVector<Operation *> ops;
  module->walk([&](Operation *op) {
    if (op->getNumResults() == 1 && op->getNumOperands() > 0)
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    Value value = expand(op);
    if (!value)
      continue;
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }
}
