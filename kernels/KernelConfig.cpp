//===- KernelConfig.cpp - how a kernel is laid over the device ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/KernelConfig.h"

#include "kernels/ChainPlan.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Workgroups of a map or of a reduction to many results at most; beyond, each
/// takes several tiles. Enough for every multiprocessor to hold its limit.
static constexpr int64_t kMaxGroups = 4096;
/// A lane's straight-line code stays below so many operations.
static constexpr int64_t kMaxUnrolledOps = 1024;
static constexpr int64_t kMaxUnroll = 4;
/// Elements that a lane keeps from one phase of a row kernel to the next.
static constexpr int64_t kMaxKept = 128;

SmallVector<linalg::GenericOp> gpuvm::getReductions(KernelOp kernel) {
  SmallVector<linalg::GenericOp> reductions;
  for (auto op : kernel.getBody().getOps<linalg::GenericOp>())
    if (op.getNumReductionLoops() != 0)
      reductions.push_back(op);
  return reductions;
}

SmallVector<Type> gpuvm::getPartialTypes(linalg::GenericOp op) {
  SmallVector<Type> types(TypeRange(op.getRegionOutputArgs()));
  std::optional<Combiner> combiner = matchCombiner(op);
  types.append(combiner->choices.size(), IntegerType::get(op.getContext(), 32));
  types.append(combiner->claims.size(), IntegerType::get(op.getContext(), 1));
  return types;
}

//===----------------------------------------------------------------------===//
// What the body needs
//===----------------------------------------------------------------------===//

namespace {
struct BodyTraits {
  bool needsIndices = false; ///< Some operand is not read where it is written.
  bool linear = true;        ///< All indexing is linear.
  bool reshapes = false;
  int64_t ops = 1; ///< Scalar operations per element.
};
} // namespace

static bool isLinear(AffineExpr expr) {
  bool linear = true;
  expr.walk([&](AffineExpr e) {
    linear &= e.getKind() != AffineExprKind::FloorDiv &&
              e.getKind() != AffineExprKind::CeilDiv &&
              e.getKind() != AffineExprKind::Mod;
  });
  return linear;
}

static void inspectGeneric(linalg::GenericOp op, BodyTraits &traits) {
  traits.ops += op.getBody()->getOperations().size() - 1;
  bool reduces = op.getNumReductionLoops() != 0;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (reduces && op.isDpsInit(&operand))
      continue;
    // The result's shape decides, not the loops': a permuted result map has
    // been interchanged away.
    traits.needsIndices |= !map.isIdentity() && map.getNumResults() != 0;
    traits.linear &= llvm::all_of(map.getResults(), isLinear);
  }
  for (Operation &inner : *op.getBody())
    traits.needsIndices |= isa<linalg::IndexOp>(inner);
}

static BodyTraits inspectBody(KernelOp kernel) {
  BodyTraits traits;
  for (Operation &op : kernel.getBody().front()) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      inspectGeneric(generic, traits);
    bool reshapes = isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
    traits.needsIndices |= movesElements(&op) && !reshapes;
    traits.reshapes |= reshapes;
  }
  return traits;
}

/// Whether `vector` neighbours never straddle a row, whatever is indexed how.
static bool rowsHoldVectors(KernelOp kernel, int64_t vector) {
  auto fits = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || tensor.getRank() < 2 ||
           tensor.getShape().back() % vector == 0;
  };
  bool all = llvm::all_of(kernel.getOperandTypes(), fits);
  for (Operation &op : kernel.getBody().front())
    all &= llvm::all_of(op.getResultTypes(), fits);
  return all;
}

/// The vector with which the windows are moved 16 bytes at a time. Beside wider
/// elements narrow ones move fewer bytes: with f64 or i64 in between, two
/// 16-byte accesses per lane cost less than half-empty narrow ones.
static int64_t preferredVector(KernelOp kernel) {
  uint64_t widest = 1, narrowest = 8;
  auto types = llvm::concat<const Type>(
      llvm::to_vector_of<Type>(kernel.getOperandTypes()),
      llvm::to_vector_of<Type>(kernel.getResultTypes()));
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

//===----------------------------------------------------------------------===//
// The roots
//===----------------------------------------------------------------------===//

static void configureMap(KernelOp kernel, const BodyTraits &traits,
                         KernelConfig &config) {
  config.elements =
      cast<RankedTensorType>(kernel.getResultTypes().front()).getNumElements();
  config.flat = true;
  int64_t vector = preferredVector(kernel);
  bool vectorizes = (!traits.needsIndices ||
                     (traits.linear && rowsHoldVectors(kernel, vector)));
  config.vector = vectorizes ? vector : 1;
  config.unroll = std::clamp<int64_t>(
      kMaxUnrolledOps / (config.vector * traits.ops), 1, kMaxUnroll);
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

static void configureReduce(KernelOp kernel, linalg::GenericOp first,
                            const BodyTraits &traits, KernelConfig &config) {
  config.elements = 1;
  for (auto [range, iterator] : llvm::zip_equal(first.getStaticLoopRanges(),
                                                first.getIteratorTypesArray()))
    (iterator == utils::IteratorType::parallel ? config.results
                                               : config.elements) *= range;
  config.order = getReductionOrder(getLeadReduction(getReductions(kernel)));
  config.flat = reducesTrailingLoops(first) && !traits.needsIndices;
  if (config.order.sequential) {
    config.groups = std::min<int64_t>(
        llvm::divideCeil(config.results, KernelConfig::kLanes), kMaxGroups);
    return;
  }
  config.vector = reductionVector(first, kernel, traits, config);
  // A power of two, which divides the rows of a turn.
  config.unroll = llvm::bit_floor<uint64_t>(std::clamp<int64_t>(
      kMaxUnrolledOps / (config.order.elementsPerLane * traits.ops), 1,
      kMaxUnroll));
  int64_t parts = config.order.parts;
  if (parts == 1) {
    int64_t row = config.order.elementsPerRow();
    int64_t turns =
        llvm::divideCeil(config.elements / row, config.order.rowsPerTurn());
    int64_t kept =
        turns * config.order.rowsPerGroup * config.order.elementsPerLane;
    config.keepsRows = kept <= kMaxKept && kept * traits.ops <= kMaxUnrolledOps;
    int64_t groupsNeeded = llvm::divideCeil(config.elements, row);
    if (config.keepsRows &&
        2 * groupsNeeded <= ReductionOrder::kGroupsPerPart) {
      config.groupsPerResult = groupsNeeded;
      config.resultsPerGroup = ReductionOrder::kGroupsPerPart / groupsNeeded;
    }
    config.groups = std::min<int64_t>(
        llvm::divideCeil(config.results, config.resultsPerGroup), kMaxGroups);
    return;
  }
  config.groups = config.results * parts;
  for (linalg::GenericOp op : getReductions(kernel))
    for (Type type : getPartialTypes(op))
      config.scratch.push_back(
          {config.groups * elementBytes(type), /*keepsZero=*/false});
  config.scratch.push_back({4 * uint64_t(config.results), /*keepsZero=*/true});
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
  SmallVector<linalg::GenericOp> reductions = getReductions(kernel);
  if (reductions.empty())
    configureMap(kernel, traits, config);
  else
    configureReduce(kernel, reductions.front(), traits, config);
  return config;
}
