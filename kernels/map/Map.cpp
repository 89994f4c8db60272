//===- Map.cpp - kernels whose results are made element by element --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of lanes x vector x unroll elements, one workgroup a tile, tiles dealt
// round robin (grid stride). What is left over behind the last full tile is
// done one element a lane. One lane computes results of a single element.
//
//===----------------------------------------------------------------------===//

#include "kernels/map/MapEmitter.h"

#include "kernels/family/ResultStores.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
struct PendingStore {
  unsigned binding;
  Lanes values;
  Value at;
};
} // namespace

/// Whether `yielded` is a single element where other results have more.
static bool isSingleElement(const EmitterContext &c, Value yielded) {
  return typeOf(yielded).getNumElements() != c.layout.elements;
}

/// Emits the elements of every result from `first` on, which is a multiple of
/// `divisor`, and says what to store where: stores come after all loads of a
/// tile, because a driver may not move a load over a store.
static LogicalResult emitElements(EmitterContext &c, Value first,
                                  int64_t divisor,
                                  SmallVectorImpl<PendingStore> &stores) {
  LaneIndex index = {first, /*stride=*/1, divisor};
  llvm::DenseMap<ArrayRef<int64_t>, ElementEmitter::Point> points;
  for (auto [value, binding] : getStoredResults(c)) {
    if (isSingleElement(c, value))
      continue;
    ArrayRef<int64_t> shape = typeOf(value).getShape();
    auto [entry, isNew] = points.try_emplace(shape, 0);
    if (isNew)
      entry->second = c.elements.flatPoint(index, shape);
    FailureOr<Lanes> values = c.elements.emit(value, entry->second);
    if (failed(values))
      return failure();
    stores.push_back({binding, *values, first});
  }
  return success();
}

static LogicalResult emitTile(EmitterContext &c, Value tile) {
  const KernelLayout &layout = c.layout;
  KernelBuilder &k = c.kernel;
  int64_t row = layout.lanes * layout.vector;
  Value lane = k.laneId() * layout.vector;
  Expr base = k(tile) * (row * layout.unroll) + lane;
  SmallVector<PendingStore> stores;
  c.elements.begin(layout.vector);
  for (int64_t u = 0; u < layout.unroll; ++u)
    if (failed(emitElements(c, base + u * row, layout.vector, stores)))
      return failure();
  for (PendingStore &store : stores)
    k.storeVector(store.binding, store.values, store.at);
  return success();
}

LogicalResult gpuvm::emitElement(EmitterContext &c, Value i,
                                 function_ref<Value()> mayStore) {
  SmallVector<PendingStore> stores;
  c.elements.begin(1);
  if (failed(emitElements(c, i, 1, stores)))
    return failure();
  auto storeAll = [&] {
    for (PendingStore &store : stores)
      c.kernel.store(store.binding, store.values.front(), store.at);
  };
  if (mayStore)
    c.kernel.ifThen(mayStore(), storeAll);
  else
    storeAll();
  return success();
}

static LogicalResult emitLeftover(EmitterContext &c, int64_t from) {
  const KernelLayout &layout = c.layout;
  KernelBuilder &k = c.kernel;
  LogicalResult result = success();
  Expr thread = k.groupId() * layout.lanes + k.laneId();
  if (from == 0 && layout.elements <= layout.groups * layout.lanes) {
    k.ifThen(thread < layout.elements,
             [&] { result = emitElement(c, thread); });
    return result;
  }
  k.loop(from + thread, k.index(layout.elements),
         k.index(layout.groups * layout.lanes), {}, [&](Value i, ValueRange) {
           result = emitElement(c, i);
           return SmallVector<Value>();
         });
  return result;
}

LogicalResult gpuvm::emitSingleElements(EmitterContext &c) {
  KernelBuilder &k = c.kernel;
  SmallVector<StoredResult> singles = getStoredResults(c);
  llvm::erase_if(singles, [&](const StoredResult &result) {
    return !isSingleElement(c, result.value);
  });
  if (singles.empty())
    return success();
  LogicalResult result = success();
  auto emitAll = [&] {
    SmallVector<PendingStore> stores;
    c.elements.begin(1);
    for (auto [value, binding] : singles) {
      LaneIndex first = {k.index(0), /*stride=*/1, /*divisor=*/1};
      FailureOr<Lanes> element = c.elements.emit(
          value, c.elements.flatPoint(first, typeOf(value).getShape()));
      if (failed(element))
        result = failure();
      else
        stores.push_back({binding, *element, first.base});
    }
    for (PendingStore &store : stores)
      k.store(store.binding, store.values.front(), store.at);
  };
  Expr thread = k.groupId() * c.layout.lanes + k.laneId();
  k.ifThen(thread == 0, emitAll);
  return result;
}

LogicalResult gpuvm::emitMap(EmitterContext &c) {
  const KernelLayout &layout = c.layout;
  KernelBuilder &k = c.kernel;
  int64_t tile = layout.lanes * layout.vector * layout.unroll;
  int64_t tiles = layout.elements / tile;
  // With an element for a lane, no lane has one of a tile and one of the rest.
  if (tile == layout.lanes && layout.elements % tile != 0 &&
      tiles < layout.groups)
    tiles = 0;
  if (failed(emitSingleElements(c)))
    return failure();
  LogicalResult result = success();
  if (tiles == layout.groups)
    result = emitTile(c, k.groupId());
  else if (tiles > 0)
    k.loop(
        k.groupId(), k.index(tiles), k.index(layout.groups), {},
        [&](Value t, ValueRange) {
          result = emitTile(c, t);
          return SmallVector<Value>();
        },
        /*runs=*/layout.groups <= tiles);
  if (succeeded(result) && tiles * tile < layout.elements)
    result = emitLeftover(c, tiles * tile);
  return result;
}
