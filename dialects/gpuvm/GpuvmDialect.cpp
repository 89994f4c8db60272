//===- GpuvmDialect.cpp - registration, types and attributes --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"
#include "dialects/gpuvm/SmallTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::gpuvm;

#include "dialects/gpuvm/GpuvmDialect.cpp.inc"
#include "dialects/gpuvm/GpuvmEnums.cpp.inc"
#include "dialects/gpuvm/GpuvmInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/gpuvm/GpuvmAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/gpuvm/GpuvmTypes.cpp.inc"

void GpuvmDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/gpuvm/GpuvmAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/gpuvm/GpuvmTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/gpuvm/GpuvmOps.cpp.inc"
      >();
}

Operation *GpuvmDialect::materializeConstant(OpBuilder &b, Attribute value,
                                             Type type, Location loc) {
  return arith::ConstantOp::materialize(b, value, type, loc);
}

bool gpuvm::movesElements(Operation *op) {
  return isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp, tensor::ConcatOp, tensor::PadOp,
             tensor::InsertSliceOp, GatherOp>(op);
}

bool gpuvm::isMadeWhereRead(Operation *op) {
  return movesElements(op) || isa<DecodeOp>(op);
}

bool gpuvm::isVmTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding())
    return false;
  Type element = tensor.getElementType();
  bool knownElement =
      element.isSignlessInteger(1) || element.isSignlessInteger(8) ||
      element.isSignlessInteger(16) || element.isSignlessInteger(32) ||
      element.isSignlessInteger(64) || element.isF16() || element.isBF16() ||
      element.isF32() || element.isF64() || isSmall(element);
  int64_t count = 1;
  for (int64_t dim : tensor.getShape())
    if (dim < 1 || llvm::MulOverflow(count, dim, count) || count > INT32_MAX)
      return false;
  return knownElement;
}

bool gpuvm::hasSmallElements(Type type) {
  if (auto message = dyn_cast<MessageType>(type))
    type = message.getPayload();
  return isSmall(getElementTypeOrSelf(type));
}

uint64_t gpuvm::elementBytes(Type elementType) {
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

uint64_t gpuvm::tensorBytes(RankedTensorType type) {
  return type.getNumElements() * elementBytes(type.getElementType());
}

RankedTensorType gpuvm::memoryType(Type tensorOrPacked) {
  if (auto packed = dyn_cast<PackedType>(tensorOrPacked))
    return packed.getBytesType();
  return cast<RankedTensorType>(tensorOrPacked);
}

RankedTensorType gpuvm::payloadType(Type messageOrTensor) {
  if (auto message = dyn_cast<MessageType>(messageOrTensor))
    return message.getPayload();
  return cast<RankedTensorType>(messageOrTensor);
}
