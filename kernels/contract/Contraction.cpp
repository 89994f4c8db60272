//===- Contraction.cpp - how a contraction is cut into tiles --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/contract/Contraction.h"
#include "kernels/elements/Product.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Workgroups below which smaller tiles use more of a device.
static int64_t enoughTiles(TargetAttr target) {
  return llvm::bit_floor<uint64_t>(
      std::max<int64_t>(1, target.getBusyGroups() / 2));
}
/// Workgroup memory that all devices with matrix units have.
static constexpr int64_t kMatrixWorkgroupBytes = 48 << 10;
/// Bytes of a line that make up whole sectors of memory.
static constexpr int64_t kLineBytes = 64;
static constexpr int64_t kFetchedBytes = 16;

int64_t ContractionTile::extent(const StagedInput &input) const {
  switch (input.dim) {
  case StagedInput::Rows:
    return tileRows();
  case StagedInput::Columns:
    return tileColumns();
  case StagedInput::None:
    return 1;
  }
  llvm_unreachable("there is no other dimension");
}

int64_t ContractionTile::pitch(const StagedInput &input) const {
  // Lanes read a vector of each line: an odd pitch keeps them off each other's
  // banks.
  // Matrix units want lines that begin at multiples of 16 bytes.
  int64_t line = input.alongReduction ? depth : extent(input);
  if (units)
    return line / input.width + 1;
  return line / input.width + (input.alongReduction ? 1 : 0);
}

int64_t ContractionTile::vectors(const StagedInput &input) const {
  return pitch(input) * (input.alongReduction ? extent(input) : depth);
}

/// The loop in which neighbours of `tensor` differ, read through `map`; follows
/// elementwise operations to the largest of what they read.
static std::optional<unsigned> innermostLoop(Value tensor, AffineMap map) {
  while (auto op = tensor.getDefiningOp<linalg::GenericOp>()) {
    OpOperand *widest = nullptr;
    auto sizeOf = [](OpOperand *operand) {
      auto type = dyn_cast<RankedTensorType>(operand->get().getType());
      return type ? type.getNumElements() : 0;
    };
    for (OpOperand *input : op.getDpsInputOperands())
      if (!widest || sizeOf(input) > sizeOf(widest))
        widest = input;
    if (!widest || sizeOf(widest) == 0)
      break;
    tensor = widest->get();
    map = op.getMatchingIndexingMap(widest).compose(map);
  }
  if (map.getNumResults() == 0)
    return std::nullopt;
  AffineExpr last = map.getResults().back();
  for (unsigned loop = map.getNumDims(); loop-- > 0;)
    if (last.isFunctionOfDim(loop))
      return loop;
  return std::nullopt;
}

namespace {
/// What the reductions have in common.
struct Loops {
  SmallVector<int64_t> ranges;
  unsigned lastReduction = 0;
  unsigned numReductions = 0;
};
} // namespace

/// Adds what `op` reads of its inputs, as far as results of a tile share it.
static void addStagedInputs(linalg::GenericOp op, ContractionTile &tile) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    bool ofRows = map.isFunctionOfDim(tile.loops.rows);
    bool ofColumns = map.isFunctionOfDim(tile.loops.columns);
    Type element = getElementTypeOrSelf(operand->get().getType());
    bool known = llvm::any_of(tile.inputs, [&](const StagedInput &input) {
      return input.tensor == operand->get() && input.map == map;
    });
    if (known || op.getMatchingBlockArgument(operand).use_empty() ||
        (ofRows && ofColumns) || !dependsOnReduction(op, map) ||
        element.isInteger(1))
      continue;
    StagedInput input;
    input.tensor = operand->get();
    input.map = map;
    input.element = element;
    input.dim = ofRows      ? StagedInput::Rows
                : ofColumns ? StagedInput::Columns
                            : StagedInput::None;
    tile.inputs.push_back(input);
  }
}

/// How the tile of an input is fetched and kept.
static void layOut(StagedInput &input, const ContractionTile &tile,
                   const Loops &loops, bool vectorizes) {
  int64_t bytes = elementBytes(input.element);
  int64_t wanted = std::max<int64_t>(4, kFetchedBytes / bytes);
  unsigned own =
      input.dim == StagedInput::Rows ? tile.loops.rows : tile.loops.columns;
  input.alongReduction = input.dim == StagedInput::None ||
                         innermostLoop(input.tensor, input.map) != own;
  if (tile.units)
    input.width = wanted;
  if (input.alongReduction) {
    input.fetched = std::min(wanted, tile.depth);
    bool inOneRow = loops.numReductions == 1 ||
                    loops.ranges[loops.lastReduction] % input.fetched == 0;
    input.oneByOne = !vectorizes || !inOneRow;
    return;
  }
  int64_t perLane =
      input.dim == StagedInput::Rows ? tile.rowsPerLane : tile.columnsPerLane;
  if (!tile.units)
    input.width = std::min<int64_t>(4, perLane);
  input.fetched = std::min(wanted, tile.extent(input));
  input.oneByOne = !vectorizes || loops.ranges[own] % input.fetched != 0;
}

static int64_t workgroupBytes(const ContractionTile &tile) {
  int64_t bytes = 0;
  for (const StagedInput &input : tile.inputs)
    bytes += tile.vectors(input) * input.width * elementBytes(input.element);
  return bytes;
}

/// The tile of `reductions` but for its size.
static ContractionTile describe(ArrayRef<linalg::GenericOp> reductions,
                                Loops &loops) {
  linalg::GenericOp lead = getLeadReduction(reductions);
  loops.ranges = lead.getStaticLoopRanges();
  ContractionTile tile;
  tile.loops = *getTileLoops(lead);
  tile.rows = loops.ranges[tile.loops.rows];
  tile.columns = loops.ranges[tile.loops.columns];
  tile.elements = tile.batches = 1;
  for (auto [loop, iterator] : llvm::enumerate(lead.getIteratorTypesArray())) {
    if (iterator == utils::IteratorType::reduction) {
      tile.elements *= loops.ranges[loop];
      loops.lastReduction = loop;
      ++loops.numReductions;
    } else if (loop != tile.loops.rows && loop != tile.loops.columns) {
      tile.batches *= loops.ranges[loop];
    }
  }
  for (linalg::GenericOp op : reductions)
    addStagedInputs(op, tile);
  for (const StagedInput &input : tile.inputs)
    if (elementBytes(input.element) * tile.depth < kLineBytes)
      tile.depth = 32;
  return tile;
}

ContractionTile gpuvm::chooseTile(ArrayRef<linalg::GenericOp> reductions,
                                  bool vectorizes, TargetAttr target) {
  Loops loops;
  ContractionTile tile = describe(reductions, loops);
  unsigned accumulators = 0;
  for (linalg::GenericOp op : reductions)
    accumulators += op.getNumDpsInits();
  // Halves the larger side of a lane's block while that helps.
  auto shrink = [&] {
    int64_t &side = tile.rowsPerLane >= tile.columnsPerLane
                        ? tile.rowsPerLane
                        : tile.columnsPerLane;
    side /= 2;
  };
  auto covers = [](int64_t perLane, int64_t range) {
    return perLane > 1 && kTileLanes * perLane >= 2 * range;
  };
  while (covers(tile.rowsPerLane, tile.rows))
    tile.rowsPerLane /= 2;
  while (covers(tile.columnsPerLane, tile.columns))
    tile.columnsPerLane /= 2;
  auto block = [&] { return tile.rowsPerLane * tile.columnsPerLane; };
  while (block() * accumulators > 64 && block() > 1)
    shrink();
  while (tile.tiles() < enoughTiles(target) && block() > 16)
    shrink();
  auto layOutAll = [&] {
    for (StagedInput &input : tile.inputs)
      layOut(input, tile, loops, vectorizes);
  };
  for (layOutAll();
       workgroupBytes(tile) > target.getWorkgroupBytes() && block() > 1;
       layOutAll())
    shrink();
  return tile;
}

//===----------------------------------------------------------------------===//
// Matrix units
//===----------------------------------------------------------------------===//

/// The staged input that `factor` is, extended to the type of the results.
static std::optional<unsigned> findFactor(linalg::GenericOp op, Value factor,
                                          const ContractionTile &tile) {
  Operation *extension = factor.getDefiningOp();
  if (!isa_and_present<arith::ExtFOp, arith::ExtSIOp>(extension))
    return std::nullopt;
  auto argument = dyn_cast<BlockArgument>(extension->getOperand(0));
  if (!argument || argument.getOwner() != op.getBody())
    return std::nullopt;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  for (auto [number, input] : llvm::enumerate(tile.inputs))
    if (input.tensor == operand->get() &&
        input.map == op.getMatchingIndexingMap(operand))
      return number;
  return std::nullopt;
}

/// What matrix units multiply and add; the sizes are left open.
static std::optional<MatrixUnits>
matchUnits(ArrayRef<linalg::GenericOp> reductions,
           const ContractionTile &tile) {
  MatrixUnits units = {};
  for (linalg::GenericOp op : reductions)
    for (unsigned number = 0; number < op.getNumDpsInits(); ++number) {
      Product product = matchProduct(op, number);
      if (!product)
        return std::nullopt;
      auto left = findFactor(op, product.left, tile);
      auto right = findFactor(op, product.right, tile);
      if (!left || !right)
        return std::nullopt;
      if (tile.inputs[*left].dim != StagedInput::Rows)
        std::swap(left, right);
      const StagedInput &a = tile.inputs[*left], &b = tile.inputs[*right];
      Type total = product.left.getType();
      bool known =
          ((a.element.isF16() || a.element.isBF16()) && total.isF32()) ||
          (a.element.isInteger(8) && total.isInteger(32));
      if (a.dim != StagedInput::Rows || b.dim != StagedInput::Columns ||
          a.element != b.element || !known ||
          (units.factor && units.factor != a.element))
        return std::nullopt;
      units.factor = a.element;
      units.total = total;
      units.factors.push_back({*left, *right});
    }
  units.depth = units.factor.isInteger(8) ? 32 : 16;
  return units;
}

static void setFragments(ContractionTile &tile, int64_t down, int64_t across) {
  MatrixUnits &units = *tile.units;
  units.fragmentsDown = down;
  units.fragmentsAcross = across;
  tile.rowsPerLane = units.subgroupsDown * down;
  tile.columnsPerLane = units.subgroupsAcross * across;
}

/// Halves the larger side of the subgroups' blocks.
static void halveFragments(ContractionTile &tile) {
  int64_t down = tile.units->fragmentsDown;
  int64_t across = tile.units->fragmentsAcross;
  if (across >= down)
    setFragments(tile, down, across / 2);
  else
    setFragments(tile, down / 2, across);
}

static int64_t lineElements(const MatrixUnits &units) {
  return kLineBytes / elementBytes(units.factor);
}

/// So that it takes less workgroup memory; whether that is possible.
static bool makeSmaller(ContractionTile &tile) {
  if (tile.depth > lineElements(*tile.units)) {
    tile.depth /= 2;
    return true;
  }
  if (tile.units->fragments() == 1)
    return false;
  halveFragments(tile);
  return true;
}

/// Cuts the tile among the subgroups of a workgroup. Few large tiles leave
/// units without work. Large subgroups' blocks read workgroup memory less; with
/// two workgroups on a unit, one computes while the other waits
/// (docs/rationale/contractions.md).
static void resize(ContractionTile &tile, TargetAttr target) {
  MatrixUnits &units = *tile.units;
  // A lane holds 8 elements of a fragment in 32 bits each.
  constexpr int64_t kMaxFragments = 16;
  int64_t accumulators = units.factors.size();
  units.subgroupsDown = units.subgroupsAcross = 2;
  tile.depth = lineElements(units);
  setFragments(tile, 4, 4);
  if (tile.tiles() >= 2 * enoughTiles(target) && accumulators == 1)
    return;
  units.subgroupsAcross = 4;
  tile.depth = 2 * lineElements(units);
  setFragments(tile, 4, 2);
  while (units.fragments() > 1 &&
         (units.fragments() * accumulators > kMaxFragments / 2 ||
          tile.tiles() < enoughTiles(target)))
    halveFragments(tile);
}

std::optional<ContractionTile>
gpuvm::chooseMatrixTile(ArrayRef<linalg::GenericOp> reductions, bool vectorizes,
                        TargetAttr target) {
  constexpr size_t kMaxAccumulators = 8;
  Loops loops;
  ContractionTile tile = describe(reductions, loops);
  tile.units = matchUnits(reductions, tile);
  if (!tile.units || tile.units->factors.size() > kMaxAccumulators)
    return std::nullopt;
  resize(tile, target);
  auto layOutAll = [&] {
    for (StagedInput &input : tile.inputs)
      layOut(input, tile, loops, vectorizes);
  };
  auto bytes = [&] {
    return workgroupBytes(tile) + tile.units->exchangeVectors() *
                                      MatrixUnits::kVector *
                                      elementBytes(tile.units->total);
  };
  for (layOutAll(); bytes() > kMatrixWorkgroupBytes; layOutAll())
    if (!makeSmaller(tile))
      return std::nullopt;
  return tile;
}

//===----------------------------------------------------------------------===//
// For a CPU device
//===----------------------------------------------------------------------===//

bool gpuvm::widenContraction(ArrayRef<linalg::GenericOp> reductions,
                             ContractLayout &layout) {
  // Results of a lane on a side, and elements of each between two loads.
  constexpr int64_t kBlock = 8, kDepth = 16, kMaxAccumulators = 4;
  Loops loops;
  ContractionTile tile = describe(reductions, loops);
  int64_t accumulators = 0;
  for (linalg::GenericOp op : reductions)
    accumulators += op.getNumDpsInits();
  if (!layout.vectorizes || tile.elements % kDepth != 0 ||
      accumulators > kMaxAccumulators)
    return false;
  bool isAcross = tile.columns >= tile.rows;
  tile.lanesDown = isAcross ? 1 : KernelLayout::kVectorLanes;
  tile.lanesAcross = isAcross ? KernelLayout::kVectorLanes : 1;
  tile.rowsPerLane = tile.columnsPerLane = kBlock;
  int64_t &shared = isAcross ? tile.rowsPerLane : tile.columnsPerLane;
  shared /= int64_t(llvm::PowerOf2Ceil(accumulators));
  tile.depth = kDepth;
  for (StagedInput &input : tile.inputs) {
    layOut(input, tile, loops, layout.vectorizes);
    unsigned loop = input.alongReduction             ? loops.lastReduction
                    : input.dim == StagedInput::Rows ? tile.loops.rows
                                                     : tile.loops.columns;
    input.fetched = input.alongReduction             ? kDepth
                    : input.dim == StagedInput::Rows ? tile.rowsPerLane
                                                     : tile.columnsPerLane;
    if (loops.ranges[loop] % input.fetched != 0)
      return false;
  }
  layout.tile = tile;
  layout.wide = layout.ownResults = true;
  layout.lanes = tile.lanes();
  layout.groups = std::min(tile.tiles(), KernelLayout::kMaxGroups);
  return true;
}

void ContractLayout::visit(LayoutFields &fields) {
  fields.number("rows_per_lane", tile.rowsPerLane);
  fields.number("columns_per_lane", tile.columnsPerLane);
  fields.number("depth", tile.depth);
  if (!tile.units)
    return;
  fields.number("subgroups_down", tile.units->subgroupsDown);
  fields.number("subgroups_across", tile.units->subgroupsAcross);
  fields.number("fragments_down", tile.units->fragmentsDown);
  fields.number("fragments_across", tile.units->fragmentsAcross);
}
