//===- GpuvmScan.cpp - scans and their like -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Scan.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Scan
//===----------------------------------------------------------------------===//

Root ScanOp::getRoot() { return Root::scan; }
bool ScanOp::readsOnce(unsigned) { return true; }
bool ScanOp::isExact() { return true; }

std::optional<SmallVector<int64_t>> ScanOp::getEpilogueShape() {
  return llvm::to_vector(typeOf(getInputs().front()).getShape());
}

LogicalResult ScanOp::verify() {
  // What the elements of all inputs take in workgroup memory.
  constexpr uint64_t kMaxBytes = 24;
  if (getInputs().empty() || getInputs().size() != getResults().size()) // C1
    return emitOpError("C1: has ") << getInputs().size() << " inputs and "
                                   << getResults().size() << " results";
  RankedTensorType first = typeOf(getInputs().front());
  uint64_t bytes = 0;
  for (auto [input, result] : llvm::zip_equal(getInputs(), getResults())) {
    if (typeOf(input).getShape() != first.getShape()) // C1
      return emitOpError("C1: an input has shape ")
             << typeOf(input) << ", another " << first;
    if (input.getType() != result.getType()) // C1
      return emitOpError("C1: the scan of ")
             << input.getType() << " is not " << result.getType();
    bytes +=
        std::max<uint64_t>(4, elementBytes(typeOf(input).getElementType()));
  }
  int64_t dimension = getDimension();
  if (dimension < 0 || dimension >= first.getRank()) // C2
    return emitOpError("C2: ") << first << " has no dimension " << dimension;
  if (!getInitial().empty() && getInitial().size() != getInputs().size()) // C3
    return emitOpError("C3: there are ")
           << getInitial().size() << " initial values for "
           << getInputs().size() << " inputs";
  for (auto [initial, input] : llvm::zip(getInitial(), getInputs()))
    if (initial.getType() !=
        RankedTensorType::get({}, typeOf(input).getElementType())) // C3
      return emitOpError("C3: ")
             << initial.getType() << " is no initial value of "
             << input.getType();
  if (getSegments() && getSegments().getType() !=
                           first.clone(IntegerType::get(getContext(), 1))) // C4
    return emitOpError("C4: ")
           << getSegments().getType() << " does not say where segments of "
           << first << " begin";
  if (bytes > kMaxBytes) // C6
    return emitOpError("C6: an element of all inputs has ")
           << bytes << " bytes, more than " << kMaxBytes;
  return success();
}

LogicalResult gpuvm::verifyCombine(Operation *op, mlir::Region &combine,
                                   ValueRange inputs, StringRef constraint) {
  SmallVector<Type> types;
  for (Value input : inputs)
    types.push_back(typeOf(input).getElementType());
  SmallVector<Type> twice(types);
  llvm::append_range(twice, types);
  Block &block = combine.front();
  if (block.getArgumentTypes() != TypeRange(twice))
    return op->emitOpError(constraint)
           << ": the region is not given two elements";
  auto yield = dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getOperandTypes() != TypeRange(types))
    return op->emitOpError(constraint)
           << ": the region does not yield an element";
  return success();
}

LogicalResult ScanOp::verifyRegions() {
  return verifyCombine(*this, getCombine(), getInputs(), "C5");
}

ScanSpace::ScanSpace(Operation *op)
    : shape(withAllRows(typeOf(op->getOperands().front())).getShape()),
      dimension(0), reverse(false),
      quadsPerBlock(ScanOrder::quadsOfCompact(count())) {
  auto scan = dyn_cast<ScanOp>(op);
  if (!scan)
    return;
  dimension = scan.getDimension();
  reverse = scan.getReverse();
  int64_t bytes = 0;
  for (Value input : scan.getInputs())
    bytes += elementBytes(getElementTypeOrSelf(input));
  int64_t most = ScanOrder::kMostInRow;
  if (scan.getSegments() || (rows() > 1 && length() % ScanOrder::kQuad != 0))
    most = ScanOrder::kMostInSegments;
  else if (rows() > 1)
    most = ScanOrder::kMostInRows;
  quadsPerBlock = ScanOrder::quadsPerBlock(bytes, most);
}

//===----------------------------------------------------------------------===//
// Compact
//===----------------------------------------------------------------------===//

Root CompactOp::getRoot() { return Root::scan; }
bool CompactOp::readsOnce(unsigned) { return true; }
bool CompactOp::isExact() { return true; }

LogicalResult CompactOp::verify() {
  RankedTensorType keep = typeOf(getKeep());
  if (keep.getRank() != 1 || !keep.getElementType().isInteger(1)) // C1
    return emitOpError("C1: ") << keep << " does not say what to keep";
  for (Value payload : getPayloads())
    if (typeOf(payload).getShape() != keep.getShape()) // C1
      return emitOpError("C1: ")
             << payload.getType() << " has not as many elements as " << keep;
  if (getPayloads().size() != getResults().size()) // C2
    return emitOpError("C2: there are ")
           << getPayloads().size() << " payloads and " << getResults().size()
           << " results";
  for (auto [payload, result] : llvm::zip_equal(getPayloads(), getResults())) {
    RankedTensorType from = typeOf(payload), to = typeOf(result);
    if (to.getRank() != 1 || to.getElementType() != from.getElementType() ||
        to.getDimSize(0) > withAllRows(from).getDimSize(0)) // C2
      return emitOpError("C2: elements of ") << from << " do not make " << to;
  }
  return success();
}
