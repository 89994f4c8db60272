//===- GpuvmFft.cpp - transforms and convolutions -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/FftStages.h"
#include "dialects/gpuvm/Gpuvm.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// C1: `type` holds complex numbers.
static LogicalResult verifyComplex(Operation *op, RankedTensorType type) {
  Type element = type.getElementType();
  if (type.getRank() < 2 || type.getShape().back() != 2)
    return op->emitOpError("C1: ")
           << type << " does not end with the dimension of complex numbers and "
           << "that of their two parts";
  if (!element.isF32() && !element.isF64())
    return op->emitOpError("C1: elements are f32 or f64, not ") << element;
  return success();
}

/// That `twiddles` is the table for transforms of `length` elements.
static LogicalResult verifyTwiddles(Operation *op, StringRef constraint,
                                    Value twiddles, int64_t length,
                                    Type element) {
  if (!twiddles)
    return success();
  std::optional<FftStages> stages = getFftStages(length, element);
  if (!stages)
    return op->emitOpError(constraint)
           << ": one workgroup cannot transform " << length << " elements";
  auto table = RankedTensorType::get({countTwiddles(*stages), 2}, element);
  if (twiddles.getType() != table)
    return op->emitOpError(constraint)
           << ": the table of twiddle factors is a " << table << ", not "
           << twiddles.getType();
  return success();
}

int64_t FftOp::getTransformed() {
  return getDimension().value_or(typeOf(getSource()).getRank() - 2);
}

int64_t FftOp::getPlaced() { return getPlace().value_or(getTransformed()); }

SmallVector<int64_t> gpuvm::getPlacedShape(FftOp op) {
  SmallVector<int64_t> shape(typeOf(op.getSource()).getShape());
  int64_t length = shape[op.getTransformed()];
  shape.erase(shape.begin() + op.getTransformed());
  shape.insert(shape.begin() + op.getPlaced(), length);
  return shape;
}

/// Whether `type` is `whole`, or some of its neighbouring dimensions are one.
static bool isCollapsed(RankedTensorType type, RankedTensorType whole) {
  if (type == whole)
    return true;
  return type.getElementType() == whole.getElementType() &&
         type.getRank() < whole.getRank() &&
         getReassociationIndicesForReshape(whole, type).has_value();
}

LogicalResult FftOp::verify() {
  RankedTensorType source = typeOf(getSource());
  if (failed(verifyComplex(*this, source))) // C1
    return failure();
  for (int64_t dimension : {getTransformed(), getPlaced()})
    if (dimension < 0 || dimension >= source.getRank() - 1) // C2
      return emitOpError("C2: ") << source << " has no dimension " << dimension
                                 << " of complex numbers";
  RankedTensorType placed = source.clone(getPlacedShape(*this));
  if (!isCollapsed(typeOf(getResult()), placed)) // C3
    return emitOpError("C3: the result is a ")
           << placed << ", not " << getResult().getType();
  return verifyTwiddles(*this, "C4", getTwiddles(),
                        source.getDimSize(getTransformed()),
                        source.getElementType());
}

LogicalResult ConvolveOp::verify() {
  RankedTensorType source = typeOf(getSource());
  if (failed(verifyComplex(*this, source))) // C1
    return failure();
  return verifyTwiddles(*this, "C2", getTwiddles(),
                        source.getDimSize(source.getRank() - 2),
                        source.getElementType());
}

Root FftOp::getRoot() { return Root::fft; }
Root ConvolveOp::getRoot() { return Root::fft; }

/// The source and the spectrum; not the table.
bool FftOp::readsOnce(unsigned number) { return number == 0; }
bool ConvolveOp::readsOnce(unsigned number) { return number < 2; }

std::optional<SmallVector<int64_t>> FftOp::getEpilogueShape() {
  return llvm::to_vector(typeOf(getResult()).getShape());
}
std::optional<SmallVector<int64_t>> ConvolveOp::getEpilogueShape() {
  return llvm::to_vector(typeOf(getResult()).getShape());
}

/// C2 of transforms of real signals: `spectrum` has what is kept of the
/// frequencies of `signal`.
static LogicalResult verifySpectrum(Operation *op, RankedTensorType signal,
                                    RankedTensorType spectrum) {
  if (signal.getRank() > 0) {
    SmallVector<int64_t> shape(signal.getShape());
    shape.back() = shape.back() / 2 + 1;
    shape.push_back(2);
    if (spectrum == signal.clone(shape))
      return success();
  }
  return op->emitOpError("C2: ")
         << spectrum << " is not the spectrum of " << signal;
}

LogicalResult RfftOp::verify() {
  if (failed(verifyComplex(*this, typeOf(getResult())))) // C1
    return failure();
  return verifySpectrum(*this, typeOf(getSource()), typeOf(getResult())); // C2
}

LogicalResult IrfftOp::verify() {
  if (failed(verifyComplex(*this, typeOf(getSource())))) // C1
    return failure();
  return verifySpectrum(*this, typeOf(getResult()), typeOf(getSource())); // C2
}
