//===- ScanLayout.cpp - how a scan is laid over the device ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/scan/ScanLayout.h"

using namespace mlir;
using namespace mlir::gpuvm;

ScanLayout::ScanLayout(Operation *op, bool vectorizes) : space(op) {
  auto scan = dyn_cast<ScanOp>(op);
  if (scan)
    for (Value input : scan.getInputs())
      inputs.push_back(getElementTypeOrSelf(input));
  else
    inputs.push_back(IntegerType::get(op->getContext(), 32));
  compacts = !scan;
  segmented = scan && (scan.getSegments() || space.rows() > 1);
  bool inOneRow =
      space.shape.size() == 1 || space.length() % ScanOrder::kQuad == 0;
  this->vectorizes = vectorizes;
  vector = vectorizes && inOneRow && !space.reverse ? ScanOrder::kQuad : 1;
  groups = std::min(space.tiles(), kMaxGroups);
  if (looksBack())
    scratch.push_back(
        {4 * uint64_t(words()), /*keepsZero=*/true, /*keepsAll=*/true});
}

int64_t ScanLayout::rows() const {
  if (compacts || space.tiles() > 1)
    return space.quadsPerBlock;
  return llvm::divideCeil(space.count(), ScanOrder::kQuad * kLanes);
}

SmallVector<Type> ScanLayout::slots() const {
  SmallVector<Type> types(inputs);
  if (segmented)
    types.push_back(IntegerType::get(types.front().getContext(), 1));
  return types;
}

/// Words hold 16 bits each (ScanTotals.cpp).
int64_t ScanLayout::wordsPerTotal() const {
  int64_t words = 0;
  for (Type type : slots())
    words += llvm::divideCeil(type.getIntOrFloatBitWidth(), 16);
  return llvm::PowerOf2Ceil(words);
}
