//===- ScanEmitter.h - a kernel around a scan -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the scan emitter: Scan.cpp takes a tile, ScanPartials.cpp has
// partial results, ScanTotals.cpp is what workgroups tell each other,
// ScanLookBack.cpp finds what comes before a tile, and ScanResults.cpp and
// ScanCompact.cpp write what is made of it.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/family/RootEmitter.h"
#include "kernels/scan/ScanLayout.h"

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
  /// What a compact operation keeps of a tile.
  struct Kept {
    Value tile;
    TileShape shape;
    Values bits;   ///< Of the elements of this lane, one each.
    Values begins; ///< Of its quads in what is kept of the tile, two to a word.
    Value count;
  };

  // Partial results.
  Values combine(const Values &a, const Values &b);
  Partial join(const Partial &a, const Partial &b);
  Values choose(Value condition, const Values &a, const Values &b);
  SmallVector<Value> allocate(int64_t count);
  Values load(ArrayRef<Value> memory, Value at);
  SmallVector<Values> loadSeveral(ArrayRef<Value> memory, Value first, Value j);
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
  Value firstOfQuad(Value tile, Value row);
  Value positionInQuad(Value first, int64_t v, TileShape shape);
  Quad loadQuad(Value tile, Value row, TileShape shape);
  void loadElements(Quad &quad, Value position, TileShape shape);

  /// Whether the form for GPUs, which have subgroups of 32 lanes, is not
  /// wanted.
  bool inLoops() const { return !layout.subgroups; }

  // Rows of quads one after the other, with little code.
  using RowBuilder = function_ref<Values(Value row, ValueRange carried)>;
  Value lastRow(int64_t count);
  Values forRows(const Values &initial, RowBuilder body);
  Values loadRows(Value tile, TileShape shape);
  void emitRows(Value tile, const Partial &before, TileShape shape);
  Value placeInBlock(Value i);

  // A tile.
  void emitTile(Value tile, TileShape shape);
  SmallVector<Quad> loadTile(Value tile, TileShape shape);
  void loadTotals(Value tile, TileShape shape);
  void foldQuad(Quad &quad);
  void storeTotal(const Quad &quad, Value row);
  void foldTile(Value tile);
  Values foldBlock();
  void prefixBlock(const Partial &before);
  Value placeInRow(Value row);
  Value paddedQuad(Value quad);
  Value paddedBlock(Value block);

  // What workgroups tell each other.
  static constexpr uint32_t kMark = 1 << 16; ///< Of runs: once, twice this.
  void publish(const Values &values, Value number);
  SmallVector<Value> lookAt(Value number);
  Value isMarked(ArrayRef<Value> words);
  Values valuesOf(ArrayRef<Value> words);

  // What comes before it.
  enum SharedWord { kSharedWord, kTicket, kIsMissing, kSharedWords };
  Value loadShared(SharedWord which);
  Value shareWord(function_ref<Value()> ofLane0);
  void takeTicket();
  Value readMark();
  SmallVector<Wanted> wantedTotals(Value span, Value own);
  std::pair<SmallVector<Value>, Value> await(ArrayRef<Wanted> totals);
  Value tileEntry(Value span);
  Value spanEntry(Value span);
  void makeTotals(Value span, Value own, TileShape shape);
  void makeSpan(Value number);
  SmallVector<Value> fillIn(Value span, Value own, TileShape shape,
                            ArrayRef<Wanted> totals);
  void foldClusters(ArrayRef<Value> counts);
  Partial beforeSpan(Value span, Value own);
  Partial lookBack(Value tile, TileShape shape);

  // Results.
  void emitResults(ArrayRef<Quad> quads, const Partial &before,
                   TileShape shape);
  void emitScanned(const Quad &quad, const Partial &before, TileShape shape);
  Values scanned(const Quad &quad, unsigned i, const Partial &before);
  Values packKept(ArrayRef<Quad> quads);
  Values takeBegins();
  Value rowBegin(Value row);
  Value partOf(ArrayRef<Value> words, Value row, int64_t bits);
  void stageKept(Value payload, const Kept &kept, Value row, int64_t rows);
  void storeKept(unsigned binding, RankedTensorType type, Value start,
                 Value count, int64_t rows);
  void emitCompacted(const Kept &kept, const Partial &before);
  void emitCount(Value tile, const Partial &all);
  Value inside(const Quad &quad, unsigned i);

  ScanOp scan; ///< Or null, and `compact`.
  CompactOp compact;
  const ScanLayout &layout;
  SmallVector<Type> slots;
  Value lane;
  Value mark; ///< Of the words that this run writes.
  // Workgroup memory: totals, then prefixes, of quads, blocks and groups, and
  // in the same place totals of tiles and clusters; behind those of groups the
  // total of the tile, and what comes before it. Words for all lanes.
  static constexpr int64_t kSeries = 3; ///< Of clusters: see lookBack().
  static constexpr int64_t kTotal = kSeries * ScanOrder::kGroupsPerTile;
  static constexpr int64_t kSeriesTotal = kTotal + 1;
  SmallVector<Value> quadMemory, blockMemory, groupMemory;
  Value rowMemory; ///< Of a compact operation: where rows of quads begin.
  Value words;
};

} // namespace mlir::gpuvm
