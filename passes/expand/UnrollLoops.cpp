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

/// What a loop may become: the neighbours of a point in three dimensions
/// are 27.
static constexpr int64_t kMostOps = 256;

static int64_t countOps(Block &body) {
  int64_t count = 0;
  body.walk([&](Operation *) { ++count; });
  return count;
}

void gpuvm::unrollShortLoops(linalg::GenericOp op) {
  op->walk([](scf::ForOp loop) { // Inner ones first.
    std::optional<llvm::APInt> times = loop.getStaticTripCount();
    bool hasLoops =
        loop.getBody()
            ->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); })
            .wasInterrupted();
    if (times && !hasLoops && times->ult(kMostOps) &&
        times->getSExtValue() * countOps(*loop.getBody()) <= kMostOps)
      (void)loopUnrollFull(loop);
  });
}
