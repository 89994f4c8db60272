//===- GpuvmDialect.cpp - registration, types and attributes --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"
#include "dialects/gpuvm/Parameters.h"
#include "dialects/gpuvm/Reduction.h"
#include "dialects/gpuvm/SmallTypes.h"
#include "dialects/gpuvm/Target.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// A word without quotation marks, a parameter of an attribute.
static FailureOr<std::string> parseKeyword(AsmParser &parser) {
  StringRef keyword;
  if (failed(parser.parseKeyword(&keyword)))
    return failure();
  return keyword.str();
}

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
  addOperations<ParameterOp>();
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

static bool isVmElement(Type type) {
  return type.isSignlessInteger(1) || type.isSignlessInteger(8) ||
         type.isSignlessInteger(16) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64) || type.isF16() || type.isBF16() ||
         type.isF32() || type.isF64() || isSmall(type);
}

bool gpuvm::isVmTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding())
    return false;
  int64_t count = 1;
  for (int64_t dim : tensor.getShape())
    if (dim < 1 || llvm::MulOverflow(count, dim, count) || count > INT32_MAX)
      return false;
  return isVmElement(tensor.getElementType());
}

bool gpuvm::hasNoElements(Type type) {
  if (auto message = dyn_cast<MessageType>(type))
    type = message.getPayload();
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         llvm::is_contained(tensor.getShape(), 0);
}

bool gpuvm::isEmptyVmTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && hasNoElements(tensor) && !tensor.getEncoding() &&
         isVmElement(tensor.getElementType());
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

static LogicalResult verifyTargets(Operation *op, Attribute attribute) {
  auto targets = dyn_cast<ArrayAttr>(attribute);
  if (!isa<ModuleOp>(op) || !targets || targets.empty() ||
      !llvm::all_of(targets, llvm::IsaPred<TargetAttr>))
    return op->emitOpError(kTargetsAttr)
           << " is an array of one #gpuvm.target or more, of a module";
  return success();
}

static LogicalResult verifyOrder(Operation *op, Attribute attribute) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumReductionLoops() == 0 ||
      !isa<OrderAttr>(attribute))
    return op->emitOpError(kOrderAttr)
           << " is a #gpuvm.order, of a linalg.generic that reduces";
  return success();
}

LogicalResult GpuvmDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  if (attribute.getName() == kTargetsAttr)
    return verifyTargets(op, attribute.getValue());
  if (attribute.getName() == kOrderAttr)
    return verifyOrder(op, attribute.getValue());
  return success();
}
