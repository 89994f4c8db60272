//===- Scan.cpp - kernels around scans ------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass over the elements. Lanes load quads of neighbours, fold them, and
// exchange the totals in workgroup memory, where a lane folds the quads of a
// block, one lane in 16 the blocks of a group, and one the groups of the tile.
// The total of the tile is published, what lies before the tile is looked up
// (ScanLookBack.cpp), and every quad gets its prefix.
//
//===----------------------------------------------------------------------===//

#include "kernels/scan/ScanEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

static constexpr int64_t kLanes = ScanOrder::kBlocksPerTile;
static_assert(kLanes == KernelLayout::kLanes, "a lane has a block");

ScanEmitter::ScanEmitter(EmitterContext &context)
    : RootEmitter(context), layout(context.layoutAs<ScanLayout>()),
      slots(layout.slots()) {
  for (Operation &op : c.op.getBody().front()) {
    if (auto own = dyn_cast<ScanOp>(op))
      scan = own;
    if (auto own = dyn_cast<CompactOp>(op))
      compact = own;
  }
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

ScanEmitter::TileShape ScanEmitter::tileShape(bool whole) const {
  bool hasWholeQuads = layout.space.count() % ScanOrder::kQuad == 0;
  return {whole || hasWholeQuads ? layout.vector : 1, whole};
}

/// How far `position` is in its row.
Value ScanEmitter::stepOf(Value position) {
  return k(position) % layout.space.length();
}

/// The element at `position`, and the next ones; or, if `next`, the element
/// behind it in its row.
ElementEmitter::Point ScanEmitter::pointAt(Value position, int64_t vector,
                                           bool next) {
  const ScanSpace &space = layout.space;
  ArrayRef<int64_t> shape = space.shape;
  bool isLast = space.dimension + 1 == static_cast<int64_t>(shape.size());
  if (isLast && !space.reverse)
    return c.elements.flatPoint({position, vector > 1, vector}, shape);
  Value row = k(position) / space.length(), step = stepOf(position);
  if (space.reverse)
    step = (space.length() - 1) - k(step);
  if (next)
    step = min(k(step) + 1, space.length() - 1);
  SmallVector<LaneIndex> indices = delinearize(
      k, {k(row) / space.inner(), 0, 1}, shape.take_front(space.dimension));
  indices.push_back({step, vector > 1, vector});
  llvm::append_range(indices,
                     delinearize(k, {k(row) % space.inner(), 0, 1},
                                 shape.drop_front(space.dimension + 1)));
  return c.elements.point(indices, shape);
}

/// Whether position `i` of the quad is there; null if it surely is.
Value ScanEmitter::inside(const Quad &quad, unsigned i) {
  return k(quad.first) + i < layout.space.count();
}

/// Loads the elements from `position` on, as many as are loaded at once.
void ScanEmitter::loadElements(Quad &quad, Value position, TileShape shape) {
  ElementEmitter::Point at = pointAt(position, shape.vector, /*next=*/false);
  quad.points.push_back(at);
  auto read = [&](Value tensor, ElementEmitter::Point where) {
    FailureOr<Lanes> lanes = c.elements.emit(tensor, where);
    if (check(lanes))
      return *lanes;
    return Lanes(shape.vector, k.constant(getElementTypeOrSelf(tensor), 0));
  };
  SmallVector<Lanes> inputs;
  if (scan)
    for (Value input : scan.getInputs())
      inputs.push_back(read(input, at));
  else
    inputs.push_back(read(compact.getKeep(), at));
  Lanes heads;
  if (scan && scan.getSegments()) {
    bool next = layout.space.reverse;
    heads = read(scan.getSegments(),
                 next ? pointAt(position, shape.vector, next) : at);
  }
  for (int64_t v = 0; v < shape.vector; ++v) {
    Values element;
    for (const Lanes &lanes : inputs)
      element.push_back(lanes[v]);
    if (compact) {
      Value keep = element.front();
      if (!shape.whole)
        keep = k(keep) & inside(quad, quad.elements.size());
      element.front() =
          arith::ExtUIOp::create(k.ir(), k.loc(), k.ir().getI32Type(), keep);
    }
    if (layout.segmented) {
      Value begins = v == 0 ? k(stepOf(position)) == 0 : k.truth(false);
      element.push_back(heads.empty() ? begins : k(begins) | heads[v]);
    }
    quad.elements.push_back(element);
  }
}

/// The first position of this lane's quad in a row of a tile's quads.
Value ScanEmitter::firstOfQuad(Value tile, Value row) {
  return k(tile) * layout.space.tile() + k(row) * (kLanes * ScanOrder::kQuad) +
         k(lane) * ScanOrder::kQuad;
}

/// Position `v` of the quad whose first one is `first`; behind the last element
/// that one again.
Value ScanEmitter::positionInQuad(Value first, int64_t v, TileShape shape) {
  Expr position = k(first) + v;
  if (shape.whole)
    return position;
  return min(position, layout.space.count() - shape.vector);
}

ScanEmitter::Quad ScanEmitter::loadQuad(Value tile, Value row,
                                        TileShape shape) {
  Quad quad;
  quad.first = firstOfQuad(tile, row);
  for (int64_t v = 0; v < ScanOrder::kQuad; v += shape.vector)
    loadElements(quad, positionInQuad(quad.first, v, shape), shape);
  return quad;
}

void ScanEmitter::foldQuad(Quad &quad) {
  for (auto [i, element] : llvm::enumerate(quad.elements))
    quad.inclusive.push_back(i == 0 ? element
                                    : combine(quad.inclusive.back(), element));
}

SmallVector<ScanEmitter::Quad> ScanEmitter::loadTile(Value tile,
                                                     TileShape shape) {
  c.elements.begin(shape.vector);
  SmallVector<Quad> quads;
  for (int64_t row = 0; row < layout.rows(); ++row)
    quads.push_back(loadQuad(tile, k.index(row), shape));
  for (auto [row, quad] : llvm::enumerate(quads)) {
    foldQuad(quad);
    storeTotal(quad, k.index(row));
  }
  // Rows without elements have a total that nothing comes after.
  for (int64_t row = layout.rows(); row < layout.space.quadsPerBlock; ++row)
    storeTotal(quads.back(), k.index(row));
  return quads;
}

/// Leaves the totals of the tile's quads in workgroup memory, and keeps nothing
/// in registers.
void ScanEmitter::loadTotals(Value tile, TileShape shape) {
  k.workgroupBarrier(); // Workgroup memory is used again.
  auto nextRow = [&](Value row, ValueRange) {
    c.elements.begin(shape.vector);
    Quad quad = loadQuad(tile, row, shape);
    foldQuad(quad);
    storeTotal(quad, row);
    return Values();
  };
  // Drivers, which would unroll the loop, do not know its end.
  Expr isMissing = k(loadShared(kIsMissing)) == 1;
  Value end = select(isMissing, k.index(layout.space.quadsPerBlock), 0);
  k.loop(k.index(0), end, k.index(1), {}, nextRow);
  k.workgroupBarrier();
}

//===----------------------------------------------------------------------===//
// A tile
//===----------------------------------------------------------------------===//

/// Lanes that read every fourth quad find different banks.
Value ScanEmitter::paddedQuad(Value quad) { return k(quad) + k(quad) / 32; }
/// So do lanes that read every sixteenth block.
Value ScanEmitter::paddedBlock(Value block) {
  return k(block) + k(block) / ScanOrder::kBlocksPerGroup;
}

/// The place in quad memory of a quad in this lane's column.
Value ScanEmitter::placeInRow(Value row) {
  return paddedQuad(k(row) * kLanes + lane);
}
/// The place in quad memory of quad `i` of this lane's block.
Value ScanEmitter::placeInBlock(Value i) {
  return paddedQuad(k(lane) * layout.space.quadsPerBlock + i);
}

void ScanEmitter::storeTotal(const Quad &quad, Value row) {
  store(quadMemory, quad.inclusive.back(), placeInRow(row));
}

/// The total of the quads of this lane's block.
ScanEmitter::Values ScanEmitter::foldBlock() {
  int64_t perBlock = layout.space.quadsPerBlock;
  Values block = load(quadMemory, placeInBlock(k.index(0)));
  auto next = [&](Value i, ValueRange total) {
    return combine(Values(total), load(quadMemory, placeInBlock(i)));
  };
  if (inLoops())
    return k.loop(k.index(1), lastRow(perBlock), k.index(1), block, next);
  for (int64_t i = 1; i < perBlock; ++i)
    block = next(k.index(i), block);
  return block;
}

/// Leaves what lies before each quad of this lane's block in its place.
void ScanEmitter::prefixBlock(const Partial &before) {
  Values first = load(quadMemory, placeInBlock(k.index(0)));
  store(quadMemory, before.values, placeInBlock(k.index(0)));
  auto next = [&](Value i, ValueRange quads) {
    Value at = placeInBlock(i);
    Values own = load(quadMemory, at);
    store(quadMemory, join(before, {Values(quads), Value()}).values, at);
    return combine(Values(quads), own);
  };
  int64_t perBlock = layout.space.quadsPerBlock;
  if (inLoops()) {
    k.loop(k.index(1), lastRow(perBlock), k.index(1), first, next);
    return;
  }
  for (int64_t i = 1; i < perBlock; ++i)
    first = next(k.index(i), first);
}

/// Makes of the totals of quads in workgroup memory what lies before each of
/// them in the tile, but for the first. The total of the tile is left behind
/// those of the groups, and published as that of `tile`, if given.
void ScanEmitter::foldTile(Value tile) {
  constexpr int64_t kGroup = ScanOrder::kBlocksPerGroup;
  store(blockMemory, foldBlock(), paddedBlock(lane));
  k.workgroupBarrier();
  k.ifThen(k(lane) < ScanOrder::kGroupsPerTile, [&] {
    Value own = paddedBlock(k(lane) * kGroup);
    store(groupMemory,
          foldInPlace(blockMemory, own, kGroup, ScanOrder::kGroupsPerTile),
          lane);
  });
  k.workgroupBarrier();
  k.ifThen(k(lane) < 1, [&] {
    Values all =
        foldInPlace(groupMemory, k.index(0), ScanOrder::kGroupsPerTile, 1);
    if (tile)
      publish(all, tile);
    store(groupMemory, all, k.index(kTotal));
  });
  k.workgroupBarrier();
  Expr group = k(lane) / kGroup;
  Partial groups = {load(groupMemory, group), 0 < group};
  Partial blocks = {load(blockMemory, paddedBlock(lane)),
                    k.index(0) < k(lane) % kGroup};
  prefixBlock(join(groups, blocks));
}

void ScanEmitter::emitTile(Value tile, TileShape shape) {
  SmallVector<Quad> quads;
  Values kept;
  if (inLoops()) {
    kept = loadRows(tile, shape);
  } else {
    quads = loadTile(tile, shape);
    kept = compact ? packKept(quads) : Values();
  }
  k.workgroupBarrier();
  if (layout.looksBack())
    mark = readMark();
  foldTile(layout.looksBack() ? tile : Value());
  Partial before;
  Partial all = {load(groupMemory, k.index(kTotal)), Value()};
  if (layout.looksBack())
    before = lookBack(tile, shape);
  else
    k.workgroupBarrier();
  if (compact) {
    emitCount(tile, layout.looksBack() ? join(before, all) : all);
    emitCompacted({tile, shape, kept, takeBegins(), all.values.front()},
                  before);
  } else if (inLoops()) {
    emitRows(tile, before, shape);
  } else {
    emitResults(quads, before, shape);
  }
}

LogicalResult ScanEmitter::run() {
  lane = k.laneId();
  bool hasSpans = layout.space.spans() > 1;
  int64_t quads = kLanes * layout.space.quadsPerBlock;
  quadMemory = allocate(quads + quads / 32);
  blockMemory =
      allocate((kLanes + ScanOrder::kGroupsPerTile) * (hasSpans ? kSeries : 1));
  groupMemory = allocate(kSeriesTotal + kSeries);
  if (compact)
    rowMemory = k.allocateWorkgroup(k.ir().getI32Type(),
                                    layout.space.quadsPerBlock + 1);
  int64_t full = layout.fullTiles(), tiles = layout.space.tiles();
  // Where loads are as wide in the last tile, one code does for all of them,
  // and it has to where code is to be short.
  bool isUniform =
      full == tiles || tileShape(/*whole=*/false).vector > 1 || inLoops();
  if (!layout.looksBack()) {
    emitTile(k.index(0), tileShape(full == tiles));
    return failure(failed_);
  }
  words = k.allocateWorkgroup(k.ir().getI32Type(), kSharedWords);
  auto oneTile = [&](Value turn, ValueRange) {
    takeTicket();
    Expr tile = k(turn) * layout.groups + k.groupId();
    forOnce(tile < (isUniform ? tiles : full),
            [&] { emitTile(tile, tileShape(full == tiles || !isUniform)); });
    if (!isUniform)
      forOnce(tile == full,
              [&] { emitTile(tile, tileShape(/*whole=*/false)); });
    if (layout.tilesPerGroup() > 1)
      k.workgroupBarrier(); // Workgroup memory is used again.
    return Values();
  };
  k.loop(k.index(0), k.index(layout.tilesPerGroup()), k.index(1), {}, oneTile,
         /*runs=*/true);
  return failure(failed_);
}
