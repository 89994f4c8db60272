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
#include "kernels/spirv/ExpandOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {

/// Scalar code around one operation.
struct Code {
  OpBuilder b;
  Location loc;

  explicit Code(Operation *op) : b(op), loc(op->getLoc()) {}

  Value integer(Type type, int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }
  template <typename OpTy, typename... Args> Value make(Args &&...args) {
    return OpTy::create(b, loc, std::forward<Args>(args)...);
  }
  Value f32(Value bits) { return make<arith::BitcastOp>(b.getF32Type(), bits); }
  Value bits(Value x) { return make<arith::BitcastOp>(b.getI32Type(), x); }
  Value round(Value x);
  Value oddSingle(Value x);
  Value fromInteger(Value x, bool isSigned);
};

} // namespace

/// An f32 rounded to bf16, to nearest even; a NaN becomes a quiet one.
Value Code::round(Value x) {
  Type i32 = b.getI32Type();
  Value word = bits(x);
  Value odd = make<arith::AndIOp>(make<arith::ShRUIOp>(word, integer(i32, 16)),
                                  integer(i32, 1));
  Value raised =
      make<arith::AddIOp>(make<arith::AddIOp>(word, integer(i32, 0x7fff)), odd);
  Value quiet = make<arith::OrIOp>(word, integer(i32, 0x400000));
  Value magnitude = make<arith::AndIOp>(word, integer(i32, 0x7fffffff));
  Value isNaN = make<arith::CmpIOp>(arith::CmpIPredicate::ugt, magnitude,
                                    integer(i32, 0x7f800000));
  Value chosen = make<arith::SelectOp>(isNaN, quiet, raised);
  return f32(make<arith::AndIOp>(chosen, integer(i32, -0x10000)));
}

/// An f64 as f32: what is not exact gets an odd last bit, which no rounding to
/// bf16 takes for a tie.
Value Code::oddSingle(Value x) {
  Type i32 = b.getI32Type();
  Value single = make<arith::TruncFOp>(b.getF32Type(), x);
  Value wide = make<arith::ExtFOp>(b.getF64Type(), single);
  Value exact =
      make<arith::CmpFOp>(arith::CmpFPredicate::UEQ, wide, x); // Or a NaN.
  Value away =
      make<arith::CmpFOp>(arith::CmpFPredicate::OGT, make<math::AbsFOp>(wide),
                          make<math::AbsFOp>(x));
  Value word = bits(single);
  Value toZero = make<arith::SelectOp>(
      away, make<arith::SubIOp>(word, integer(i32, 1)), word);
  Value odd = make<arith::OrIOp>(toZero, integer(i32, 1));
  return f32(make<arith::SelectOp>(exact, word, odd));
}

/// An integer as an f32 whose rounding to bf16 is that of the integer. Of more
/// than 24 bits the upper 24 are taken, the last one made odd if the rest is
/// not zero, and the power of two is put back by an exact multiplication.
Value Code::fromInteger(Value x, bool isSigned) {
  Type type = x.getType(), i32 = b.getI32Type(), single = b.getF32Type();
  constexpr unsigned kMantissa = 24, kBias = 127, kExponentAt = 23;
  unsigned width = type.getIntOrFloatBitWidth();
  if (width <= kMantissa)
    return isSigned ? make<arith::SIToFPOp>(single, x)
                    : make<arith::UIToFPOp>(single, x);
  Value zero = integer(type, 0), magnitude = x, isNegative;
  if (isSigned) {
    isNegative = make<arith::CmpIOp>(arith::CmpIPredicate::slt, x, zero);
    magnitude =
        make<arith::SelectOp>(isNegative, make<arith::SubIOp>(zero, x), x);
  }
  Value zeros = make<math::CountLeadingZerosOp>(magnitude);
  Value shift = make<arith::SubIOp>(integer(type, width - kMantissa), zeros);
  shift = make<arith::MaxSIOp>(shift, zero);
  Value top = make<arith::ShRUIOp>(magnitude, shift);
  Value back = make<arith::ShLIOp>(top, shift);
  Value isInexact =
      make<arith::CmpIOp>(arith::CmpIPredicate::ne, back, magnitude);
  Value odd = make<arith::OrIOp>(top, integer(type, 1));
  top = make<arith::SelectOp>(isInexact, odd, top);
  if (width > 32) {
    top = make<arith::TruncIOp>(i32, top);
    shift = make<arith::TruncIOp>(i32, shift);
  }
  Value mantissa = make<arith::UIToFPOp>(single, top);
  Value exponent = make<arith::AddIOp>(shift, integer(i32, kBias));
  Value power = f32(make<arith::ShLIOp>(exponent, integer(i32, kExponentAt)));
  Value result = make<arith::MulFOp>(mantissa, power);
  if (!isSigned)
    return result;
  return make<arith::SelectOp>(isNegative, make<arith::NegFOp>(result), result);
}

/// The conversion `op` from or to bf16, whose values are f32 already; null if
/// it is none.
static Value expandConversion(Operation *op, bool fromBrain, bool toBrain) {
  Code code(op);
  Value x = op->getNumOperands() == 1 ? op->getOperand(0) : Value();
  Type i16 = code.b.getI16Type(), i32 = code.b.getI32Type();
  if (isa<arith::ExtFOp>(op) && fromBrain)
    return op->getResult(0).getType().isF32()
               ? x
               : code.make<arith::ExtFOp>(op->getResult(0).getType(), x);
  if (isa<arith::TruncFOp>(op) && toBrain)
    return code.round(x.getType().isF64() ? code.oddSingle(x) : x);
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op) && toBrain)
    return code.round(code.fromInteger(x, isa<arith::SIToFPOp>(op)));
  if (!isa<arith::BitcastOp>(op) || fromBrain == toBrain)
    return Value();
  if (fromBrain) {
    Value word = code.make<arith::ShRUIOp>(code.bits(x), code.integer(i32, 16));
    Value low = code.make<arith::TruncIOp>(i16, word);
    Type type = op->getResult(0).getType();
    return type == i16 ? low : code.make<arith::BitcastOp>(type, low);
  }
  if (x.getType() != i16)
    x = code.make<arith::BitcastOp>(i16, x);
  Value word = code.make<arith::ExtUIOp>(i32, x);
  return code.f32(code.make<arith::ShLIOp>(word, code.integer(i32, 16)));
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
    Code code(op);
    code.b.setInsertionPointAfter(op);
    Value rounded = code.round(result);
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
