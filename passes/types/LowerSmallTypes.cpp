//===- LowerSmallTypes.cpp - i2, i4 and floats of eight bits as bytes -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar code on small types is done in i8 and f32, between conversions from
// and to bytes; then every small type of the program becomes i8. A byte holds a
// float's bits. Of an integer its low bits count, and results of a body are
// sign-extended.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/SmallTypes.h"
#include "passes/expand/ElementBuilder.h"
#include "passes/expand/Generalize.h"
#include "passes/types/SmallFloats.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {

/// Scalar operations on small types, one after the other, then all types.
class SmallTypeLowering {
public:
  explicit SmallTypeLowering(ProgramOp program) : program(program) {}
  LogicalResult run();

private:
  // Between a small type and the one that it is computed in.
  Value widen(ScalarBuilder &s, Value value, bool isUnsigned);
  Value makeSmall(ScalarBuilder &s, Value wide, Type type);
  Value loadInteger(ScalarBuilder &s, Value value);

  LogicalResult lower(Operation *op);
  Value convert(Operation *op, ScalarBuilder &s);
  Value convertFloat(Operation *op, ScalarBuilder &s);
  Value convertInteger(Operation *op, ScalarBuilder &s);
  Value compute(Operation *op, OpBuilder &b, ScalarBuilder &s);
  void replaceTypes();
  void replaceBytes();

  ProgramOp program;
  /// Conversions between i8 and small integers of so many bits.
  SmallVector<std::pair<Operation *, unsigned>> bytes;
};

} // namespace

static Type computedIn(Type type, Builder &b) {
  if (isSmallFloat(type))
    return b.getF32Type();
  return isSmallInteger(type) ? b.getI8Type() : type;
}

static unsigned widthOf(Type type) { return type.getIntOrFloatBitWidth(); }

/// The number of `bits` low bits of a byte.
static Value signExtend(ScalarBuilder &s, Value byte, unsigned bits) {
  Value up = s.shiftLeft(byte, 8 - bits);
  return s.make<arith::ShRSIOp>(up, s.integer(byte.getType(), 8 - bits));
}

static bool isUnsigned(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return compare.getPredicate() >= arith::CmpIPredicate::ult;
  return isa<arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp, arith::MaxUIOp,
             arith::MinUIOp, arith::ShRUIOp, arith::UIToFPOp, arith::ExtUIOp,
             arith::IndexCastUIOp>(op);
}

static bool isShift(Operation *op) {
  return isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op);
}

//===----------------------------------------------------------------------===//
// Scalar code
//===----------------------------------------------------------------------===//

Value SmallTypeLowering::loadInteger(ScalarBuilder &s, Value value) {
  auto i8 = IntegerType::get(value.getContext(), 8);
  Value byte = s.make<arith::ExtSIOp>(i8, value);
  bytes.push_back({byte.getDefiningOp(), widthOf(value.getType())});
  return byte;
}

Value SmallTypeLowering::widen(ScalarBuilder &s, Value value, bool isUnsigned) {
  Type type = value.getType();
  auto i8 = IntegerType::get(value.getContext(), 8);
  if (isSmallFloat(type))
    return decodeSmallFloat(s, s.make<arith::BitcastOp>(i8, value),
                            cast<FloatType>(type));
  if (!isSmallInteger(type))
    return value;
  Value byte = loadInteger(s, value);
  return isUnsigned ? s.both(byte, s.integer(i8, (1u << widthOf(type)) - 1))
                    : byte;
}

Value SmallTypeLowering::makeSmall(ScalarBuilder &s, Value wide, Type type) {
  if (isSmallFloat(type))
    return s.make<arith::BitcastOp>(
        type, encodeSmallFloat(s, wide, cast<FloatType>(type)));
  if (!isSmallInteger(type))
    return wide;
  Value small = s.make<arith::TruncIOp>(type, wide);
  bytes.push_back({small.getDefiningOp(), widthOf(type)});
  return small;
}

/// extf and truncf.
Value SmallTypeLowering::convertFloat(Operation *op, ScalarBuilder &s) {
  Type to = op->getResult(0).getType();
  Value value = widen(s, op->getOperand(0), /*isUnsigned=*/false);
  auto f32 = Float32Type::get(op->getContext());
  Type middle = isSmallFloat(to) ? f32 : to;
  if (widthOf(value.getType()) < widthOf(middle))
    value = s.make<arith::ExtFOp>(middle, value);
  else if (value.getType() != middle)
    value = s.make<arith::TruncFOp>(middle, value);
  return makeSmall(s, value, to);
}

/// extsi, extui, trunci.
Value SmallTypeLowering::convertInteger(Operation *op, ScalarBuilder &s) {
  Type to = op->getResult(0).getType();
  Value value = widen(s, op->getOperand(0), isUnsigned(op));
  auto i8 = IntegerType::get(op->getContext(), 8);
  Type middle = isSmallInteger(to) ? i8 : to;
  if (widthOf(value.getType()) > widthOf(middle))
    value = s.make<arith::TruncIOp>(middle, value);
  else if (value.getType() != middle && isUnsigned(op))
    value = s.make<arith::ExtUIOp>(middle, value);
  else if (value.getType() != middle)
    value = s.make<arith::ExtSIOp>(middle, value);
  return makeSmall(s, value, to);
}

/// Numbers past the range of a small integer become the nearest in it.
static Value keepInRange(Operation *op, ScalarBuilder &s, Value byte,
                         Type small) {
  unsigned bits = widthOf(small);
  Type i8 = byte.getType();
  if (isa<arith::FPToUIOp>(op))
    return s.make<arith::MinUIOp>(byte, s.integer(i8, (1u << bits) - 1));
  if (!isa<arith::FPToSIOp>(op))
    return byte;
  int64_t half = int64_t(1) << (bits - 1);
  return s.max(s.min(byte, s.integer(i8, half - 1)), s.integer(i8, -half));
}

/// The same operation on the types that small ones are computed in.
Value SmallTypeLowering::compute(Operation *op, OpBuilder &b,
                                 ScalarBuilder &s) {
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isAmount = isShift(op) && operand.getOperandNumber() == 1;
    operands.push_back(widen(s, operand.get(), isAmount || isUnsigned(op)));
  }
  Type small = op->getResult(0).getType(), wide = computedIn(small, b);
  bool isIndexCast = isa<arith::IndexCastOp, arith::IndexCastUIOp>(op);
  if (isIndexCast && !operands[0].getType().isIndex())
    operands[0] = s.make<arith::ExtSIOp>(b.getI32Type(), operands[0]);
  if (isIndexCast && !wide.isIndex())
    wide = b.getI32Type();
  Operation *made = b.create(op->getLoc(), op->getName().getIdentifier(),
                             operands, wide, op->getAttrs());
  Value result = made->getResult(0);
  if (isIndexCast && isSmallInteger(small))
    result = s.make<arith::TruncIOp>(b.getI8Type(), result);
  if (isSmallInteger(small))
    result = keepInRange(op, s, result, small);
  return makeSmall(s, result, small);
}

LogicalResult SmallTypeLowering::lower(Operation *op) {
  if (isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op))
    return success(); // They move bits.
  bool isScaling = isa<arith::ScalingExtFOp, arith::ScalingTruncFOp>(op);
  if (op->getNumResults() != 1 || isScaling)
    return op->emitOpError("cannot be compiled: it has no code for elements of "
                           "eight bits or less; convert them first");
  if (isa<arith::TruncFOp>(op) && op->getOperand(0).getType().isF64())
    return op->emitOpError("cannot be compiled: f64 is rounded to ")
           << op->getResult(0).getType() << " in one step only from f32; "
           << "arith.truncf to f32 comes first";
  OpBuilder b(op);
  ScalarBuilder s(b, op->getLoc());
  Value result;
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    result = convertFloat(op, s);
  else if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    result = convertInteger(op, s);
  else
    result = compute(op, b, s);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static Attribute toBytes(DenseElementsAttr dense) {
  Type element = dense.getElementType();
  auto i8 = IntegerType::get(dense.getContext(), 8);
  if (isSmallFloat(element))
    return dense.bitcast(i8);
  return cast<DenseIntElementsAttr>(dense).mapValues(
      i8, [](const APInt &number) { return number.sext(8); });
}

static std::optional<std::pair<Attribute, WalkResult>>
replaceAttribute(Attribute attribute) {
  auto typed = dyn_cast<TypedAttr>(attribute);
  if (!typed || !isSmall(getElementTypeOrSelf(typed.getType())))
    return std::nullopt;
  auto i8 = IntegerType::get(attribute.getContext(), 8);
  Attribute bytes = attribute;
  if (auto dense = dyn_cast<DenseElementsAttr>(attribute))
    bytes = toBytes(dense);
  else if (auto integer = dyn_cast<IntegerAttr>(attribute))
    bytes = IntegerAttr::get(i8, integer.getValue().sext(8));
  else if (auto number = dyn_cast<FloatAttr>(attribute))
    bytes = IntegerAttr::get(i8, number.getValue().bitcastToAPInt());
  else
    return std::nullopt;
  return std::pair(bytes, WalkResult::skip());
}

void SmallTypeLowering::replaceTypes() {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](Type type) -> std::optional<Type> {
    if (!isSmall(type))
      return std::nullopt;
    return IntegerType::get(type.getContext(), 8);
  });
  replacer.addReplacement(replaceAttribute);
  replacer.recursivelyReplaceElementsIn(program, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

/// What is between a byte and a byte, now.
void SmallTypeLowering::replaceBytes() {
  for (auto [op, bits] : bytes) {
    OpBuilder b(op);
    ScalarBuilder s(b, op->getLoc());
    op->getResult(0).replaceAllUsesWith(signExtend(s, op->getOperand(0), bits));
    op->erase();
  }
  program.walk([](arith::BitcastOp cast) {
    if (cast.getIn().getType() != cast.getType())
      return;
    cast.getResult().replaceAllUsesWith(cast.getIn());
    cast.erase();
  });
}

LogicalResult SmallTypeLowering::run() {
  bool isAny = false;
  SmallVector<Operation *> ops;
  program.walk([&](Operation *op) {
    bool isSmallOp = llvm::any_of(op->getOperandTypes(), hasSmallElements) ||
                     llvm::any_of(op->getResultTypes(), hasSmallElements);
    isAny |= isSmallOp ||
             (getSymbolInfo(op).op && hasSmallElements(getSymbolInfo(op).type));
    if (isSmallOp &&
        isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
      ops.push_back(op);
  });
  isAny |= llvm::any_of(program.getProgramType().getInputs(), hasSmallElements);
  if (!isAny)
    return success();
  for (Operation *op : ops)
    if (failed(lower(op)))
      return failure();
  replaceTypes();
  replaceBytes();
  return success();
}

LogicalResult gpuvm::lowerSmallTypes(ProgramOp program) {
  return SmallTypeLowering(program).run();
}
