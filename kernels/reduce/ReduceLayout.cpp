//===- ReduceLayout.cpp - how reductions are laid over the device ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Reduce.cpp and its neighbours emit: which of the layouts, how many
// results a workgroup takes, and what a lane has in flight.
//
//===----------------------------------------------------------------------===//

#include "kernels/reduce/ReduceLayout.h"

#include "kernels/analysis/BodyTraits.h"
#include "kernels/analysis/Phases.h"
#include "kernels/analysis/Reductions.h"
#include "kernels/analysis/RowLimit.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Results side by side, and rows of them in flight.
static constexpr int64_t kMaxResultsPerLane = 4;
static constexpr int64_t kMaxPairedResults = 8;
static constexpr int64_t kMaxRowsInFlight = 16;
/// Elements of a column in flight. Columns' values take half of the workgroup
/// memory at most, results next to each other all of it.
static constexpr int64_t kMaxColumnsInFlight = 8;
/// Neighbours in a row that a workgroup reads at least: a sector of memory.
static constexpr int64_t kMinColumnBytes = 32;
/// A line of memory, which workgroups that read parts of it each fetch as a
/// whole, unless it is still in a cache: half of a large one, which values of
/// several walks share (docs/rationale/row-kernels.md).
static constexpr int64_t kLineBytes = 128, kCachedBytes = 32 << 20;
/// Workgroups of a row kernel: more than those that run at once, which stay in
/// step otherwise (docs/rationale/row-kernels.md).
static constexpr int64_t kMaxRowGroups = 16384;
/// Elements that a lane keeps from one phase of a row kernel to the next, and
/// the operations on them: both are emitted without a loop.
static constexpr int64_t kMaxKept = 128, kMaxKeptOps = 4096;

/// The same for results side by side: their code is loaded for few elements.
static constexpr int64_t kMaxKeptSideBySide = 64;
/// Workgroups for each one that the device runs at once, if lanes have several
/// short results side by side.
static constexpr int64_t kMinShortGroups = 4;

/// Whether position = result * elements + element in the iteration space.
static bool reducesTrailingLoops(linalg::GenericOp op) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  auto first = llvm::find(iterators, utils::IteratorType::reduction);
  return std::all_of(first, iterators.end(), [](utils::IteratorType type) {
    return type == utils::IteratorType::reduction;
  });
}

/// How many of the neighbouring elements a lane takes it can take at once.
static int64_t reductionVector(linalg::GenericOp op, flow::DispatchOp kernel,
                               const BodyTraits &traits,
                               const ReduceLayout &layout) {
  bool oneLoop = op.getNumReductionLoops() == 1 && !traits.reshapes;
  int64_t vector = layout.order.elementsPerLane;
  if (traits.loops)
    return 1;
  if (layout.flat || (traits.linear && oneLoop))
    return vector;
  if (!traits.linear ||
      op.getIteratorTypesArray().back() != utils::IteratorType::reduction)
    return 1;
  while (vector > 1 && !(rowsHoldVectors(kernel, vector) &&
                         op.getStaticLoopRanges().back() % vector == 0))
    vector /= 2;
  return vector;
}

/// The bytes of a lane's values in workgroup memory.
static int64_t slotBytesOf(flow::DispatchOp kernel) {
  int64_t bytes = 0;
  for (linalg::GenericOp op : getReductions(kernel))
    for (Type type : getPartialTypes(op))
      bytes += std::max<int64_t>(4, elementBytes(type));
  return bytes;
}

/// Whether an element is made of what it shares with all results and what it
/// shares with all elements of its result, as the force between two bodies is:
/// the more results side by side, the fewer loads.
static bool makesPairs(linalg::GenericOp op) {
  auto dependsOn = [&](AffineMap map, utils::IteratorType wanted) {
    for (auto [dim, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
      if (iterator == wanted && map.isFunctionOfDim(dim))
        return true;
    return false;
  };
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    return !dependsOn(map, utils::IteratorType::parallel) ||
           !dependsOn(map, utils::IteratorType::reduction);
  });
}

static bool combinesByOperations(flow::DispatchOp kernel) {
  return llvm::all_of(getReductions(kernel), [](linalg::GenericOp op) {
    std::optional<Combiner> combiner = matchCombiner(op);
    return combiner->choices.empty() && combiner->claims.empty();
  });
}

/// Whether all that a kernel makes follows results of one walk, which are
/// combined by operations.
static bool endsInResults(flow::DispatchOp kernel) {
  SmallVector<int64_t> loops =
      getReductions(kernel).front().getStaticLoopRanges();
  auto walksLoops = [&](Type type) {
    return cast<RankedTensorType>(type).getShape() == ArrayRef(loops);
  };
  return combinesByOperations(kernel) && countPhases(kernel) == 1 &&
         llvm::none_of(kernel.getResultTypes(), walksLoops);
}

/// How many results of one part each the lanes of a workgroup take side by
/// side.
static int64_t resultsSideBySide(flow::DispatchOp kernel,
                                 const BodyTraits &traits, TargetAttr target,
                                 const ReduceLayout &layout) {
  SmallVector<linalg::GenericOp> reductions = getReductions(kernel);
  if (traits.loops || !endsInResults(kernel))
    return 1;
  int64_t ops = layout.order.elementsPerLane * traits.ops;
  int64_t count = kMaxResultsPerLane;
  if (llvm::all_of(reductions, makesPairs) &&
      kMaxPairedResults * ops <= 2 * KernelLayout::kMaxUnrolledOps)
    count = kMaxPairedResults;
  // Of short results, workgroups hide each other's waits, too.
  int64_t least = llvm::bit_floor<uint64_t>(target.getBusyGroups());
  if (layout.resultsPerGroup > 1)
    least *= layout.resultsPerGroup * kMinShortGroups;
  int64_t slotBytes = slotBytesOf(kernel); // As ReduceEmitter::slotsFor:
  int64_t slots = KernelLayout::kLanes + ReductionOrder::kGroupsPerPart;
  while (count > 1 &&
         (layout.results < count * least ||
          count * slots * slotBytes > target.getWorkgroupBytes() ||
          (count * ops > KernelLayout::kMaxUnrolledOps && traits.isNested)))
    count /= 2;
  return count;
}

/// Memory for partial results, and a counter for each of `counters`.
static void addScratch(flow::DispatchOp kernel, int64_t partials,
                       int64_t counters, ReduceLayout &layout) {
  for (linalg::GenericOp op : getReductions(kernel))
    for (Type type : getPartialTypes(op))
      layout.scratch.push_back(
          {partials * elementBytes(type), /*keepsZero=*/false});
  layout.scratch.push_back({4 * uint64_t(counters), /*keepsZero=*/true});
}

/// The largest vector up to `most` that `fits`, and that neighbouring results
/// always have.
static int64_t columnVector(flow::DispatchOp kernel, const BodyTraits &traits,
                            int64_t most, function_ref<bool(int64_t)> fits) {
  linalg::GenericOp first = getReductions(kernel).front();
  int64_t vector = traits.linear && !traits.loops ? most : 1;
  while (vector > 1 && !(first.getStaticLoopRanges().back() % vector == 0 &&
                         rowsHoldVectors(kernel, vector) && fits(vector)))
    vector /= 2;
  return vector;
}

/// Of what is read.
static int64_t widestBytes(flow::DispatchOp kernel) {
  return 16 / preferredVector(kernel);
}

bool gpuvm::mayHaveAllParts(const ReductionOrder &order, int64_t results,
                            int64_t elements, int64_t elementBytes,
                            TargetAttr target) {
  if (order.parts == 1)
    return true;
  double groups = llvm::divideCeil(results * elementBytes, kMinColumnBytes);
  double units = target.getUnits(), busy = std::min(groups, units);
  double bytes = double(results) * elements * elementBytes;
  if (bytes > kCachedBytes && results * elementBytes < kLineBytes * units)
    return false;
  double walkUs = bytes / target.getBytesPerUs();
  return walkUs * (units / busy - 1) <= target.getDispatchNs() / 1e3;
}

/// A workgroup takes all parts of its results, since it goes on with the
/// totals.
static void takeAllParts(flow::DispatchOp kernel, const BodyTraits &traits,
                         TargetAttr target, ReduceLayout &layout) {
  constexpr int64_t kMaxPartsAtOnce = 8;
  int64_t atOnce = std::min(layout.order.parts, kMaxPartsAtOnce);
  int64_t rows = atOnce * ReductionOrder::kColumnLanes;
  layout.lanesAcross = llvm::bit_floor<uint64_t>(KernelLayout::kLanes / rows);
  int64_t bytesAcross = layout.lanesAcross * widestBytes(kernel);
  // Rather more workgroups than long rows of lanes.
  auto isNarrow = [&] {
    return layout.columnBlocks() >= target.getUnits() ||
           layout.vector * bytesAcross <= kMinColumnBytes;
  };
  while (layout.vector > 1 && !isNarrow())
    layout.vector /= 2;
  for (; !isNarrow(); bytesAcross /= 2)
    layout.lanesAcross /= 2;
  layout.lanes = rows * layout.lanesAcross;
  int64_t kept =
      layout.vector * llvm::divideCeil(layout.elements, layout.columnStride());
  layout.keepsRows = !traits.once() && atOnce == layout.order.parts &&
                     kept <= kMaxKept && kept * traits.ops <= kMaxKeptOps;
}

static void configureColumns(flow::DispatchOp kernel, const BodyTraits &traits,
                             TargetAttr target, ReduceLayout &layout) {
  int64_t slotBytes = slotBytesOf(kernel);
  // All lanes have some, and their values fit into workgroup memory.
  auto fits = [&](int64_t vector) {
    return layout.results >= vector * layout.lanesAcross &&
           vector * slotBytes * KernelLayout::kLanes <=
               target.getWorkgroupBytes() / 2;
  };
  layout.vector = columnVector(kernel, traits, preferredVector(kernel), fits);
  bool goesOn = countPhases(kernel) > 1;
  if (goesOn)
    takeAllParts(kernel, traits, target, layout);
  layout.unroll = llvm::bit_floor<uint64_t>(std::clamp<int64_t>(
      KernelLayout::kMaxUnrolledOps / (layout.vector * traits.ops), 1,
      traits.once() ? 1 : kMaxColumnsInFlight));
  int64_t blocks = layout.columnBlocks(), parts = layout.order.parts;
  layout.allParts = goesOn || parts == 1;
  layout.groups = layout.allParts ? std::min(blocks, KernelLayout::kMaxGroups)
                                  : blocks * parts;
  if (!layout.allParts)
    addScratch(kernel, layout.results * parts, blocks, layout);
}

void gpuvm::layOutReduction(flow::DispatchOp kernel, TargetAttr target,
                            ReduceLayout &layout) {
  BodyTraits traits = inspectBody(kernel);
  linalg::GenericOp first = getReductions(kernel).front();
  layout.flat = reducesTrailingLoops(first) && !traits.needsIndices;
  if (layout.order.sequential) {
    layout.groups = std::min<int64_t>(
        llvm::divideCeil(layout.results, KernelLayout::kLanes),
        KernelLayout::kMaxGroups);
    return;
  }
  if (layout.order.columns) {
    configureColumns(kernel, traits, target, layout);
    return;
  }
  layout.vector = reductionVector(first, kernel, traits, layout);
  // A power of two, which divides the rows of a turn.
  layout.unroll = llvm::bit_floor<uint64_t>(
      std::clamp<int64_t>(KernelLayout::kMaxUnrolledOps /
                              (layout.order.elementsPerLane * traits.ops),
                          1, traits.maxUnroll()));
  int64_t parts = layout.order.parts;
  if (parts == 1) {
    int64_t row = layout.order.elementsPerRow();
    int64_t turns =
        llvm::divideCeil(layout.elements / row, layout.order.rowsPerTurn());
    int64_t kept =
        turns * layout.order.rowsPerGroup * layout.order.elementsPerLane;
    layout.keepsRows =
        !traits.once() && kept <= kMaxKept && kept * traits.ops <= kMaxKeptOps;
    int64_t groupsNeeded =
        llvm::divideCeil(layout.elements, row * layout.order.rowsPerGroup);
    if (layout.keepsRows &&
        2 * groupsNeeded <= ReductionOrder::kGroupsPerPart) {
      layout.groupsPerResult = groupsNeeded;
      layout.resultsPerGroup = ReductionOrder::kGroupsPerPart / groupsNeeded;
    }
    layout.resultsPerLane = resultsSideBySide(kernel, traits, target, layout);
    while (layout.resultsPerGroup > 1 && layout.resultsPerLane > 1 &&
           layout.resultsPerLane * kept > kMaxKeptSideBySide)
      layout.resultsPerLane /= 2;
    if (layout.resultsPerGroup == 1) {
      layout.unroll =
          std::min(layout.unroll, kMaxRowsInFlight / layout.resultsPerLane);
      // Pairs do arithmetic; rows in flight hide no more of their few loads.
      if (layout.resultsPerLane > kMaxResultsPerLane)
        layout.unroll = 1;
    }
    layout.groups = std::min<int64_t>(
        llvm::divideCeil(layout.results,
                         layout.resultsPerGroup * layout.resultsPerLane),
        kMaxRowGroups);
    return;
  }
  layout.groups = layout.results * parts;
  addScratch(kernel, layout.groups, layout.results, layout);
}

//===----------------------------------------------------------------------===//
// Loads of 32 bytes
//===----------------------------------------------------------------------===//

/// Elements and operations of a lane without a loop around them, and the
/// operations on an element of a sum or a maximum.
static constexpr int64_t kMaxStraight = 128, kMaxStraightOps = 4096;
static constexpr int64_t kSimpleOps = 2;
/// Results that a lane takes alone, if there are so many in all.
static constexpr int64_t kOwnResults = 4, kMinOwnResults = 128;

/// Whether elements of an input go into several results each, as those of the
/// vector that a matrix is multiplied with.
static bool sharesInput(linalg::GenericOp op) {
  auto dependsOn = [&](AffineMap map, utils::IteratorType wanted, bool does) {
    for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
      if (iterator == wanted && map.isFunctionOfDim(loop) == does)
        return true;
    return false;
  };
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    return dependsOn(map, utils::IteratorType::reduction, /*does=*/true) &&
           dependsOn(map, utils::IteratorType::parallel, /*does=*/false);
  });
}

/// A lane takes a few results alone, for which it loads what they share once.
static bool takeOwnResults(flow::DispatchOp kernel, const BodyTraits &traits,
                           ReduceLayout &layout) {
  const ReductionOrder &order = layout.order;
  // A block of most codecs, whose words hold two halves of it each.
  constexpr int64_t kElementsAtOnce = 32;
  int64_t lanesAtOnce = 2;
  while (lanesAtOnce * order.elementsPerLane < kElementsAtOnce &&
         layout.elements % (2 * lanesAtOnce * order.elementsPerLane) == 0)
    lanesAtOnce *= 2;
  constexpr int64_t lanes = ReductionOrder::kGroupsPerPart;
  int64_t straight = lanesAtOnce * order.elementsPerLane * kOwnResults;
  int64_t groups = llvm::divideCeil(layout.results, lanes * kOwnResults);
  auto suits = [](linalg::GenericOp op) {
    return sharesInput(op) && !makesPairs(op) && !getRowLimit(op);
  };
  if (order.parts != 1 || order.rowsPerGroup != 1 ||
      layout.results < kMinOwnResults || groups > kMaxRowGroups ||
      straight * traits.ops > kMaxStraightOps || !endsInResults(kernel) ||
      !llvm::all_of(getReductions(kernel), suits))
    return false;
  layout.ownResults = true;
  layout.keepsRows = false;
  layout.unroll = 1;
  layout.lanesAtOnce = lanesAtOnce;
  layout.resultsPerLane = kOwnResults;
  layout.resultsPerGroup = lanes;
  layout.groupsPerResult = std::min<int64_t>(
      ReductionOrder::kGroupsPerPart,
      llvm::divideCeil(layout.elements, order.elementsPerRow()));
  layout.groups = groups;
  return true;
}

/// A lane takes neighbouring results alone.
static bool takeOwnColumns(flow::DispatchOp kernel, const BodyTraits &traits,
                           ReduceLayout &layout) {
  constexpr int64_t lanes = ReductionOrder::kGroupsPerPart;
  auto isLimited = [](linalg::GenericOp op) {
    return getRowLimit(op).has_value();
  };
  auto fits = [&](int64_t vector) {
    return ReductionOrder::kColumnLanes * vector * traits.ops <=
               kMaxStraightOps &&
           layout.results >= vector * lanes;
  };
  int64_t vector =
      columnVector(kernel, traits, 2 * preferredVector(kernel), fits);
  int64_t groups = llvm::divideCeil(layout.results, lanes * vector);
  int64_t iterations =
      countPhases(kernel) * layout.elements / ReductionOrder::kColumnLanes;
  if (vector == 1 || groups > kMaxRowGroups ||
      layout.results < kMinOwnResults || iterations > kMaxIterations ||
      !combinesByOperations(kernel) ||
      llvm::any_of(getReductions(kernel), isLimited))
    return false;
  layout.ownResults = layout.wide = layout.allParts = true;
  layout.keepsRows = false;
  layout.scratch.clear();
  layout.vector = vector;
  layout.unroll = 1;
  layout.lanes = layout.lanesAcross = lanes;
  layout.groups = groups;
  return true;
}

/// A lane does what a lane group does, so that the order stays and lanes have
/// little to tell each other.
bool gpuvm::widenReduction(flow::DispatchOp kernel, ReduceLayout &layout) {
  BodyTraits traits = inspectBody(kernel);
  if (traits.once())
    return false;
  const ReductionOrder &order = layout.order;
  if (order.columns)
    return takeOwnColumns(kernel, traits, layout);
  if (order.sequential || layout.vector != order.elementsPerLane)
    return false;
  linalg::GenericOp first = getReductions(kernel).front();
  bool oneLoop = layout.flat || first.getNumReductionLoops() == 1;
  // No pair of vectors may begin in one row and end in the next.
  bool hasRows = traits.reshapes || traits.needsIndices;
  bool hasPairs =
      oneLoop &&
      (layout.results == 1 || layout.elements % (2 * layout.vector) == 0) &&
      (!hasRows || rowsHoldVectors(kernel, 2 * layout.vector));
  // What a lane group has of a result, without a loop.
  int64_t inGroup =
      order.parts == 1
          ? llvm::divideCeil(layout.elements,
                             layout.groupsPerResult * order.elementsPerRow()) *
                order.elementsPerRow()
          : order.elementsPerRow();
  bool isShort = layout.keepsRows && inGroup <= kMaxStraight &&
                 inGroup * traits.ops <= kMaxStraightOps;
  bool isSimple = getReductions(kernel).size() == 1 &&
                  traits.ops <= kSimpleOps && layout.resultsPerLane == 1;
  if (!isShort && !hasPairs)
    return false;
  if (!hasPairs || !takeOwnResults(kernel, traits, layout)) {
    layout.lanesAtOnce = isShort || isSimple ? ReductionOrder::kLaneGroup : 2;
    layout.keepsRows = isShort;
  }
  if (!layout.ownResults && layout.resultsPerGroup > 1) {
    layout.resultsPerLane = 1;
    layout.groups = std::min<int64_t>(
        llvm::divideCeil(layout.results, layout.resultsPerGroup),
        kMaxRowGroups);
  }
  layout.wide = true;
  layout.lanes = ReductionOrder::kGroupsPerPart;
  if (hasPairs)
    layout.vector *= 2;
  return true;
}

void ReduceLayout::visit(LayoutFields &fields) {
  fields.flag("keeps_rows", keepsRows);
  fields.number("results_per_group", resultsPerGroup);
  fields.number("groups_per_result", groupsPerResult);
  fields.number("results_per_lane", resultsPerLane);
  fields.number("lanes_at_once", lanesAtOnce);
  fields.flag("own_results", ownResults);
  if (order.columns) {
    fields.number("lanes_across", lanesAcross);
    fields.flag("all_parts", allParts);
  }
}
