//===- ScanEmitter.h - a kernel around a scan -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the scan emitter: Scan.cpp takes a tile, ScanPartials.cpp has
// partial results, ScanLookBack.cpp finds what comes before a tile, and
// ScanResults.cpp writes what is made of it.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/Emitter.h"

namespace mlir::gpuvm {

class ScanEmitter : protected RootEmitter {
public:
  explicit ScanEmitter(EmitterContext &context);
  LogicalResult run();

private:
  using Values = SmallVector<Value>; ///< One per slot.
  /// A partial result that may not be there.
  struct Partial {
    Values values;
    Value exists; ///< Null if it surely is there.
  };
  /// A total that a lane waits for, if it needs it.
  struct Wanted {
    Value number, isNeeded;
  };
  /// Four neighbouring positions of a lane.
  struct Quad {
    SmallVector<ElementEmitter::Point> points; ///< One per load.
    Value first;                               ///< The first position.
    SmallVector<Values> elements;
    SmallVector<Values> inclusive; ///< From the first element on.
  };
  /// How the elements of a tile are taken.
  struct TileShape {
    int64_t vector;
    bool whole; ///< All positions of the tile are there.
  };

  // Partial results.
  Values combine(const Values &a, const Values &b);
  Partial join(const Partial &a, const Partial &b);
  Values choose(Value condition, const Values &a, const Values &b);
  SmallVector<Value> allocate(int64_t count);
  Values load(ArrayRef<Value> memory, Value at);
  void store(ArrayRef<Value> memory, const Values &values, Value at);
  Values foldInPlace(ArrayRef<Value> memory, Value first, int64_t count,
                     int64_t folding);
  Values fold(ArrayRef<Value> memory, Value first, Value count);
  Values onGpu(function_ref<Values()> unrolled, function_ref<Values()> inLoop);
  void forOnce(Value condition, function_ref<void()> body);

  // Elements.
  TileShape tileShape(bool whole) const;
  ElementEmitter::Point pointAt(Value position, int64_t vector, bool next);
  Value stepOf(Value position);
  Quad loadQuad(Value tile, int64_t row, TileShape shape);
  void loadElements(Quad &quad, Value position, TileShape shape);

  // A tile.
  void emitTile(Value tile, TileShape shape);
  SmallVector<Quad> loadTile(Value tile, TileShape shape);
  SmallVector<Partial> foldTile(ArrayRef<Quad> quads);
  Value paddedQuad(Value quad);
  Value paddedBlock(Value block);

  // What comes before it.
  Value takeTicket();
  Value isThere(Value number);
  Value waitFor(ArrayRef<Wanted> totals);
  void publish(const Values &values, Value number);
  Values loadTotal(Value number);
  Partial foldLanes(const Values &values, Value count);
  Partial foldSpansBefore(Value span);
  Value awaitTotals(Value span, Value own);
  void fillIn(Value span, Value own);
  void fillInTile(Value tile);
  Value shareWord(function_ref<Value()> ofLane0);
  Partial lookBack(Value tile, const Values &total);
  void finish();

  // Results.
  void emitResults(ArrayRef<Quad> quads, Value tile, TileShape shape);
  void emitScanned(const Quad &quad, const Partial &before, TileShape shape);
  Values scanned(const Quad &quad, unsigned i, const Partial &before);
  void emitCompacted(const Quad &quad, const Partial &before, TileShape shape);
  void emitCount(Value tile, const Partial &all);
  Value inside(const Quad &quad, unsigned i);

  ScanOp scan; ///< Or null, and `compact`.
  CompactOp compact;
  const ScanLayout &layout;
  SmallVector<Type> slots;
  Value lane;
  // Workgroup memory: totals, then prefixes, of quads, blocks and groups;
  // behind these the total of the tile, and of what comes before it. A word of
  // lane 0's for all lanes, and whether totals are missing.
  SmallVector<Value> quadMemory, blockMemory, groupMemory;
  Value word;
};

} // namespace mlir::gpuvm
