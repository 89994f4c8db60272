//===- LoopNest.cpp - fusion of loop nests --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/LoopNest.h"

#include "dialects/gpuvm/Reduction.h"
#include "dialects/gpuvm/Target.h"
#include "kernels/reduce/ReduceLayout.h"

using namespace mlir;
using namespace mlir::gpuvm;

static SmallVector<int64_t> resultShape(linalg::GenericOp op) {
  return llvm::to_vector(
      cast<RankedTensorType>(op->getResult(0).getType()).getShape());
}

/// Whether `op` can be done in the order of `lead`, over the same loops.
static bool canFollow(linalg::GenericOp op, linalg::GenericOp lead) {
  ReductionOrder own = getReductionOrder(op), order = getReductionOrder(lead);
  auto tileOf = [](linalg::GenericOp of) {
    return getTileLoops(of).value_or(TileLoops{0, 0});
  };
  if (order.tiled && tileOf(op) != tileOf(lead))
    return false;
  if (own.sequential || order.sequential)
    return own.sequential == order.sequential && own.tiled == order.tiled;
  if (own.columns || order.columns)
    return own.columns == order.columns;
  return (own.elementsPerLane == order.elementsPerLane &&
          own.rowsPerGroup == order.rowsPerGroup) ||
         !hasVisibleOrder(op);
}

/// Whether a workgroup or a lane has all elements of each result of
/// `reduction`.
static bool hasWholeRows(linalg::GenericOp reduction, ArrayRef<int64_t> loops) {
  ReductionOrder order = getReductionOrder(reduction);
  if (order.tiled || order.sequential || order.parts == 1)
    return !order.tiled;
  if (!order.columns)
    return false;
  int64_t results = ShapedType::getNumElements(resultShape(reduction));
  int64_t bytes = 1;
  for (OpOperand *input : reduction.getDpsInputOperands())
    bytes = std::max<int64_t>(
        bytes, elementBytes(getElementTypeOrSelf(input->get().getType())));
  return mayHaveAllParts(order, results,
                         ShapedType::getNumElements(loops) / results, bytes,
                         getMainTarget(reduction));
}

/// Which of `ops` are read, directly or through others, where a result of a
/// reduction is read, too.
static llvm::DenseSet<Operation *>
readForEpilogue(ArrayRef<linalg::GenericOp> ops, const OpFactsMap &facts) {
  llvm::DenseSet<Operation *> all(ops.begin(), ops.end()), behind, read;
  auto reduces = [](linalg::GenericOp op) {
    return op.getNumReductionLoops() != 0;
  };
  auto readsResult = [&](linalg::GenericOp op) {
    return llvm::any_of(facts.at(op).readsThroughVirtual,
                        [&](const SourceRead &r) {
                          return behind.contains(r.source.getDefiningOp());
                        });
  };
  for (linalg::GenericOp op : ops)
    if (reduces(op) || readsResult(op))
      behind.insert(op);
  for (linalg::GenericOp op : llvm::reverse(ops))
    if (!reduces(op) && (behind.contains(op) || read.contains(op)))
      for (const SourceRead &r : facts.at(op).readsThroughVirtual)
        if (Operation *source = r.source.getDefiningOp();
            source && all.contains(source) && !behind.contains(source))
          read.insert(source);
  return read;
}

/// Whether `op` computes a few elements, as may be made of the only result of
/// `lead`. Not as many as `lead` reads, which would be a by-product.
static bool isOfFew(linalg::GenericOp op, linalg::GenericOp lead,
                    const OpFactsMap &facts) {
  auto count = [&](linalg::GenericOp of) {
    return ShapedType::getNumElements(facts.at(of).loops);
  };
  return lead.getNumReductionLoops() == lead.getNumLoops() &&
         !getReductionOrder(lead).tiled && op.getNumReductionLoops() == 0 &&
         count(op) > 1 && count(op) <= kMaxFew && count(op) != count(lead);
}

bool gpuvm::fitsOneLoopNest(ArrayRef<linalg::GenericOp> ops,
                            const OpFactsMap &facts) {
  SmallVector<linalg::GenericOp> reductions;
  for (linalg::GenericOp op : ops)
    if (op.getNumReductionLoops() != 0)
      reductions.push_back(op);
  linalg::GenericOp lead =
      reductions.empty() ? ops.front() : getLeadReduction(reductions);
  ArrayRef<int64_t> loops = facts.at(lead).loops;
  bool tiled = !reductions.empty() && getReductionOrder(lead).tiled;
  AffineMap resultMap = lead.getMatchingIndexingMap(lead.getDpsInitOperand(0));
  llvm::DenseSet<Operation *> all, epilogue;
  for (linalg::GenericOp op : ops)
    all.insert(op);
  llvm::DenseSet<Operation *> read = readForEpilogue(ops, facts);
  for (linalg::GenericOp op : ops) {
    bool readsResult = false, readsLoops = false;
    bool sameLoops = facts.at(op).loops == loops;
    bool isFew = !reductions.empty() && isOfFew(op, lead, facts);
    for (const SourceRead &read : facts.at(op).readsThroughVirtual) {
      Operation *source = read.source.getDefiningOp();
      if (!source || !all.contains(source))
        continue;
      bool isResult =
          epilogue.contains(source) ||
          cast<linalg::GenericOp>(source).getNumReductionLoops() != 0;
      if (isResult && sameLoops) {
        if (read.map != resultMap || !hasWholeRows(lead, loops))
          return false;
        continue;
      }
      bool isOne =
          isFew && isResult && read.map && read.map.getNumResults() == 0;
      if (!read.direct && !isOne)
        return false;
      (isResult ? readsResult : readsLoops) = true;
    }
    if (op.getNumReductionLoops() != 0) {
      if (!sameLoops || readsResult ||
          op.getIteratorTypesArray() != lead.getIteratorTypesArray() ||
          op.getMatchingIndexingMap(op.getDpsInitOperand(0)) != resultMap ||
          !canFollow(op, lead))
        return false;
    } else if (readsResult || (!sameLoops && read.contains(op))) {
      bool overResults = isFew || facts.at(op).loops == resultShape(lead);
      if (!overResults || readsLoops)
        return false;
      epilogue.insert(op);
    } else if (!sameLoops || tiled) { // Tiles have no place for by-products.
      return false;
    }
  }
  return true;
}
