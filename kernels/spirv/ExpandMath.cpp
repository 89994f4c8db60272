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
  Value round(Value x);
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

/// Halves go away from zero.
Value Code::round(Value x) {
  Value magnitude = make<math::AbsFOp>(x);
  Value whole = make<math::FloorOp>(magnitude);
  Value rest = make<arith::SubFOp>(magnitude, whole);
  Value one = number(x.getType(), 1), half = number(x.getType(), 0.5);
  Value rounded = select(compare(F::OGE, rest, half),
                         make<arith::AddFOp>(whole, one), whole);
  return make<math::CopySignOp>(rounded, x);
}

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

namespace {
/// A function of one number, which is an f32 or an f64.
struct Function {
  StringLiteral name;
  Float (*write)(Float);
  Float (*writeWide)(Float);
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

int64_t gpuvm::countExpanded(Operation *op) {
  return isApproximate(op) ? 1 : countByExpanding(op);
}

/// An integer as wide as what it is an exponent of. Beyond the range of i32 the
/// power of every f32 but 1, 0 and -1 is 0 or infinity, and only the last bit
/// counts.
static Value exponentAsWord(Code &c, Value n, bool isWide) {
  Type type = n.getType();
  Type word = isWide ? c.b.getI64Type() : c.b.getI32Type();
  unsigned width = type.getIntOrFloatBitWidth();
  if (type == word)
    return n;
  if (width < word.getIntOrFloatBitWidth())
    return c.make<arith::ExtSIOp>(word, n);
  Value low = c.make<arith::TruncIOp>(word, n);
  Value isSame = c.compare(I::eq, c.make<arith::ExtSIOp>(type, low), n);
  Value least = c.integer(word, std::numeric_limits<int32_t>::min());
  Value most = c.integer(word, std::numeric_limits<int32_t>::max() - 1);
  Value isNegative = c.compare(I::slt, n, c.integer(type, 0));
  Value end = c.select(isNegative, least, most);
  Value odd = c.make<arith::AndIOp>(low, c.integer(word, 1));
  return c.select(isSame, low, c.make<arith::OrIOp>(end, odd));
}

/// A device may divide by way of an inverse, and take that for zero if it is
/// subnormal: divisors are kept where it is not.
static Value divide(Code &c, arith::DivFOp op) {
  Value x = op.getLhs(), y = op.getRhs();
  Type type = op.getType();
  if (type.isF16())
    return c.narrow(c.make<arith::DivFOp>(c.widen(x), c.widen(y)), type);
  constexpr float kMost = 0x1p126f;
  APFloat known(0.0f);
  if (!type.isF32() || (matchPattern(y, m_ConstantFloat(&known)) &&
                        !(abs(known) > APFloat(kMost))))
    return Value();
  Value isLarge =
      c.compare(F::OGT, c.make<math::AbsFOp>(y), c.number(type, kMost));
  Value factor = c.select(isLarge, c.number(type, 0.25), c.number(type, 1));
  return c.make<arith::DivFOp>(c.make<arith::MulFOp>(x, factor),
                               c.make<arith::MulFOp>(y, factor));
}

/// What stands for a function of floats, or null.
static Value expandFunction(Operation *op) {
  Code c(op);
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Type type = op->getResult(0).getType();
  auto operand = [&](unsigned i) -> Float {
    return {{&b, c.widen(op->getOperand(i))}};
  };
  if (isa<math::Atan2Op>(op))
    return c.narrow(type.isF64()
                        ? functions::wide::atan2(operand(0), operand(1)).value
                        : functions::atan2(operand(0), operand(1)).value,
                    type);
  if (isa<arith::RemFOp>(op))
    return c.narrow(functions::remainder(operand(0), operand(1)).value, type);
  if (isa<math::PowFOp>(op))
    return c.narrow(functions::pow(operand(0), operand(1)).value, type);
  if (isa<math::FPowIOp>(op)) {
    Word n = {{&b, exponentAsWord(c, op->getOperand(1), type.isF64())}};
    return c.narrow(functions::pow(operand(0), n).value, type);
  }
  if (isOfDevice(op)) {
    if (!type.isF16())
      return Value();
    Value x = c.widen(op->getOperand(0));
    Operation *wide = c.b.clone(*op);
    wide->setOperand(0, x);
    wide->getResult(0).setType(c.b.getF32Type());
    return c.narrow(wide->getResult(0), type);
  }
  if (const Function *function = functionNamed(op->getName().getStringRef()))
    return type.isF64() ? function->writeWide(operand(0)).value
                        : c.narrow(function->write(operand(0)).value, type);
  return Value();
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
  Code c(op);
  Type type = op->getResult(0).getType();
  if (isa<math::TruncOp>(op))
    return c.trunc(op->getOperand(0));
  if (isa<math::RoundOp>(op))
    return c.round(op->getOperand(0));
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
  if (auto division = dyn_cast<arith::DivFOp>(op))
    return divide(c, division);
  return isa<FloatType>(type) ? expandFunction(op) : Value();
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
