//===- HaloMap.cpp - maps that hold what their results read around --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A workgroup takes tile after tile. For each it fills a box of workgroup
// memory for each held value, those that others are made of first, and then
// makes the tile's results. Boxes wrap around where a tensor ends: what lies
// there belongs to the other end (of a rotation) or is selected by nothing (of
// padding).
//
//===----------------------------------------------------------------------===//

#include "kernels/family/ResultStores.h"
#include "kernels/map/HaloTile.h"
#include "kernels/map/MapEmitter.h"
#include "kernels/map/MapLayout.h"

#include <map>

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class HaloMap : RootEmitter {
public:
  explicit HaloMap(EmitterContext &context)
      : RootEmitter(context), tile(context.layoutAs<MapLayout>().tile) {}
  LogicalResult run();

private:
  struct Box {
    Value value, memory;
    Reach reach;
    SmallVector<int64_t> shape;
  };
  /// A number of each dimension of the loops.
  using Place = SmallVector<Value>;

  void emitTile(Value number);
  void fill(const Box &box);
  void makeResults();
  void makeResult();
  void eachOf(ArrayRef<int64_t> shape,
              function_ref<void(ArrayRef<Value> own)> use);
  FailureOr<Value> read(Value held, ArrayRef<LaneIndex> indices);
  ElementEmitter::Point placeAt(ArrayRef<Value> index, ArrayRef<int64_t> shape);

  ArrayRef<int64_t> tile;
  SmallVector<int64_t> loops;
  std::vector<Box> boxes;
  Place start; ///< Of the present tile.
  Place local; ///< Of the place where emission began, from `start` on.
  SmallVector<unsigned> dims; ///< The loop of each of its indices.
  /// Which of a lane's neighbouring results is emitted, along `dim`.
  struct {
    unsigned dim;
    int64_t number;
  } item = {};
  /// What has been read for them, by value and offsets from the first one.
  std::map<std::pair<const void *, std::vector<int64_t>>, Value> known;
};
} // namespace

/// The row-major position of an element in `shape`.
static Value positionIn(KernelBuilder &k, ArrayRef<Value> indices,
                        ArrayRef<int64_t> shape) {
  Value position = k.index(0);
  for (auto [d, index] : llvm::enumerate(indices))
    position = d == 0 ? index : Value(k(position) * shape[d] + index);
  return position;
}

/// Deals the elements of a box to the lanes.
void HaloMap::eachOf(ArrayRef<int64_t> shape,
                     function_ref<void(ArrayRef<Value> own)> use) {
  int64_t count = ShapedType::getNumElements(shape);
  auto one = [&](Value element, ValueRange) {
    SmallVector<Value> own;
    for (const LaneIndex &index : delinearize(k, {element, 0, 1}, shape))
      own.push_back(index.base);
    use(own);
    return SmallVector<Value>();
  };
  Value first = k.laneId();
  if (count == c.layout.lanes)
    one(first, {});
  else
    k.loop(first, k.index(count), k.index(c.layout.lanes), {}, one,
           /*runs=*/count > c.layout.lanes);
}

/// An element from which the emission of others begins.
ElementEmitter::Point HaloMap::placeAt(ArrayRef<Value> index,
                                       ArrayRef<int64_t> shape) {
  SmallVector<LaneIndex> place;
  for (auto [d, base] : llvm::enumerate(index))
    place.push_back({base, 0, 1, 0, shape[d] - 1,
                     IndexAnchor{static_cast<unsigned>(d), 0}});
  c.elements.begin(1);
  return c.elements.point(place, shape);
}

void HaloMap::fill(const Box &box) {
  ArrayRef<int64_t> shape = typeOf(box.value).getShape();
  auto hold = box.value.getDefiningOp<flow::HoldOp>();
  Value made = hold.getValues()[cast<OpResult>(box.value).getResultNumber()];
  dims.assign(box.reach.dims.begin(), box.reach.dims.end());
  eachOf(box.shape, [&](ArrayRef<Value> own) {
    Place index;
    local.clear();
    known.clear();
    for (auto [d, dim] : llvm::enumerate(box.reach.dims)) {
      local.push_back(k(own[d]) + box.reach.low[d]);
      index.push_back(
          (k(start[dim]) + own[d] + llvm::mod(box.reach.low[d], shape[d])) %
          shape[d]);
    }
    FailureOr<Lanes> element = c.elements.emit(made, placeAt(index, shape));
    if (check(element))
      k.storeWorkgroup(box.memory, element->front(),
                       positionIn(k, own, box.shape));
  });
}

/// In the box of `held`, which has what lies around the place where emission
/// began. What an earlier result of the lane has read there is known.
FailureOr<Value> HaloMap::read(Value held, ArrayRef<LaneIndex> indices) {
  const Box &box =
      *llvm::find_if(boxes, [&](const Box &b) { return b.value == held; });
  ArrayRef<int64_t> shape = typeOf(held).getShape();
  SmallVector<Value> own;
  std::vector<int64_t> offsets;
  for (auto [d, index] : llvm::enumerate(indices)) {
    unsigned dim = box.reach.dims[d];
    if (index.anchor && dims[index.anchor->dim] == dim) {
      int64_t offset = wrapOffset(index.anchor->offset, shape[d]);
      own.push_back(k(local[index.anchor->dim]) + (offset - box.reach.low[d]));
      offsets.push_back(offset + (item.dim == dim ? item.number : 0));
      continue;
    }
    // From the box's first element on, around the end of the tensor.
    Expr first =
        (k(start[dim]) + llvm::mod(box.reach.low[d], shape[d])) % shape[d];
    Expr distance = (k(index.base) + shape[d] - first) % shape[d];
    own.push_back(min(distance, box.shape[d] - 1));
  }
  auto load = [&] {
    return k.loadWorkgroup(box.memory, typeOf(held).getElementType(),
                           positionIn(k, own, box.shape));
  };
  if (offsets.size() < indices.size())
    return load();
  Value &value = known[{held.getAsOpaquePointer(), std::move(offsets)}];
  if (!value)
    value = load();
  return value;
}

/// A lane takes a few results along one dimension, which share most of what
/// they read.
void HaloMap::makeResults() {
  const int64_t perLane = c.layout.unroll;
  dims = llvm::to_vector(llvm::seq<unsigned>(loops.size()));
  SmallVector<int64_t> shared(tile);
  unsigned along = getSharingDim(tile);
  shared[along] /= perLane;
  eachOf(shared, [&](ArrayRef<Value> own) {
    known.clear();
    for (int64_t i = 0; i < perLane; ++i) {
      local.assign(own.begin(), own.end());
      if (perLane > 1)
        local[along] = k(own[along]) * perLane + i;
      item = {along, i};
      makeResult();
    }
    item = {};
    known.clear();
  });
}

/// The results at `local`.
void HaloMap::makeResult() {
  Place index;
  Value isInside;
  for (auto [d, from] : llvm::enumerate(start)) {
    Expr at = k(from) + local[d];
    if (loops[d] % tile[d] != 0) {
      Value inside = at < loops[d];
      isInside = isInside ? Value(k(isInside) & inside) : inside;
      at = min(at, loops[d] - 1);
    }
    index.push_back(at);
  }
  ElementEmitter::Point at = placeAt(index, loops);
  SmallVector<StoredResult> made;
  for (auto [value, binding] : getStoredResults(c)) {
    if (typeOf(value).getShape() != ArrayRef(loops))
      continue;
    FailureOr<Lanes> element = c.elements.emit(value, at);
    if (!check(element))
      return;
    made.push_back({element->front(), binding});
  }
  Value position = c.elements.position(at).base;
  auto store = [&] {
    for (auto [value, binding] : made)
      k.store(binding, value, position);
  };
  if (isInside)
    k.ifThen(isInside, store);
  else
    store();
}

void HaloMap::emitTile(Value number) {
  SmallVector<int64_t> tiles;
  for (auto [range, size] : llvm::zip_equal(loops, tile))
    tiles.push_back(llvm::divideCeil(range, size));
  start.clear();
  for (auto [index, size] :
       llvm::zip_equal(delinearize(k, {number, 0, 1}, tiles), tile))
    start.push_back(k(index.base) * size);
  for (const Box &box : boxes) {
    fill(box);
    k.workgroupBarrier();
  }
  makeResults();
}

LogicalResult HaloMap::run() {
  loops = llvm::to_vector(
      cast<RankedTensorType>(c.op->getResult(0).getType()).getShape());
  std::optional<SmallVector<HaloValue>> halos = findHalos(c.op);
  if (!halos || tile.empty())
    return c.op.emitOpError("holds what its results do not read around their "
                            "place, or more than workgroup memory has");
  for (auto [value, halo] : llvm::zip_equal(getHeldValues(c.op), *halos)) {
    SmallVector<int64_t> shape;
    for (auto [dim, low, high] :
         llvm::zip_equal(halo.reach.dims, halo.reach.low, halo.reach.high))
      shape.push_back(tile[dim] + high - low);
    Type type = typeOf(value).getElementType();
    boxes.push_back({value,
                     k.allocateWorkgroup(type, halo.reach.boxElements(tile)),
                     halo.reach, shape});
  }
  c.elements.onHeld([this](Value held, ArrayRef<LaneIndex> indices) {
    return read(held, indices);
  });
  int64_t tiles = countTiles(loops, tile);
  if (failed(emitSingleElements(c)))
    return failure();
  if (tiles == c.layout.groups) {
    emitTile(k.groupId());
    return failure(failed_);
  }
  k.loop(
      k.groupId(), k.index(tiles), k.index(c.layout.groups), {},
      [&](Value number, ValueRange) {
        emitTile(number);
        k.workgroupBarrier(); // Workgroup memory is used again.
        return SmallVector<Value>();
      },
      /*runs=*/c.layout.groups <= tiles);
  return failure(failed_);
}

LogicalResult gpuvm::emitHaloMap(EmitterContext &c) { return HaloMap(c).run(); }
