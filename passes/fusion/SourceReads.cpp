//===- SourceReads.cpp - the reads of an operation ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/SourceReads.h"

#include "dialects/gpuvm/ScalarBody.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Appends what `read` reads, looking through slices, reshapes and the like.
static void followMoves(SourceRead read, const ResolveFn &resolve,
                        SmallVectorImpl<SourceRead> &reads) {
  // Of many ways to one value, two say that there are several.
  llvm::DenseMap<std::pair<Value, unsigned>, unsigned> visits;
  SmallVector<SourceRead> pending = {read};
  while (!pending.empty()) {
    SourceRead next = pending.pop_back_val();
    next.source = resolve(next.source);
    Operation *def = next.source.getDefiningOp();
    if (!def || !isMadeWhereRead(def)) {
      reads.push_back(next);
      continue;
    }
    if (++visits[{next.source, next.once}] > 2)
      continue;
    next.direct = false;
    next.map = AffineMap();
    next.once &= !isa<GatherOp>(def);
    for (Value source : llvm::reverse(def->getOperands())) {
      next.source = source;
      pending.push_back(next);
    }
  }
}

SmallVector<SourceRead> gpuvm::getReads(Operation *op,
                                        const ResolveFn &resolve) {
  SmallVector<SourceRead> reads;
  if (auto root = dyn_cast<RootOpInterface>(op)) {
    for (OpOperand &operand : op->getOpOperands()) {
      bool once = root.readsOnce(operand.getOperandNumber());
      SourceRead read{operand.get(), false, AffineMap(), /*byRoot=*/true, once};
      read.isUpdated = llvm::is_contained(root.getUpdatedOperands(),
                                          operand.getOperandNumber());
      followMoves(read, resolve, reads);
    }
    return reads;
  }
  auto generic = cast<linalg::GenericOp>(op);
  bool reduces = generic.getNumReductionLoops() != 0;
  for (OpOperand &operand : op->getOpOperands()) {
    if (generic.getMatchingBlockArgument(&operand).use_empty())
      continue;
    AffineMap map = generic.getMatchingIndexingMap(&operand);
    bool direct = map.isIdentity() && !(reduces && generic.isDpsInit(&operand));
    followMoves({operand.get(), direct, map}, resolve, reads);
  }
  for (Value table : getTables(op)) {
    SourceRead read{table, /*direct=*/false, AffineMap()};
    read.isTable = true;
    read.once = op->hasAttr(kReadsTablesOnceAttr);
    followMoves(read, resolve, reads);
  }
  return reads;
}
