//===- SortRuns.cpp - runs that one workgroup sorts -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/SortEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class SortRuns : SortEmitter {
public:
  SortRuns(EmitterContext &context, SortRunsOp op)
      : SortEmitter(context, op), op(op),
        tile(k, key, layout.lanes, layout.items) {}

  LogicalResult run() {
    tile.allocate();
    return eachPiece([&](const Piece &piece) { sortRun(piece); });
  }

private:
  void sortRun(const Piece &piece);

  SortRunsOp op;
  SortTile tile;
};
} // namespace

void SortRuns::sortRun(const Piece &piece) {
  Value end = k.add(piece.begin, piece.count);
  Values elements = readTile(piece, piece.begin, end, key.last());
  elements = tile.sort(elements, k.index(0), key.bits());
  elements = tile.dealOut(elements);
  // What is kept of a run has as many places in each of them.
  Value first = k.add(piece.rowBegin, piece.begin), count = piece.count;
  if (auto keep = op.getKeep()) {
    first = k.add(k.mul(piece.row, layout.piecesPerRow() * *keep),
                  k.mul(piece.number, *keep));
    count = k.index(*keep);
  }
  int64_t perItem = wordsPerItem();
  for (int64_t i = 0; i < layout.items; ++i) {
    Value place = k.add(lane, k.index(i * layout.lanes));
    k.ifThen(k.less(place, count), [&] {
      write(ArrayRef(elements).slice(i * perItem, perItem),
            k.add(first, place));
    });
  }
}

LogicalResult gpuvm::emitSortRuns(EmitterContext &context) {
  return SortRuns(context, *context.op.getBody().getOps<SortRunsOp>().begin())
      .run();
}
