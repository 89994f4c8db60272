//===- SortRuns.cpp - runs that one workgroup sorts -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/sort/BallotTile.h"
#include "kernels/sort/SortEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class SortRuns : SortEmitter {
public:
  SortRuns(EmitterContext &context, SortRunsOp op)
      : SortEmitter(context, op), op(op) {}

  LogicalResult run();

private:
  using PlaceFn = function_ref<Value(int64_t item)>;

  void writeRun(const Piece &piece, ArrayRef<Value> elements, PlaceFn placeOf);
  LogicalResult sortByLanes();
  LogicalResult sortByBallots();

  SortRunsOp op;
};
} // namespace

/// Stores the elements of a lane, which are in order: element i is that of
/// place placeOf(i) of the run.
void SortRuns::writeRun(const Piece &piece, ArrayRef<Value> elements,
                        PlaceFn placeOf) {
  // What is kept of a run has as many places in each of them.
  Value first = k(piece.rowBegin) + piece.begin, count = piece.count;
  if (auto keep = op.getKeep()) {
    first = k(piece.row) * (layout.piecesPerRow() * *keep) +
            k(piece.number) * (*keep);
    count = k.index(*keep);
  }
  int64_t perItem = wordsPerItem();
  for (int64_t i = 0; i < layout.items; ++i) {
    Value place = placeOf(i);
    k.ifThen(k(place) < count, [&] {
      write(elements.slice(i * perItem, perItem), k(first) + place);
    });
  }
}

LogicalResult SortRuns::sortByLanes() {
  SortTile tile(k, key, layout.lanes, layout.items);
  tile.allocate();
  return eachPiece([&](const Piece &piece) {
    Value end = k(piece.begin) + piece.count;
    Values elements =
        readTile(piece, piece.begin, end, key.last(),
                 [&](int64_t i) { return k(lane) * layout.items + i; });
    elements = tile.sort(elements, k.index(0), key.bits());
    writeRun(piece, tile.dealOut(elements),
             [&](int64_t i) { return k(lane) + i * layout.lanes; });
  });
}

/// The variant with ballots of subgroups.
LogicalResult SortRuns::sortByBallots() {
  BallotTile tile(c, key);
  tile.allocate();
  auto placeOf = [&](int64_t i) { return tile.place(i); };
  return eachPiece([&](const Piece &piece) {
    Value end = k(piece.begin) + piece.count;
    Values elements = readTile(piece, piece.begin, end, key.last(), placeOf);
    writeRun(piece, tile.sort(elements), placeOf);
  });
}

LogicalResult SortRuns::run() {
  return layout.subgroups ? sortByBallots() : sortByLanes();
}

LogicalResult gpuvm::emitSortRuns(EmitterContext &context) {
  return SortRuns(context, *context.op.getBody().getOps<SortRunsOp>().begin())
      .run();
}
