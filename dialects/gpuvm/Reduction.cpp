//===- Reduction.cpp - the order of a reduction, bit for bit --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Reduction.h"

#include "dialects/gpuvm/Gpuvm.h"
#include "dialects/gpuvm/ScalarBody.h"
#include "dialects/gpuvm/SplitReduction.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Up to so many elements one lane is enough for a result; up to so many where
/// neighbouring lanes then read neighbouring elements.
static constexpr int64_t kSequentialElements = 16;
static constexpr int64_t kSequentialColumn = 64;
/// From so many results on there is a lane's work in each of them, if
/// neighbouring results read neighbouring elements.
static constexpr int64_t kSequentialResults = 8192;
/// From so many neighbouring results on lanes lie along these.
static constexpr int64_t kMinColumns = 32;
/// Parts of all columns together: with 4 columns a lane, 512 workgroups.
static constexpr int64_t kColumnParts = 65536;
/// A lane is worth starting for so many elements of a column.
static constexpr int64_t kMinColumnElements = 16;
/// Parts of one reduction in all: enough workgroups of 256 lanes to keep the
/// memory of a 132-multiprocessor GPU busy.
static constexpr int64_t kMaxParts = 256;
/// Rows a lane group takes in one iteration where there are enough for all:
/// enough neighbouring memory for a CPU, which runs one lane group after the
/// other, to use whole cache lines (docs/rationale/reduction-rows.md).
static constexpr int64_t kRowsPerGroup = 4;
static_assert(kMaxParts <= ReductionOrder::kLanes);
/// So many short results share workgroups, whose lanes then have more in flight
/// (docs/rationale/row-kernels.md).
static constexpr int64_t kManyResults = 1024;
/// From so many results on in both directions a matrix product shares enough
/// to be bound by arithmetic.
static constexpr int64_t kMinTiledRange = 32;

/// Neighbours that a lane takes of integers, which can be combined in any
/// order: it suits narrow columns.
static constexpr int64_t kIntegersPerLane = 8;
/// Bytes that a lane takes of floats: lanes that store what they accumulate
/// fill whole sectors of memory.
static constexpr int64_t kFloatBytesPerLane = 16;
/// So many times as much of a matrix times a vector, which stores nothing on
/// the way: the scales of packed numbers are worth decoding for more of them
/// (docs/rationale/codecs.md).
static constexpr int64_t kSharedFactor = 2;
/// And so many times less where the elements are sums of their own: a lane then
/// reads many bytes for each, and its neighbours should stay near.
static constexpr int64_t kSumsDivisor = 2;

ReductionOrder gpuvm::getReductionOrder(int64_t numResults, int64_t numElements,
                                        int64_t neighbours, unsigned floatBits,
                                        ReductionInputs inputs) {
  ReductionOrder order;
  int64_t widest =
      floatBits == 0 ? kIntegersPerLane : 8 * kFloatBytesPerLane / floatBits;
  if (floatBits != 0 && inputs.sharesElements)
    widest = inputs.hasSums ? std::max<int64_t>(1, widest / kSumsDivisor)
                            : widest * kSharedFactor;
  order.columns = neighbours >= kMinColumns && numElements > kSequentialColumn;
  order.sequential =
      numElements <= kSequentialElements ||
      (neighbours > 0 && !order.columns &&
       (numElements <= kSequentialColumn || numResults >= kSequentialResults));
  if (order.sequential)
    return order;
  if (order.columns) {
    order.elementsPerLane = 1;
    order.parts = std::clamp<int64_t>(
        std::min(kColumnParts / numResults,
                 numElements /
                     (ReductionOrder::kColumnLanes * kMinColumnElements)),
        1, kMaxParts);
    return order;
  }
  order.elementsPerLane = widest;
  while (numResults > 1 && numElements % order.elementsPerLane != 0)
    order.elementsPerLane /= 2;
  int64_t useful =
      llvm::divideCeil(numElements, ReductionOrder::kLanes * widest);
  int64_t wanted = std::max<int64_t>(1, kMaxParts / numResults);
  order.parts = std::min(useful, wanted);
  // Narrow rows, so many more.
  order.rowsPerGroup = widest / order.elementsPerLane;
  int64_t rows = numElements / (ReductionOrder::kLaneGroup * widest);
  bool fills =
      rows >= order.parts * ReductionOrder::kGroupsPerPart * kRowsPerGroup;
  bool shares = numResults >= kManyResults && !inputs.sharesElements &&
                rows <= ReductionOrder::kGroupsPerPart / 2 * kRowsPerGroup;
  if (fills || shares)
    order.rowsPerGroup *= kRowsPerGroup;
  return order;
}

/// The width of the widest float that is accumulated in an order that can be
/// seen, 0 if there is none. A choice has the same result in any order.
static unsigned floatBitsOf(linalg::GenericOp op, const Combiner &combiner) {
  llvm::SmallDenseSet<unsigned> chosen;
  for (const Choice &choice : combiner.choices)
    chosen.insert(choice.accumulators.begin(), choice.accumulators.end());
  unsigned widest = 0;
  for (auto [i, accumulator] : llvm::enumerate(op.getRegionOutputArgs()))
    if (isa<FloatType>(accumulator.getType()) && !chosen.contains(i))
      widest = std::max(widest, accumulator.getType().getIntOrFloatBitWidth());
  return widest;
}

/// How often each loop runs; over bounded rows as often as there may be rows.
static SmallVector<int64_t> loopRangesOf(linalg::GenericOp op) {
  SmallVector<int64_t> sizes;
  for (Type type : op->getOperandTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      llvm::append_range(sizes, withAllRows(tensor).getShape());
  return op.getShapesToLoopsMap().compose(sizes);
}

std::optional<TileLoops> gpuvm::getTileLoops(linalg::GenericOp op) {
  // A tile holds the body many times.
  auto order = op->getAttrOfType<OrderAttr>(kOrderAttr);
  if (hasLoops(op) || (order && order.getKind() != OrderKind::tiled))
    return std::nullopt;
  SmallVector<int64_t> ranges = loopRangesOf(op);
  SmallVector<unsigned> candidates; // The innermost one first.
  unsigned first = op->hasAttr(kInstancesAttr) ? 1 : 0;
  for (unsigned loop = op.getNumLoops(); loop-- > first;)
    if (op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel &&
        ranges[loop] >= kMinTiledRange)
      candidates.push_back(loop);
  // Bit i of a loop's set: input i depends on it.
  auto readersOf = [&](unsigned loop) {
    unsigned readers = 0;
    for (OpOperand *input : op.getDpsInputOperands())
      if (!op.getMatchingBlockArgument(input).use_empty() &&
          op.getMatchingIndexingMap(input).isFunctionOfDim(loop))
        readers |= 1u << std::min(31u, input->getOperandNumber());
    return readers;
  };
  std::optional<TileLoops> best;
  int64_t bestSize = 0;
  for (unsigned columns : candidates)
    for (unsigned rows : candidates) {
      unsigned ofColumns = readersOf(columns), ofRows = readersOf(rows);
      int64_t size = std::min<int64_t>(ranges[rows], 128) *
                     std::min<int64_t>(ranges[columns], 128);
      if (rows >= columns || (ofRows & ~ofColumns) == 0 ||
          (ofColumns & ~ofRows) == 0 || size <= bestSize)
        continue;
      bestSize = size;
      best = {rows, columns};
    }
  return best;
}

bool gpuvm::dependsOnReduction(linalg::GenericOp op, AffineMap map) {
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction && map.isFunctionOfDim(loop))
      return true;
  return false;
}

std::optional<unsigned> gpuvm::getColumnLoop(linalg::GenericOp op) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  unsigned last = op.getNumLoops() - 1;
  if (iterators[last] == utils::IteratorType::parallel)
    return last;
  AffineMap largest;
  int64_t mostElements = 0;
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto tensor = dyn_cast<RankedTensorType>(input->get().getType());
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!tensor || op.getMatchingBlockArgument(input).use_empty() ||
        !dependsOnReduction(op, map))
      continue;
    int64_t elements = withAllRows(tensor).getNumElements();
    if (elements <= mostElements)
      continue;
    mostElements = elements;
    largest = map;
  }
  if (mostElements <= 1 || largest.getNumResults() == 0)
    return std::nullopt;
  auto loop = dyn_cast<AffineDimExpr>(largest.getResults().back());
  if (!loop || iterators[loop.getPosition()] != utils::IteratorType::parallel ||
      loopRangesOf(op)[loop.getPosition()] < kMinColumns ||
      (loop.getPosition() == 0 && op->hasAttr(kInstancesAttr)))
    return std::nullopt;
  return loop.getPosition();
}

/// Whether the instances of a stage have a value of its body each. A reduction
/// counts as one of them even if it reads nothing else that differs.
static bool differsBetweenInstances(Value value, StageOp stage) {
  SmallVector<Value> open = {value};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (!stage.isShared(argument.getArgNumber()))
        return true;
      continue;
    }
    Operation *op = next.getDefiningOp();
    auto generic = dyn_cast<linalg::GenericOp>(op);
    auto load = dyn_cast<LoadOp>(op);
    if ((generic && generic.getNumReductionLoops() != 0) ||
        (load && load.getOwn()))
      return true;
    if (seen.insert(op).second)
      llvm::append_range(open, getOperandsAndTables(op));
  }
  return false;
}

/// The stage whose body, written for one instance, `op` stands in; null if it
/// is for all of them at once.
static StageOp getStageOfInstances(linalg::GenericOp op) {
  return op->hasAttr(kInstancesAttr)
             ? StageOp()
             : dyn_cast_or_null<StageOp>(op->getParentOp());
}

/// Elements of an input may go into several results each, as those of the
/// vector that a matrix is multiplied with, or what instances share.
static ReductionInputs inspectInputs(linalg::GenericOp op) {
  SmallVector<int64_t> ranges = loopRangesOf(op);
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  auto dependsOn = [&](AffineMap map, utils::IteratorType type, bool wanted) {
    for (auto [loop, iterator] : llvm::enumerate(iterators))
      if (iterator == type && ranges[loop] > 1 &&
          map.isFunctionOfDim(loop) == wanted)
        return true;
    return false;
  };
  StageOp stage = getStageOfInstances(op);
  bool inInstances = stage && stage.getInstances().value_or(1) > 1;
  ReductionInputs inputs;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (op.getMatchingBlockArgument(input).use_empty() ||
        !dependsOn(map, utils::IteratorType::reduction, /*wanted=*/true))
      continue;
    bool isShared =
        dependsOn(map, utils::IteratorType::parallel, /*wanted=*/false) ||
        (inInstances && !differsBetweenInstances(input->get(), stage));
    Type element = getElementTypeOrSelf(input->get().getType());
    inputs.sharesElements |= isShared;
    inputs.hasSums |= !isShared && element.isInteger() &&
                      element.getIntOrFloatBitWidth() >= 32;
  }
  return inputs;
}

/// The results of `op`, and the elements of each.
static std::pair<int64_t, int64_t> countPoints(linalg::GenericOp op) {
  int64_t results = 1, elements = 1;
  for (auto [range, iterator] :
       llvm::zip_equal(loopRangesOf(op), op.getIteratorTypesArray()))
    (iterator == utils::IteratorType::parallel ? results : elements) *= range;
  return {results, elements};
}

/// The order that follows from the loops of `op`.
static ReductionOrder computeOrder(linalg::GenericOp op) {
  auto [results, elements] = countPoints(op);
  if (elements > kSequentialElements && getTileLoops(op))
    return ReductionOrder{/*sequential=*/true, /*tiled=*/true};
  // A body with instances is written for one and reduced for all of them.
  if (StageOp stage = getStageOfInstances(op))
    results *= static_cast<int64_t>(stage.getInstances().value_or(1));
  std::optional<Combiner> combiner = matchCombiner(op);
  if (!combiner)
    return ReductionOrder{/*sequential=*/true};
  std::optional<unsigned> columns = getColumnLoop(op);
  return getReductionOrder(results, elements,
                           columns ? loopRangesOf(op)[*columns] : 0,
                           floatBitsOf(op, *combiner), inspectInputs(op));
}

static OrderAttr describe(MLIRContext *context, const ReductionOrder &order) {
  OrderKind kind = order.tiled        ? OrderKind::tiled
                   : order.sequential ? OrderKind::sequential
                   : order.columns    ? OrderKind::columns
                                      : OrderKind::lanes;
  bool inLanes = kind == OrderKind::lanes;
  return OrderAttr::get(context, kind, order.parts,
                        inLanes ? order.rowsPerGroup : 1,
                        inLanes ? order.elementsPerLane : 1);
}

static ReductionOrder toOrder(OrderAttr attribute) {
  ReductionOrder order;
  order.tiled = attribute.getKind() == OrderKind::tiled;
  order.sequential =
      order.tiled || attribute.getKind() == OrderKind::sequential;
  order.columns = attribute.getKind() == OrderKind::columns;
  if (order.sequential)
    return order;
  order.parts = attribute.getParts();
  order.rowsPerGroup = attribute.getRows();
  order.elementsPerLane = attribute.getElements();
  return order;
}

ReductionOrder gpuvm::getReductionOrder(linalg::GenericOp op) {
  auto fixed = op->getAttrOfType<OrderAttr>(kOrderAttr);
  if (!fixed)
    return computeOrder(op);
  ReductionOrder order = toOrder(fixed);
  // Passes may have taken what several results shared.
  order.tiled &= getTileLoops(op).has_value();
  return order;
}

/// Whether kernels can combine the elements of `op` in the order `fixed`, where
/// `own` follows from its loops: in another division of the same kind, or one
/// element after the other.
static bool canHaveOrder(linalg::GenericOp op, OrderAttr fixed, OrderAttr own) {
  constexpr int64_t kMaxElements = kIntegersPerLane * kSharedFactor;
  constexpr int64_t kMaxRows = kMaxElements * kRowsPerGroup;
  auto [results, elements] = countPoints(op);
  ReductionOrder order = toOrder(fixed);
  switch (fixed.getKind()) {
  case OrderKind::sequential:
    return true;
  case OrderKind::tiled:
    return own.getKind() == OrderKind::tiled ||
           own.getKind() == OrderKind::sequential;
  case OrderKind::lanes:
    // Lanes read whole vectors; only a single row may end in one.
    if (!llvm::isPowerOf2_64(order.elementsPerLane) ||
        order.elementsPerLane > kMaxElements || order.rowsPerGroup > kMaxRows ||
        (results > 1 && elements % order.elementsPerLane != 0))
      return false;
    [[fallthrough]];
  case OrderKind::columns: // Each part has rows.
    return own.getKind() == fixed.getKind() &&
           order.parts <=
               int64_t(llvm::divideCeil(elements, order.rowsPerTurn() *
                                                      order.elementsPerRow()));
  }
  llvm_unreachable("there is no other kind");
}

LogicalResult gpuvm::fixReductionOrder(linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0 || !hasVisibleOrder(op))
    return success();
  auto fixed = op->getAttrOfType<OrderAttr>(kOrderAttr);
  OrderAttr own = describe(op.getContext(), computeOrder(op));
  if (!fixed)
    op->setAttr(kOrderAttr, own);
  else if (!canHaveOrder(op, fixed, own))
    return op.emitOpError("cannot have the order ")
           << fixed << " (its own is " << own
           << "; it can be divided otherwise, or be sequential)";
  return success();
}

bool gpuvm::keepFixedOrder(linalg::GenericOp op) {
  auto fixed = op->getAttrOfType<OrderAttr>(kOrderAttr);
  if (!fixed ||
      canHaveOrder(op, fixed, describe(op.getContext(), computeOrder(op))))
    return true;
  if (fixed.getKind() != OrderKind::tiled)
    return false;
  ReductionOrder order;
  order.sequential = true;
  op->setAttr(kOrderAttr, describe(op.getContext(), order));
  return true;
}

void gpuvm::keepReductionOrder(linalg::GenericOp whole,
                               linalg::GenericOp rest) {
  rest->setAttr(kOrderAttr,
                describe(whole.getContext(), getReductionOrder(whole)));
}

//===----------------------------------------------------------------------===//
// The attribute
//===----------------------------------------------------------------------===//

LogicalResult OrderAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                OrderKind kind, int64_t parts, int64_t rows,
                                int64_t elements) {
  for (auto [name, value] : {std::pair("parts", parts), std::pair("rows", rows),
                             std::pair("elements", elements)})
    if (value < 1) // C1
      return emitError() << "C1: " << name << " = " << value
                         << " (1 is the least)";
  if (parts > kMaxParts) // C1
    return emitError() << "C1: parts = " << parts << " (1 to " << kMaxParts
                       << " are allowed)";
  bool inLanes = kind == OrderKind::lanes;
  if ((!inLanes && (rows != 1 || elements != 1)) ||
      (!inLanes && kind != OrderKind::columns && parts != 1)) // C2
    return emitError() << "C2: a " << stringifyOrderKind(kind)
                       << " order has no other numbers than 1"
                       << (kind == OrderKind::columns ? " but of its parts"
                                                      : "");
  return success();
}

bool gpuvm::isReduction(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.getNumReductionLoops() != 0 &&
         !op->hasAttr(kInnerAttr);
}

bool gpuvm::hasVisibleOrder(linalg::GenericOp op) {
  std::optional<Combiner> combiner = matchCombiner(op);
  return !combiner || !combiner->claims.empty() ||
         floatBitsOf(op, *combiner) != 0;
}

linalg::GenericOp
gpuvm::getLeadReduction(ArrayRef<linalg::GenericOp> reductions) {
  auto first = llvm::find_if(reductions, hasVisibleOrder);
  return first == reductions.end() ? reductions.front() : *first;
}
