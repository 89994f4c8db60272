//===- ExpandBfloat16.cpp - bf16 in terms of f32 --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a kernel a value of type bf16 is an f32 that bf16 can hold. An operation
// on bf16 is done in f32, and its result is rounded, by integer operations, so
// that every device rounds alike. In memory it is the upper half of the f32.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"
#include "expr/Expr.h"
#include "kernels/spirv/ExpandOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// An f32 rounded to bf16, to nearest even; a NaN becomes a quiet one.
static Expr roundToBrain(const Expr &x) {
  Expr word = bitsOf(x), odd = (word >> 16) & 1;
  Expr raised = word + 0x7fff + odd, quiet = word | 0x400000;
  Expr isNaN = (word & 0x7fffffff) > 0x7f800000;
  return fromBits(select(isNaN, quiet, raised) & -0x10000);
}

/// An f64 as f32: what is not exact gets an odd last bit, which no rounding to
/// bf16 takes for a tie.
static Expr oddSingle(const Expr &x) {
  Expr single = x.truncate(x.builder().ir().getF32Type());
  Expr wide = single.extend(x.getType());
  Expr exact = x.builder().make<arith::CmpFOp>(arith::CmpFPredicate::UEQ, wide,
                                               x); // Or a NaN.
  Expr magnitude = abs(wide), away = magnitude > abs(x);
  Expr word = bitsOf(single), odd = select(away, word - 1, word) | 1;
  return fromBits(select(exact, word, odd));
}

/// An integer as an f32 whose rounding to bf16 is that of the integer. Of more
/// than 24 bits the upper 24 are taken, the last one made odd if the rest is
/// not zero, and the power of two is put back by an exact multiplication.
static Expr fromInteger(const Expr &x, bool isSigned) {
  const ExprBuilder &b = x.builder();
  Type i32 = b.ir().getI32Type(), single = b.ir().getF32Type();
  constexpr unsigned kMantissa = 24, kBias = 127, kExponentAt = 23;
  if (x.width() <= kMantissa)
    return isSigned ? x.signedToFloat(single) : x.toFloat(single);
  Expr zero = x.constant(0), magnitude = x, isNegative = x;
  if (isSigned) {
    isNegative = lessSigned(x, zero);
    magnitude = select(isNegative, zero - x, x);
  }
  Expr zeros = b.make<math::CountLeadingZerosOp>(magnitude);
  Expr shift = maxSigned(x.width() - kMantissa - zeros, zero);
  Expr top = magnitude >> shift, isInexact = (top << shift) != magnitude;
  top = select(isInexact, top | 1, top);
  top = top.truncate(i32);
  shift = shift.truncate(i32);
  Expr mantissa = top.toFloat(single);
  Expr result = mantissa * fromBits((shift + kBias) << kExponentAt);
  return isSigned ? select(isNegative, -result, result) : result;
}

/// The conversion `op` from or to bf16, whose values are f32 already; null if
/// it is none.
static Value expandConversion(Operation *op, bool fromBrain, bool toBrain) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return Value();
  OpBuilder builder(op);
  Expr x = ExprBuilder(builder, op->getLoc())(op->getOperand(0));
  Type type = op->getResult(0).getType();
  if (isa<arith::ExtFOp>(op) && fromBrain)
    return x.extend(type);
  if (isa<arith::TruncFOp>(op) && toBrain)
    return roundToBrain(x.isWide() ? oddSingle(x) : x);
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op) && toBrain)
    return roundToBrain(fromInteger(x, isa<arith::SIToFPOp>(op)));
  if (!isa<arith::BitcastOp>(op) || fromBrain == toBrain)
    return Value();
  Type i16 = builder.getI16Type();
  if (fromBrain)
    return (bitsOf(x) >> 16).truncate(i16).bitcast(type);
  return fromBits(x.bitcast(i16).extend(builder.getI32Type()) << 16);
}

/// Operations that give a number that bf16 can hold if they are given such, and
/// keep the bits of a NaN.
static bool keepsNumbers(Operation *op) {
  return isa<arith::ConstantOp, arith::BitcastOp, arith::SelectOp,
             arith::NegFOp, math::AbsFOp, math::CopySignOp, FlushOp>(op) ||
         op->getNumRegions() != 0;
}

namespace {
class Expansion {
public:
  explicit Expansion(Operation *module);
  void run();

private:
  void retype(Value value);
  bool wasBrain(Value value) const { return brains.contains(value); }
  void retypeConstant(arith::ConstantOp constant);
  void roundResults(Operation *op);

  SmallVector<Operation *> ops, replaced;
  Type single;
  llvm::DenseSet<Value> brains; ///< Values that were of type bf16.
};
} // namespace

Expansion::Expansion(Operation *module)
    : single(Float32Type::get(module->getContext())) {
  module->walk([&](Operation *op) { ops.push_back(op); });
}

void Expansion::retype(Value value) {
  if (!value.getType().isBF16())
    return;
  brains.insert(value);
  value.setType(single);
}

void Expansion::retypeConstant(arith::ConstantOp constant) {
  APFloat value = cast<FloatAttr>(constant.getValue()).getValue();
  bool inexact;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &inexact);
  constant.setValueAttr(FloatAttr::get(single, value));
}

void Expansion::roundResults(Operation *op) {
  for (OpResult result : op->getResults()) {
    if (!wasBrain(result))
      continue;
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : result.getUses())
      uses.push_back(&use);
    OpBuilder b(op);
    b.setInsertionPointAfter(op);
    Value rounded = roundToBrain(ExprBuilder(b, op->getLoc())(result));
    brains.insert(rounded);
    for (OpOperand *use : uses)
      use->set(rounded);
  }
}

void Expansion::run() {
  for (Operation *op : ops) {
    for (mlir::Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        retype(argument);
    for (Value result : op->getResults())
      retype(result);
  }
  for (Operation *op : ops) {
    bool from =
        llvm::any_of(op->getOperands(), [&](Value v) { return wasBrain(v); });
    bool to =
        llvm::any_of(op->getResults(), [&](Value v) { return wasBrain(v); });
    if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && to) {
      retypeConstant(constant);
    } else if (Value converted = expandConversion(op, from, to)) {
      if (to)
        brains.insert(converted);
      op->getResult(0).replaceAllUsesWith(converted);
      replaced.push_back(op);
    } else if (to && !keepsNumbers(op)) {
      roundResults(op);
    }
  }
  for (Operation *op : replaced)
    op->erase();
}

void gpuvm::expandBfloat16(Operation *module) { Expansion(module).run(); }
