//===- SplitLoops.cpp - loops before reductions ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A map can resume loops that a driver would end
// (docs/rationale/long-loops.md), a reduction cannot. So the part of the body
// of a reduction that computes in long loops, of elements alone, moves to a map
// before it.
//
//===----------------------------------------------------------------------===//

#include "passes/expand/Generalize.h"

#include "dialects/gpuvm/Reduction.h"
#include "dialects/gpuvm/ScalarBody.h"
#include "dialects/gpuvm/SplitReduction.h"
#include "kernels/loops/LongLoops.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// The loops of a reduction stay in it if a lane runs them less often than this
/// in all. It is an eighth of what the strictest driver allows, since a lane
/// may take several results.
static constexpr int64_t kFewIterations = 8192;

/// So many elements may go through memory, or a few times the inputs: those of
/// something like a matrix product would be too many.
static constexpr int64_t kMaxElements = int64_t(1) << 26;
static constexpr int64_t kMaxTimesInputs = 4;

/// Whether a lane may run the loops of a reduction long.
static bool reducesInLongLoops(linalg::GenericOp op) {
  std::optional<int64_t> iterations = countIterations(op);
  if (!iterations)
    return true;
  if (!hasLoops(op))
    return false;
  ReductionOrder order = getReductionOrder(op);
  int64_t elements = 1;
  for (auto [range, iterator] :
       llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction)
      elements *= range;
  int64_t lanes = order.sequential
                      ? 1
                      : order.parts * order.groupsPerPart() * order.laneGroup();
  return (*iterations + 1) * (llvm::divideCeil(elements, lanes) + 1) >=
         kFewIterations;
}

static bool hasRoomForElements(linalg::GenericOp op) {
  int64_t inputs = 0;
  for (Value input : op.getDpsInputs())
    if (auto tensor = dyn_cast<RankedTensorType>(input.getType()))
      inputs += tensor.getNumElements();
  return llvm::product_of(op.getStaticLoopRanges()) <=
         std::max(kMaxElements, kMaxTimesInputs * inputs);
}

namespace {
/// The part of a body that computes in loops of elements alone.
class LoopPart {
public:
  explicit LoopPart(linalg::GenericOp op) : op(op) {}
  /// False if it cannot be told apart from the rest.
  bool find();
  /// A map that computes what the rest of the body reads of it.
  linalg::GenericOp makeMap(OpBuilder &b);
  /// The reduction of the results of the map.
  linalg::GenericOp makeRest(OpBuilder &b, linalg::GenericOp map);

private:
  Type elementType(OpBuilder &b, Value value) const {
    return value.getType().isIndex() ? b.getI32Type() : value.getType();
  }
  void cloneMaker(OpBuilder &b, IRMapping &mapping);

  linalg::GenericOp op;
  llvm::SetVector<Value> made;  ///< By loops, and by what uses their results.
  llvm::SetVector<Value> taken; ///< Those that the rest reads.
};
} // namespace

/// The values of its block that `inner` and its regions use.
static llvm::SetVector<Value> usesOf(Operation &inner) {
  llvm::SetVector<Value> uses;
  inner.walk([&](Operation *nested) {
    for (Value value : nested->getOperands())
      if (value.getParentBlock() == inner.getBlock())
        uses.insert(value);
  });
  return uses;
}

bool LoopPart::find() {
  llvm::DenseSet<Value> accumulated;
  accumulated.insert_range(op.getRegionOutputArgs());
  auto isAccumulated = [&](Value value) { return accumulated.contains(value); };
  auto isMade = [&](Value value) { return made.contains(value); };
  for (Operation &inner : *op.getBody()) {
    llvm::SetVector<Value> uses = usesOf(inner);
    bool isRest = llvm::any_of(uses, isAccumulated) ||
                  inner.hasTrait<OpTrait::IsTerminator>();
    if (isRest && hasLoops(&inner))
      return false;
    if (isRest) {
      accumulated.insert_range(inner.getResults());
      taken.insert_range(llvm::make_filter_range(uses, isMade));
    } else if (hasLoops(&inner) || llvm::any_of(uses, isMade)) {
      made.insert_range(inner.getResults());
    }
  }
  auto hasTensor = [](Value value) {
    return value.getType().isIndex() ||
           isVmTensor(RankedTensorType::get({1}, value.getType()));
  };
  return !taken.empty() && llvm::all_of(taken, hasTensor);
}

/// The producers of the values taken.
void LoopPart::cloneMaker(OpBuilder &b, IRMapping &mapping) {
  llvm::DenseSet<Value> needed;
  needed.insert_range(taken);
  SmallVector<Operation *> makers;
  for (Operation &inner : llvm::reverse(*op.getBody())) {
    if (llvm::none_of(inner.getResults(),
                      [&](Value value) { return needed.contains(value); }))
      continue;
    makers.push_back(&inner);
    needed.insert_range(usesOf(inner));
  }
  for (Operation *maker : llvm::reverse(makers))
    b.clone(*maker, mapping);
}

linalg::GenericOp LoopPart::makeMap(OpBuilder &b) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<Value> inputs = op.getDpsInputs(), inits;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.resize(inputs.size());
  for (Value value : taken) {
    inits.push_back(
        tensor::EmptyOp::create(b, op.getLoc(), ranges, elementType(b, value)));
    maps.push_back(b.getMultiDimIdentityMap(ranges.size()));
  }
  SmallVector<utils::IteratorType> loops(ranges.size(),
                                         utils::IteratorType::parallel);
  auto body = [&](OpBuilder &nested, Location loc, ValueRange arguments) {
    IRMapping mapping;
    for (auto [from, to] : llvm::zip(op.getRegionInputArgs(),
                                     arguments.take_front(inputs.size())))
      mapping.map(from, to);
    cloneMaker(nested, mapping);
    SmallVector<Value> results;
    for (Value value : taken) {
      Value result = mapping.lookup(value);
      if (value.getType().isIndex())
        result = arith::IndexCastOp::create(nested, loc, nested.getI32Type(),
                                            result);
      results.push_back(result);
    }
    linalg::YieldOp::create(nested, loc, results);
  };
  auto map =
      linalg::GenericOp::create(b, op.getLoc(), TypeRange(ValueRange(inits)),
                                inputs, inits, maps, loops, body);
  if (Attribute instances = op->getAttr(kInstancesAttr))
    map->setAttr(kInstancesAttr, instances);
  return map;
}

linalg::GenericOp LoopPart::makeRest(OpBuilder &b, linalg::GenericOp map) {
  SmallVector<Value> inputs = op.getDpsInputs();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned own = inputs.size();
  llvm::append_range(inputs, map.getResults());
  maps.insert(maps.begin() + own, taken.size(),
              b.getMultiDimIdentityMap(op.getNumLoops()));
  auto rest = linalg::GenericOp::create(b, op.getLoc(), op.getResultTypes(),
                                        inputs, op.getDpsInits(), maps,
                                        op.getIteratorTypesArray());
  rest->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  keepReductionOrder(op, rest);
  rest.getRegion().takeBody(op.getRegion());
  Block &body = *rest.getBody();
  OpBuilder inBody = OpBuilder::atBlockBegin(&body);
  for (size_t i = 0; i < taken.size(); ++i) {
    Value value = taken[i];
    Value element =
        body.insertArgument(own + i, elementType(b, value), op.getLoc());
    if (value.getType().isIndex())
      element = arith::IndexCastOp::create(inBody, op.getLoc(),
                                           inBody.getIndexType(), element);
    value.replaceAllUsesWith(element);
  }
  for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&inner) ||
        (inner.use_empty() && inner.getNumResults() != 0 && hasLoops(&inner)))
      inner.erase();
  return rest;
}

void gpuvm::splitLoops(linalg::GenericOp op) {
  if (!isReduction(op) ||
      llvm::any_of(op.getStaticLoopRanges(), ShapedType::isDynamic) ||
      !reducesInLongLoops(op) || !hasRoomForElements(op))
    return;
  LoopPart part(op);
  if (!part.find())
    return;
  OpBuilder b(op);
  linalg::GenericOp map = part.makeMap(b);
  op.replaceAllUsesWith(part.makeRest(b, map));
  op.erase();
}
