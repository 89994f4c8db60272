//===- CrowdedMoves.cpp - elements that too many would move ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/CrowdedMoves.h"

#include "passes/expand/ReadElements.h"
#include "passes/fusion/CodeCopies.h"
#include "passes/program/StageUnits.h"

using namespace mlir;
using namespace mlir::gpuvm;

void gpuvm::placeCrowdedMoves(StageOp stage, bool group,
                              const GroupingLimits &limits) {
  StageUnits units(stage);
  auto mayShare = [&](Operation *a, Operation *b) {
    return group && units.epoch.lookup(a) == units.epoch.lookup(b);
  };
  auto resolve = [](Value value) { return value; };
  for (Operation *move :
       findCrowdedMoves(units.ops, resolve, mayShare, limits)) {
    OpBuilder b(move->getContext());
    b.setInsertionPointAfter(move);
    Value moved = move->getResult(0);
    auto type = cast<RankedTensorType>(moved.getType());
    Value placed =
        readElements(b, moved, type, b.getMultiDimIdentityMap(type.getRank()));
    placed.getDefiningOp()->setAttr(kHasPlaceAttr, b.getUnitAttr());
    moved.replaceAllUsesExcept(placed, placed.getDefiningOp());
  }
}
