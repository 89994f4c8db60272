//===- KernelConfig.cpp - how a kernel is laid over the device ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/KernelConfig.h"
#include "kernels/BodyTraits.h"
#include "kernels/ChainPlan.h"

#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Workgroups of a map or of a reduction to many results at most; beyond, each
/// takes several tiles. Enough for every multiprocessor to hold its limit.
static constexpr int64_t kMaxGroups = 4096;
/// A lane's straight-line code stays below so many operations.
static constexpr int64_t kMaxUnrolledOps = 1024;
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
/// Elements that a lane keeps from one phase of a row kernel to the next.
static constexpr int64_t kMaxKept = 128;

SmallVector<linalg::GenericOp> gpuvm::getReductions(KernelOp kernel) {
  SmallVector<linalg::GenericOp> reductions;
  for (auto op : kernel.getBody().getOps<linalg::GenericOp>())
    if (isReduction(op))
      reductions.push_back(op);
  return reductions;
}

//===----------------------------------------------------------------------===//
// The roots
//===----------------------------------------------------------------------===//

static bool isDecoded(Value operand) {
  return llvm::any_of(operand.getUsers(),
                      [](Operation *user) { return isa<DecodeOp>(user); });
}

/// The vector with which the windows are moved 16 bytes at a time. Beside wider
/// elements narrow ones move fewer bytes: with f64 or i64 in between, two
/// 16-byte accesses per lane cost less than half-empty narrow ones.
static int64_t preferredVector(KernelOp kernel) {
  uint64_t widest = 1, narrowest = 8;
  SmallVector<Type> types(kernel.getResultTypes());
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (!isDecoded(argument)) // Packed data is read in words of its own.
      types.push_back(argument.getType());
  for (Type type : types) {
    auto tensor = cast<RankedTensorType>(type);
    if (tensor.getNumElements() == 1)
      continue;
    uint64_t bytes = elementBytes(tensor.getElementType());
    widest = std::max(widest, bytes);
    narrowest = std::min(narrowest, bytes);
  }
  if (narrowest == 8)
    return 2;
  return 16 / std::min<uint64_t>(widest, 4);
}

static void configureMap(KernelOp kernel, const BodyTraits &traits,
                         KernelConfig &config) {
  config.elements =
      cast<RankedTensorType>(kernel.getResultTypes().front()).getNumElements();
  config.flat = true;
  for (int64_t vector : {preferredVector(kernel), traits.run})
    if (vector > config.vector && keepsNeighbours(kernel, traits, vector))
      config.vector = vector;
  config.unroll = std::clamp<int64_t>(
      kMaxUnrolledOps / (config.vector * traits.ops), 1, traits.maxUnroll());
  int64_t tile = KernelConfig::kLanes * config.vector * config.unroll;
  int64_t work = config.elements >= tile ? tile : KernelConfig::kLanes;
  config.groups =
      std::min<int64_t>(llvm::divideCeil(config.elements, work), kMaxGroups);
}

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
      kMaxPairedResults * ops <= 2 * kMaxUnrolledOps)
    count = kMaxPairedResults;
  int64_t slotBytes = slotBytesOf(kernel); // As ReduceEmitter::slotsFor:
  int64_t slots = KernelConfig::kLanes + ReductionOrder::kGroupsPerPart;
  while (count > 1 && (config.results < count * kEnoughGroups ||
                       count * slots * slotBytes > kMaxSlotBytes ||
                       (count * ops > kMaxUnrolledOps && traits.isNested)))
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
  config.unroll = llvm::bit_floor<uint64_t>(
      std::clamp<int64_t>(kMaxUnrolledOps / (config.vector * traits.ops), 1,
                          traits.once() ? 1 : kMaxColumnsInFlight));
  int64_t blocks = config.columnBlocks(), parts = config.order.parts;
  config.groups = parts == 1 ? std::min(blocks, kMaxGroups) : blocks * parts;
  if (parts > 1)
    addScratch(kernel, config.results * parts, blocks, config);
}

static void configureReduce(KernelOp kernel, linalg::GenericOp first,
                            const BodyTraits &traits, KernelConfig &config) {
  config.elements = 1;
  for (auto [range, iterator] : llvm::zip_equal(first.getStaticLoopRanges(),
                                                first.getIteratorTypesArray()))
    (iterator == utils::IteratorType::parallel ? config.results
                                               : config.elements) *= range;
  config.order = getReductionOrder(getLeadReduction(getReductions(kernel)));
  config.flat = reducesTrailingLoops(first) && !traits.needsIndices;
  if (config.order.tiled) {
    config.vectorizes =
        traits.linear && (!traits.reshapes || rowsHoldVectors(kernel, 16));
    config.tile = chooseTile(getReductions(kernel), config.vectorizes);
    config.groups = std::min(config.tile->tiles(), kMaxGroups);
    return;
  }
  if (config.order.sequential) {
    config.groups = std::min<int64_t>(
        llvm::divideCeil(config.results, KernelConfig::kLanes), kMaxGroups);
    return;
  }
  if (config.order.columns) {
    configureColumns(kernel, first, traits, config);
    return;
  }
  config.vector = reductionVector(first, kernel, traits, config);
  // A power of two, which divides the rows of a turn.
  config.unroll = llvm::bit_floor<uint64_t>(std::clamp<int64_t>(
      kMaxUnrolledOps / (config.order.elementsPerLane * traits.ops), 1,
      traits.maxUnroll()));
  int64_t parts = config.order.parts;
  if (parts == 1) {
    int64_t row = config.order.elementsPerRow();
    int64_t turns =
        llvm::divideCeil(config.elements / row, config.order.rowsPerTurn());
    int64_t kept =
        turns * config.order.rowsPerGroup * config.order.elementsPerLane;
    config.keepsRows = !traits.once() && kept <= kMaxKept &&
                       kept * traits.ops <= kMaxUnrolledOps;
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
        kMaxGroups);
    return;
  }
  config.groups = config.results * parts;
  addScratch(kernel, config.groups, config.results, config);
}

static void configureAttention(KernelOp kernel, const BodyTraits &traits,
                               KernelConfig &config) {
  AttentionOp op = *kernel.getBody().getOps<AttentionOp>().begin();
  config.vectorizes =
      traits.linear && (!traits.reshapes || rowsHoldVectors(kernel, 16));
  config.tiledAttention = layOutTiledAttention(op, config.vectorizes);
  if (!config.tiledAttention)
    config.attention = layOutAttention(op, config.vectorizes);
  const AttentionShape &shape = config.tiledAttention
                                    ? AttentionShape(*config.tiledAttention)
                                    : *config.attention;
  config.lanes = shape.lanes;
  int64_t partials = shape.blocks() * shape.splits;
  config.groups = std::min(partials, kMaxGroups);
  if (shape.splits == 1)
    return;
  int64_t words = config.tiledAttention
                      ? shape.lanes * config.tiledAttention->statePerLane()
                      : shape.blockRows * config.attention->partialVectors();
  config.scratch.push_back(
      {4 * uint64_t(partials * words), /*keepsZero=*/false});
  config.scratch.push_back({4 * uint64_t(shape.blocks()), /*keepsZero=*/true});
}

static void configureScan(KernelOp kernel, const BodyTraits &traits,
                          KernelConfig &config) {
  Operation *root = nullptr;
  for (Operation &op : kernel.getBody().front())
    if (isa<ScanOp, CompactOp>(op))
      root = &op;
  config.scan.emplace(root, keepsNeighbours(kernel, traits, ScanOrder::kQuad));
  config.groups = config.scan->groups();
  if (!config.scan->looksBack())
    return;
  config.scratch.push_back({4 * uint64_t(config.scan->words()),
                            /*keepsZero=*/true, /*keepsAll=*/true});
}

static void configureFft(KernelOp kernel, const BodyTraits &traits,
                         KernelConfig &config) {
  config.vectorizes =
      traits.linear && (!traits.reshapes || rowsHoldVectors(kernel, 2));
  config.fft = layOutFft(kernel);
  config.lanes = config.fft->lanes;
  config.groups = std::min(config.fft->tiles(), kMaxGroups);
}

/// A chain that cannot be planned cannot be emitted either, which says so.
static void configureChain(KernelOp kernel, KernelConfig &config) {
  FailureOr<ChainPlan> plan = planChain(kernel);
  if (failed(plan))
    return;
  config.lanes = plan->shape.lanes;
  config.groups = plan->shape.instances;
}

KernelConfig gpuvm::configureKernel(KernelOp kernel) {
  KernelConfig config;
  if (kernel.getRoot() == Root::chain) {
    configureChain(kernel, config);
    return config;
  }
  BodyTraits traits = inspectBody(kernel);
  if (kernel.getRoot() == Root::attention) {
    configureAttention(kernel, traits, config);
    return config;
  }
  if (kernel.getRoot() == Root::scan) {
    configureScan(kernel, traits, config);
    return config;
  }
  if (kernel.getRoot() == Root::fft) {
    configureFft(kernel, traits, config);
    return config;
  }
  if (kernel.getRoot() == Root::sort) {
    config.vectorizes = keepsNeighbours(kernel, traits, SortLayout::kVector);
    configureSort(kernel, kMaxGroups, config);
    return config;
  }
  if (kernel.getRoot() == Root::scatter) {
    config.vectorizes = keepsNeighbours(kernel, traits, /*vector=*/4);
    configureScatter(kernel, config);
    return config;
  }
  SmallVector<linalg::GenericOp> reductions = getReductions(kernel);
  if (reductions.empty())
    configureMap(kernel, traits, config);
  else
    configureReduce(kernel, reductions.front(), traits, config);
  return config;
}
