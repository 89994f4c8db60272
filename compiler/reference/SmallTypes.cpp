//===- SmallTypes.cpp - operations on i2, i4 and floats of eight bits -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small element is a byte. It is computed with as f32 or i8, in which every
// small number is one; llvm::APFloat converts.
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/SmallTypes.h"

#include "compiler/reference/ElementName.h"
#include "compiler/reference/Elementwise.h"
#include "compiler/reference/Tensor.h"
#include "dialects/gpuvm/SmallTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::reference;
using vm::DType;

using Bytes = std::vector<uint8_t>;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static float decode(uint8_t bits, FloatType type) {
  APFloat number(type.getFloatSemantics(), APInt(8, bits));
  bool loses;
  number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &loses);
  return number.convertToFloat();
}

static uint8_t encode(APFloat number, FloatType type) {
  bool loses;
  number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &loses);
  return number.bitcastToAPInt().getZExtValue();
}

static int8_t decode(uint8_t byte, unsigned bits, bool isUnsigned) {
  APInt number = APInt(8, byte).trunc(bits);
  return static_cast<int8_t>(isUnsigned ? number.getZExtValue()
                                        : number.getSExtValue());
}

/// The type that small elements are computed in.
static DType computedIn(Type type) {
  type = getElementTypeOrSelf(type);
  return isSmallFloat(type) ? DType::F32 : *getDType(type);
}

/// `count` elements of type `type` in the type they are computed in.
static Bytes widen(const void *from, size_t count, Type type, bool isUnsigned) {
  type = getElementTypeOrSelf(type);
  const auto *bytes = static_cast<const uint8_t *>(from);
  Bytes wide(count * byteSize(computedIn(type)));
  if (!isSmall(type)) {
    std::memcpy(wide.data(), bytes, wide.size());
    return wide;
  }
  for (size_t i = 0; i < count; ++i)
    if (auto number = dyn_cast<FloatType>(type))
      reinterpret_cast<float *>(wide.data())[i] = decode(bytes[i], number);
    else
      wide[i] = decode(bytes[i], type.getIntOrFloatBitWidth(), isUnsigned);
  return wide;
}

/// Writes `count` elements of the type they are computed in as a `type`.
static void store(const Bytes &wide, void *to, size_t count, Type type) {
  type = getElementTypeOrSelf(type);
  auto *bytes = static_cast<uint8_t *>(to);
  if (!isSmall(type)) {
    std::memcpy(bytes, wide.data(), wide.size());
    return;
  }
  for (size_t i = 0; i < count; ++i)
    if (auto number = dyn_cast<FloatType>(type))
      bytes[i] = encode(
          APFloat(reinterpret_cast<const float *>(wide.data())[i]), number);
    else
      bytes[i] = decode(wide[i], type.getIntOrFloatBitWidth(), false);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static bool isUnsigned(Operation *op, unsigned operand) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return compare.getPredicate() >= arith::CmpIPredicate::ult;
  if (isa<arith::ShLIOp, arith::ShRSIOp>(op))
    return operand == 1;
  return isa<arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp, arith::MaxUIOp,
             arith::MinUIOp, arith::ShRUIOp, arith::UIToFPOp, arith::ExtUIOp,
             arith::IndexCastUIOp>(op);
}

/// Conversions to small integers keep a number in their range.
static void keepInRange(Operation *op, Bytes &wide, Type type) {
  type = getElementTypeOrSelf(type);
  if (!isSmallInteger(type))
    return;
  int bits = static_cast<int>(type.getIntOrFloatBitWidth());
  for (uint8_t &byte : wide)
    if (isa<arith::FPToUIOp>(op))
      byte = std::min<int>(byte, (1 << bits) - 1);
    else if (isa<arith::FPToSIOp>(op))
      byte = std::clamp<int>(static_cast<int8_t>(byte), -(1 << (bits - 1)),
                             (1 << (bits - 1)) - 1);
}

static SmallFn moveBytes() {
  return [](ArrayRef<const void *> from, void *to, size_t count) {
    std::memcpy(to, from.front(), count);
    return Fault();
  };
}

/// truncf from f64, which f32 would round before.
static SmallFn roundDoubles(FloatType type) {
  return [type](ArrayRef<const void *> from, void *to, size_t count) {
    for (size_t i = 0; i < count; ++i)
      static_cast<uint8_t *>(to)[i] =
          encode(APFloat(static_cast<const double *>(from.front())[i]), type);
    return Fault();
  };
}

static SmallFn choose() {
  return [](ArrayRef<const void *> from, void *to, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      bool isYes = static_cast<const uint8_t *>(from[0])[i];
      static_cast<uint8_t *>(to)[i] =
          static_cast<const uint8_t *>(from[isYes ? 1 : 2])[i];
    }
    return Fault();
  };
}

SmallFn gpuvm::reference::findSmallOp(Operation *op, bool exact) {
  Type result = getElementTypeOrSelf(op->getResult(0).getType());
  SmallVector<Type> types(op->getOperandTypes());
  if (isa<arith::BitcastOp>(op))
    return moveBytes();
  if (isa<arith::SelectOp>(op))
    return choose();
  if (isa<arith::TruncFOp>(op) && getElementTypeOrSelf(types[0]).isF64())
    return roundDoubles(cast<FloatType>(result));
  SmallVector<DType> wide = llvm::map_to_vector(types, computedIn);
  DType made = computedIn(result);
  ElementwiseFn fn = nullptr;
  bool isConversion = isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp,
                          arith::ExtUIOp, arith::TruncIOp>(op);
  bool isSame = isConversion && wide.front() == made;
  std::string name = getElementwiseName(op, 0);
  if (isa<arith::TruncFOp>(op)) // From f16 or bf16 to f32.
    name = "arith.extf";
  else if (isa<arith::ExtFOp>(op) && byteSize(made) < byteSize(DType::F32))
    name = "arith.truncf";
  if (!isSame && !(fn = findElementwise(name, wide, made, exact)))
    return nullptr;
  return [=](ArrayRef<const void *> from, void *to, size_t count) {
    std::vector<Bytes> operands;
    SmallVector<const void *> pointers;
    for (auto [i, type] : llvm::enumerate(types))
      operands.push_back(widen(from[i], count, type, isUnsigned(op, i)));
    for (const Bytes &operand : operands)
      pointers.push_back(operand.data());
    Bytes wideResult(count * byteSize(made));
    Fault fault;
    if (isSame)
      wideResult = operands.front();
    else
      fault = fn(pointers.data(), wideResult.data(), count);
    keepInRange(op, wideResult, result);
    store(wideResult, to, count, result);
    return fault;
  };
}

bool gpuvm::reference::isOnSmallTypes(Operation *op) {
  return op->getNumResults() == 1 &&
         (llvm::any_of(op->getOperandTypes(), hasSmallElements) ||
          llvm::any_of(op->getResultTypes(), hasSmallElements));
}
