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
  Expr widen(const Expr &value, bool isUnsigned);
  Expr makeSmall(const Expr &wide, Type type);

  LogicalResult lower(Operation *op);
  Expr convertFloat(Operation *op, const ExprBuilder &b);
  Expr convertInteger(Operation *op, const ExprBuilder &b);
  Expr compute(Operation *op, const ExprBuilder &b);
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
static Expr signExtend(const Expr &byte, unsigned bits) {
  return shiftRightSigned(byte << (8 - bits), 8 - bits);
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

Expr SmallTypeLowering::widen(const Expr &value, bool isUnsigned) {
  Type type = value.getType(), i8 = value.builder().ir().getI8Type();
  if (isSmallFloat(type))
    return decodeSmallFloat(value.bitcast(i8), cast<FloatType>(type));
  if (!isSmallInteger(type))
    return value;
  Expr byte = value.signExtend(i8);
  bytes.push_back({Value(byte).getDefiningOp(), widthOf(type)});
  return isUnsigned ? byte & ((1u << widthOf(type)) - 1) : byte;
}

Expr SmallTypeLowering::makeSmall(const Expr &wide, Type type) {
  if (isSmallFloat(type))
    return encodeSmallFloat(wide, cast<FloatType>(type)).bitcast(type);
  if (!isSmallInteger(type))
    return wide;
  Expr small = wide.truncate(type);
  bytes.push_back({Value(small).getDefiningOp(), widthOf(type)});
  return small;
}

/// extf and truncf.
Expr SmallTypeLowering::convertFloat(Operation *op, const ExprBuilder &b) {
  Type to = op->getResult(0).getType();
  Expr value = widen(b(op->getOperand(0)), /*isUnsigned=*/false);
  Type middle = isSmallFloat(to) ? b.ir().getF32Type() : to;
  value = value.width() < widthOf(middle) ? value.extend(middle)
                                          : value.truncate(middle);
  return makeSmall(value, to);
}

/// extsi, extui, trunci.
Expr SmallTypeLowering::convertInteger(Operation *op, const ExprBuilder &b) {
  Type to = op->getResult(0).getType();
  Expr value = widen(b(op->getOperand(0)), isUnsigned(op));
  Type middle = isSmallInteger(to) ? b.ir().getI8Type() : to;
  if (value.width() > widthOf(middle))
    value = value.truncate(middle);
  else
    value = isUnsigned(op) ? value.extend(middle) : value.signExtend(middle);
  return makeSmall(value, to);
}

/// Numbers past the range of a small integer become the nearest in it.
static Expr keepInRange(Operation *op, const Expr &byte, Type small) {
  unsigned bits = widthOf(small);
  if (isa<arith::FPToUIOp>(op))
    return min(byte, (1u << bits) - 1);
  if (!isa<arith::FPToSIOp>(op))
    return byte;
  int64_t half = int64_t(1) << (bits - 1);
  return maxSigned(minSigned(byte, half - 1), -half);
}

/// The same operation on the types that small ones are computed in.
Expr SmallTypeLowering::compute(Operation *op, const ExprBuilder &b) {
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isAmount = isShift(op) && operand.getOperandNumber() == 1;
    operands.push_back(widen(b(operand.get()), isAmount || isUnsigned(op)));
  }
  Type small = op->getResult(0).getType(), wide = computedIn(small, b.ir());
  bool isIndexCast = isa<arith::IndexCastOp, arith::IndexCastUIOp>(op);
  if (isIndexCast && !operands[0].getType().isIndex())
    operands[0] = b(operands[0]).signExtend(b.ir().getI32Type());
  if (isIndexCast && !wide.isIndex())
    wide = b.ir().getI32Type();
  Operation *made = b.ir().create(op->getLoc(), op->getName().getIdentifier(),
                                  operands, wide, op->getAttrs());
  Expr result = b(made->getResult(0));
  if (isIndexCast && isSmallInteger(small))
    result = result.truncate(b.ir().getI8Type());
  if (isSmallInteger(small))
    result = keepInRange(op, result, small);
  return makeSmall(result, small);
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
  OpBuilder builder(op);
  ExprBuilder b(builder, op->getLoc());
  Value result;
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    result = convertFloat(op, b);
  else if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    result = convertInteger(op, b);
  else
    result = compute(op, b);
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
    ExprBuilder e(b, op->getLoc());
    op->getResult(0).replaceAllUsesWith(signExtend(e(op->getOperand(0)), bits));
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
