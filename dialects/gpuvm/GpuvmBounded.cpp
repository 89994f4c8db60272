//===- GpuvmBounded.cpp - as many rows as the device finds ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/EmptyTensors.h"
#include "dialects/gpuvm/Gpuvm.h"
#include "dialects/gpuvm/SmallTypes.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// A bounded tensor has a dynamic leading dimension, the bound says how many
/// rows that are at most, and there is nothing else that is dynamic.
RankedTensorType gpuvm::boundedTo(RankedTensorType type) {
  auto bound = dyn_cast_or_null<BoundAttr>(type.getEncoding());
  if (!bound || type.getRank() == 0 || !type.isDynamicDim(0))
    return RankedTensorType();
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = bound.getRows();
  return RankedTensorType::get(shape, type.getElementType());
}

RankedTensorType gpuvm::withAllRows(RankedTensorType type) {
  RankedTensorType most = boundedTo(type);
  return most ? most : type;
}

RankedTensorType gpuvm::boundedFrom(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  auto bound = BoundAttr::get(type.getContext(), shape.front());
  shape.front() = ShapedType::kDynamic;
  return RankedTensorType::get(shape, type.getElementType(), bound);
}

bool gpuvm::isBounded(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  RankedTensorType most = tensor ? boundedTo(tensor) : RankedTensorType();
  return most && isVmTensor(most);
}

bool gpuvm::hasRows(Type type) {
  return isVmTensor(type) || isEmptyVmTensor(type) || isBounded(type);
}

InFlightDiagnostic gpuvm::emitNoRows(Operation *op, Type type) {
  InFlightDiagnostic error = op->emitOpError("C0: ");
  error << type << " is no statically shaped tensor of " << kElementTypes
        << " with at most 2147483647 elements";
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && !tensor.hasStaticShape())
    error << "; write a program for each shape, or bounded rows where only the "
             "device counts them (docs/bounded.md)";
  return error;
}

LogicalResult BoundedOp::verify() {
  RankedTensorType data = typeOf(getData());
  if (data.getRank() == 0) // C1
    return emitOpError("C1: a scalar has no rows");
  if (getResult().getType() != boundedFrom(data)) // C2
    return emitOpError("C2: the first rows of ")
           << data << " are " << boundedFrom(data) << ", not "
           << getResult().getType();
  return success();
}

LogicalResult CountOp::verify() {
  if (!isBounded(getSource().getType())) // C1
    return emitOpError("C1: ")
           << getSource().getType() << " is no bounded tensor";
  return success();
}

LogicalResult FilledOp::verify() {
  RankedTensorType source = typeOf(getSource());
  if (!isBounded(source)) // C1
    return emitOpError("C1: ") << source << " is no bounded tensor";
  if (getElement().getType() !=
      RankedTensorType::get({}, source.getElementType())) // C1
    return emitOpError("C1: ")
           << getElement().getType() << " is no element of " << source;
  if (getResult().getType() != boundedTo(source)) // C2
    return emitOpError("C2: ")
           << source << " is filled up to " << boundedTo(source) << ", not "
           << getResult().getType();
  return success();
}
