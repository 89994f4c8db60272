//===- UnrollLoops.cpp - short loops of bodies, written out ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A body with a loop takes one element a lane, and a loop over the neighbours
// of a point spends most of its time on itself. Written out, what neighbouring
// elements have in common is computed once, and they are loaded and stored
// together.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "passes/expand/GeneralizeBody.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// What a body may become: the neighbours of a point in three dimensions
/// are 27.
static constexpr int64_t kMostOps = 256;

/// Of fewer elements each has a lane of its own in any case, and a body without
/// loops would be inlined where it is read.
static constexpr int64_t kFewestElements = 1 << 16;

/// The operations of a block whose loops are written out, or more than kMostOps
/// if they cannot be.
static int64_t countWrittenOut(Block &body) {
  int64_t count = 0;
  for (Operation &op : body) {
    int64_t own = 1, times = 1;
    for (mlir::Region &region : op.getRegions())
      for (Block &inner : region)
        own += countWrittenOut(inner);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      std::optional<llvm::APInt> turns = loop.getStaticTripCount();
      times = turns ? turns->getLimitedValue(kMostOps + 1) : kMostOps + 1;
    } else if (isa<LoopLikeOpInterface>(op)) {
      times = kMostOps + 1;
    }
    count = std::min(count + own * times, kMostOps + 1);
  }
  return count;
}

/// All loops of a body, or none: next to one that stays, others gain nothing.
void gpuvm::unrollShortLoops(linalg::GenericOp op) {
  if (ShapedType::getNumElements(op.getStaticLoopRanges()) < kFewestElements ||
      countWrittenOut(*op.getBody()) > kMostOps)
    return;
  op->walk([](scf::ForOp loop) { // Inner ones first.
    (void)loopUnrollFull(loop);
  });
}
