//===- ReduceConfig.cpp - how reductions are laid over the device ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Reduce.cpp and its neighbours emit: which of the layouts, how many
// results a workgroup takes, and what a lane has in flight.
//
//===----------------------------------------------------------------------===//

#include "kernels/KernelConfig.h"
#include "kernels/analysis/BodyTraits.h"

#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Results side by side, and rows of them in flight.
static constexpr int64_t kMaxResultsPerLane = 4;
static constexpr int64_t kMaxPairedResults = 8;
static constexpr int64_t kMaxRowsInFlight = 16;
/// Elements of a column in flight, and the workgroup memory of columns' values:
/// half of the 32 KiB that lavapipe has.
static constexpr int64_t kMaxColumnsInFlight = 8;
static constexpr int64_t kMaxColumnBytes = 16384;
/// The workgroup memory of results side by side: all that lavapipe has.
static constexpr int64_t kMaxSlotBytes = 32768;
/// Workgroups that keep a GPU with 132 multiprocessors busy.
static constexpr int64_t kEnoughGroups = 256;
/// Workgroups of a row kernel: more than those that run at once, which stay in
/// step otherwise (docs/rationale/row-kernels.md).
static constexpr int64_t kMaxRowGroups = 16384;
/// Elements that a lane keeps from one phase of a row kernel to the next, and
/// the operations on them: both are emitted without a loop.
static constexpr int64_t kMaxKept = 128, kMaxKeptOps = 4096;

/// Whether position = result * elements + element in the iteration space.
static bool reducesTrailingLoops(linalg::GenericOp op) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  auto first = llvm::find(iterators, utils::IteratorType::reduction);
  return std::all_of(first, iterators.end(), [](utils::IteratorType type) {
    return type == utils::IteratorType::reduction;
  });
}

/// How many of the neighbouring elements a lane takes it can take at once.
static int64_t reductionVector(linalg::GenericOp op, KernelOp kernel,
                               const BodyTraits &traits,
                               const KernelConfig &config) {
  bool oneLoop = op.getNumReductionLoops() == 1 && !traits.reshapes;
  int64_t vector = config.order.elementsPerLane;
  if (traits.loops)
    return 1;
  if (config.flat || (traits.linear && oneLoop))
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
static int64_t slotBytesOf(KernelOp kernel) {
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

/// How many results of one part each the lanes of a workgroup take side by
/// side.
static int64_t resultsSideBySide(KernelOp kernel, const BodyTraits &traits,
                                 const KernelConfig &config) {
  SmallVector<linalg::GenericOp> reductions = getReductions(kernel);
  SmallVector<int64_t> loops = reductions.front().getStaticLoopRanges();
  auto isPlain = [](linalg::GenericOp op) {
    std::optional<Combiner> combiner = matchCombiner(op);
    return combiner->choices.empty() && combiner->claims.empty();
  };
  auto walksLoops = [&](Type type) {
    return cast<RankedTensorType>(type).getShape() == ArrayRef(loops);
  };
  auto readsReduction = [](linalg::GenericOp op) {
    SetVector<Operation *> behind;
    (void)getBackwardSlice(op.getOperation(), &behind);
    return llvm::any_of(behind, isReduction);
  };
  if (traits.loops || !llvm::all_of(reductions, isPlain) ||
      llvm::any_of(reductions, readsReduction) ||
      llvm::any_of(kernel.getResultTypes(), walksLoops))
    return 1;
  int64_t ops = config.order.elementsPerLane * traits.ops;
  int64_t count = kMaxResultsPerLane;
  if (llvm::all_of(reductions, makesPairs) &&
      kMaxPairedResults * ops <= 2 * KernelConfig::kMaxUnrolledOps)
    count = kMaxPairedResults;
  int64_t slotBytes = slotBytesOf(kernel); // As ReduceEmitter::slotsFor:
  int64_t slots = KernelConfig::kLanes + ReductionOrder::kGroupsPerPart;
  while (count > 1 &&
         (config.results < count * kEnoughGroups ||
          count * slots * slotBytes > kMaxSlotBytes ||
          (count * ops > KernelConfig::kMaxUnrolledOps && traits.isNested)))
    count /= 2;
  return count;
}

/// Memory for partial results, and a counter for each of `counters`.
static void addScratch(KernelOp kernel, int64_t partials, int64_t counters,
                       KernelConfig &config) {
  for (linalg::GenericOp op : getReductions(kernel))
    for (Type type : getPartialTypes(op))
      config.scratch.push_back(
          {partials * elementBytes(type), /*keepsZero=*/false});
  config.scratch.push_back({4 * uint64_t(counters), /*keepsZero=*/true});
}

/// How many neighbouring results a lane takes: 16 bytes of what is read, as far
/// as all lanes have some and their values fit into workgroup memory.
static int64_t columnVector(KernelOp kernel, linalg::GenericOp first,
                            const BodyTraits &traits, int64_t results) {
  int64_t slotBytes = slotBytesOf(kernel);
  int64_t vector = traits.linear && !traits.loops ? preferredVector(kernel) : 1;
  auto fits = [&] {
    return first.getStaticLoopRanges().back() % vector == 0 &&
           rowsHoldVectors(kernel, vector) &&
           results >= vector * KernelConfig::kColumnsAtOnce &&
           vector * slotBytes * KernelConfig::kLanes <= kMaxColumnBytes;
  };
  while (vector > 1 && !fits())
    vector /= 2;
  return vector;
}

static void configureColumns(KernelOp kernel, linalg::GenericOp first,
                             const BodyTraits &traits, KernelConfig &config) {
  config.vector = columnVector(kernel, first, traits, config.results);
  config.unroll = llvm::bit_floor<uint64_t>(std::clamp<int64_t>(
      KernelConfig::kMaxUnrolledOps / (config.vector * traits.ops), 1,
      traits.once() ? 1 : kMaxColumnsInFlight));
  int64_t blocks = config.columnBlocks(), parts = config.order.parts;
  config.groups =
      parts == 1 ? std::min(blocks, KernelConfig::kMaxGroups) : blocks * parts;
  if (parts > 1)
    addScratch(kernel, config.results * parts, blocks, config);
}

void gpuvm::configureReduce(KernelOp kernel, const BodyTraits &traits,
                            KernelConfig &config) {
  linalg::GenericOp first = getReductions(kernel).front();
  config.elements = 1;
  for (auto [range, iterator] : llvm::zip_equal(first.getStaticLoopRanges(),
                                                first.getIteratorTypesArray()))
    (iterator == utils::IteratorType::parallel ? config.results
                                               : config.elements) *= range;
  config.order = getReductionOrder(getLeadReduction(getReductions(kernel)));
  config.flat = reducesTrailingLoops(first) && !traits.needsIndices;
  if (config.order.tiled) {
    config.vectorizes = keepsLoopNeighbours(kernel, traits, /*vector=*/16);
    config.tile = chooseTile(getReductions(kernel), config.vectorizes);
    config.groups = std::min(config.tile->tiles(), KernelConfig::kMaxGroups);
    return;
  }
  if (config.order.sequential) {
    config.groups = std::min<int64_t>(
        llvm::divideCeil(config.results, KernelConfig::kLanes),
        KernelConfig::kMaxGroups);
    return;
  }
  if (config.order.columns) {
    configureColumns(kernel, first, traits, config);
    return;
  }
  config.vector = reductionVector(first, kernel, traits, config);
  // A power of two, which divides the rows of a turn.
  config.unroll = llvm::bit_floor<uint64_t>(
      std::clamp<int64_t>(KernelConfig::kMaxUnrolledOps /
                              (config.order.elementsPerLane * traits.ops),
                          1, traits.maxUnroll()));
  int64_t parts = config.order.parts;
  if (parts == 1) {
    int64_t row = config.order.elementsPerRow();
    int64_t turns =
        llvm::divideCeil(config.elements / row, config.order.rowsPerTurn());
    int64_t kept =
        turns * config.order.rowsPerGroup * config.order.elementsPerLane;
    config.keepsRows =
        !traits.once() && kept <= kMaxKept && kept * traits.ops <= kMaxKeptOps;
    int64_t groupsNeeded =
        llvm::divideCeil(config.elements, row * config.order.rowsPerGroup);
    if (config.keepsRows &&
        2 * groupsNeeded <= ReductionOrder::kGroupsPerPart) {
      config.groupsPerResult = groupsNeeded;
      config.resultsPerGroup = ReductionOrder::kGroupsPerPart / groupsNeeded;
    }
    if (config.resultsPerGroup == 1) {
      config.resultsPerLane = resultsSideBySide(kernel, traits, config);
      config.unroll =
          std::min(config.unroll, kMaxRowsInFlight / config.resultsPerLane);
      // Pairs do arithmetic; rows in flight hide no more of their few loads.
      if (config.resultsPerLane > kMaxResultsPerLane)
        config.unroll = 1;
    }
    config.groups = std::min<int64_t>(
        llvm::divideCeil(config.results,
                         config.resultsPerGroup * config.resultsPerLane),
        kMaxRowGroups);
    return;
  }
  config.groups = config.results * parts;
  addScratch(kernel, config.groups, config.results, config);
}
