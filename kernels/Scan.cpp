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

#include "kernels/ScanEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

static constexpr int64_t kLanes = ScanOrder::kBlocksPerTile;
static_assert(kLanes == KernelConfig::kLanes, "a lane has a block");
static constexpr int64_t kQuads = kLanes * ScanOrder::kQuadsPerBlock;

ScanEmitter::ScanEmitter(EmitterContext &context)
    : RootEmitter(context), layout(*context.config.scan),
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
  return k.rem(position, layout.space.length());
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
  Value row = k.div(position, space.length()), step = stepOf(position);
  if (space.reverse)
    step = k.sub(k.index(space.length() - 1), step);
  if (next)
    step = k.min(k.add(step, k.index(1)), k.index(space.length() - 1));
  SmallVector<LaneIndex> indices = delinearize(
      k, {k.div(row, space.inner()), 0, 1}, shape.take_front(space.dimension));
  indices.push_back({step, vector > 1, vector});
  llvm::append_range(indices,
                     delinearize(k, {k.rem(row, space.inner()), 0, 1},
                                 shape.drop_front(space.dimension + 1)));
  return c.elements.point(indices, shape);
}

/// Whether position `i` of the quad is there; null if it surely is.
Value ScanEmitter::inside(const Quad &quad, unsigned i) {
  return k.less(k.add(quad.first, k.index(i)), k.index(layout.space.count()));
}

/// Loads the elements from `position` on, as many as are loaded at once.
void ScanEmitter::loadElements(Quad &quad, Value position, TileShape shape) {
  ElementEmitter::Point at = pointAt(position, shape.vector, /*next=*/false);
  quad.points.push_back(at);
  auto read = [&](Value tensor, ElementEmitter::Point where) {
    FailureOr<Lanes> lanes = c.elements.emit(tensor, where);
    if (check(lanes))
      return *lanes;
    return Lanes(shape.vector, k.zero(getElementTypeOrSelf(tensor)));
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
        keep = k.both(keep, inside(quad, quad.elements.size()));
      element.front() =
          arith::ExtUIOp::create(k.ir(), k.loc(), k.ir().getI32Type(), keep);
    }
    if (layout.segmented) {
      Value begins = v == 0 ? k.equal(stepOf(position), k.index(0))
                            : k.zero(k.ir().getI1Type());
      element.push_back(heads.empty() ? begins : k.either(begins, heads[v]));
    }
    quad.elements.push_back(element);
  }
}

ScanEmitter::Quad ScanEmitter::loadQuad(Value tile, int64_t row,
                                        TileShape shape) {
  Quad quad;
  quad.first = k.add(k.add(k.mul(tile, ScanOrder::kTile),
                           k.index(row * kLanes * ScanOrder::kQuad)),
                     k.mul(lane, ScanOrder::kQuad));
  for (int64_t v = 0; v < ScanOrder::kQuad; v += shape.vector) {
    Value position = k.add(quad.first, k.index(v));
    if (!shape.whole) // Behind the last element that one again.
      position = k.min(position, k.index(layout.space.count() - shape.vector));
    loadElements(quad, position, shape);
  }
  return quad;
}

SmallVector<ScanEmitter::Quad> ScanEmitter::loadTile(Value tile,
                                                     TileShape shape) {
  c.elements.begin(shape.vector);
  SmallVector<Quad> quads;
  for (int64_t row = 0; row < ScanOrder::kQuadsPerBlock; ++row)
    quads.push_back(loadQuad(tile, row, shape));
  for (Quad &quad : quads)
    for (auto [i, element] : llvm::enumerate(quad.elements))
      quad.inclusive.push_back(
          i == 0 ? element : combine(quad.inclusive.back(), element));
  return quads;
}

//===----------------------------------------------------------------------===//
// A tile
//===----------------------------------------------------------------------===//

/// Lanes that read every fourth quad find different banks.
Value ScanEmitter::paddedQuad(Value quad) {
  return k.add(quad, k.div(quad, 32));
}
/// So do lanes that read every sixteenth block.
Value ScanEmitter::paddedBlock(Value block) {
  return k.add(block, k.div(block, ScanOrder::kBlocksPerGroup));
}

/// What lies before each quad of this lane's block in the tile. The total of
/// the tile is left behind those of the groups.
SmallVector<ScanEmitter::Partial> ScanEmitter::foldTile(ArrayRef<Quad> quads) {
  constexpr int64_t kGroup = ScanOrder::kBlocksPerGroup;
  for (auto [row, quad] : llvm::enumerate(quads))
    store(quadMemory, quad.inclusive.back(),
          paddedQuad(k.add(k.index(row * kLanes), lane)));
  k.workgroupBarrier();
  SmallVector<Values> before = {{}};
  Value first = k.mul(lane, ScanOrder::kQuadsPerBlock);
  Values total = load(quadMemory, paddedQuad(first));
  for (int64_t i = 1; i < ScanOrder::kQuadsPerBlock; ++i) {
    before.push_back(total);
    total =
        combine(total, load(quadMemory, paddedQuad(k.add(first, k.index(i)))));
  }
  store(blockMemory, total, paddedBlock(lane));
  k.workgroupBarrier();
  k.ifThen(k.less(lane, k.index(ScanOrder::kGroupsPerTile)), [&] {
    Value own = paddedBlock(k.mul(lane, kGroup));
    store(groupMemory,
          foldInPlace(blockMemory, own, kGroup, ScanOrder::kGroupsPerTile),
          lane);
  });
  k.workgroupBarrier();
  k.ifThen(k.less(lane, k.index(1)), [&] {
    store(groupMemory,
          foldInPlace(groupMemory, k.index(0), ScanOrder::kGroupsPerTile, 1),
          k.index(ScanOrder::kGroupsPerTile));
  });
  k.workgroupBarrier();
  Value group = k.div(lane, kGroup);
  Partial groups = {load(groupMemory, group), k.less(k.index(0), group)};
  Partial blocks = {load(blockMemory, paddedBlock(lane)),
                    k.less(k.index(0), k.rem(lane, kGroup))};
  SmallVector<Partial> prefixes = {join(groups, blocks)};
  for (const Values &values : llvm::drop_begin(before))
    prefixes.push_back(join(prefixes.front(), {values, Value()}));
  return prefixes;
}

void ScanEmitter::emitTile(Value tile, TileShape shape) {
  SmallVector<Quad> quads = loadTile(tile, shape);
  SmallVector<Partial> prefixes = foldTile(quads);
  // Of the tile, and with what comes before it.
  Partial all = {load(groupMemory, k.index(ScanOrder::kGroupsPerTile)),
                 Value()};
  if (layout.looksBack()) {
    Partial before = lookBack(tile, all.values);
    all = join(before, all);
    for (Partial &prefix : prefixes)
      prefix = join(before, prefix);
  }
  Value first = k.mul(lane, ScanOrder::kQuadsPerBlock);
  for (auto [i, prefix] : llvm::enumerate(prefixes))
    store(quadMemory, prefix.values,
          paddedQuad(k.add(first, k.index(static_cast<int64_t>(i)))));
  k.workgroupBarrier();
  emitResults(quads, tile, shape);
  if (compact)
    emitCount(tile, all);
  if (layout.tilesPerGroup() > 1)
    k.workgroupBarrier(); // Workgroup memory is used again.
}

LogicalResult ScanEmitter::run() {
  lane = k.laneId();
  quadMemory = allocate(kQuads + kQuads / 32);
  blockMemory = allocate(kLanes + ScanOrder::kGroupsPerTile);
  groupMemory = allocate(ScanOrder::kGroupsPerTile + 2);
  int64_t full = layout.fullTiles();
  bool hasRest = full < layout.space.tiles();
  if (!layout.looksBack()) {
    emitTile(k.index(0), tileShape(!hasRest));
    return failure(failed_);
  }
  word = k.allocateWorkgroup(k.ir().getI32Type(), 2);
  auto oneTile = [&](Value, ValueRange) {
    Value tile = takeTicket();
    forOnce(k.less(tile, k.index(full)),
            [&] { emitTile(tile, tileShape(/*whole=*/true)); });
    if (hasRest)
      forOnce(k.equal(tile, k.index(full)),
              [&] { emitTile(tile, tileShape(/*whole=*/false)); });
    return Values();
  };
  k.loop(k.index(0), k.index(layout.tilesPerGroup()), k.index(1), {}, oneTile,
         /*runs=*/true);
  finish();
  return failure(failed_);
}

LogicalResult gpuvm::emitScan(EmitterContext &context) {
  return ScanEmitter(context).run();
}
