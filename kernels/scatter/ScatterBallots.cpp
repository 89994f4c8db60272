//===- ScatterBallots.cpp - a radix pass with ballots ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variant of ScatterDigits.cpp with ballots: one round for all eight bits,
// whose counts say where each digit begins in a tile.
//
//===----------------------------------------------------------------------===//

#include "kernels/sort/BallotTile.h"
#include "kernels/sort/SortEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class ScatterBallots : SortEmitter {
public:
  ScatterBallots(EmitterContext &context, ScatterDigitsOp op)
      : SortEmitter(context, op), op(op), tile(context, key) {
    assert(layout.lanes >= SortLayout::kDigits && "a lane has a digit");
  }

  LogicalResult run();

private:
  void scatterChunk(const Piece &piece);
  Value scatterTile(const Piece &piece, Value begin, Value end, Value next);

  ScatterDigitsOp op;
  BallotTile tile;
  Value shift; ///< The first bit of the digit.
  /// Of each digit what a place in the tile lacks to that in the row.
  Value distances;
};
} // namespace

/// `next` is where the lane's digit, if there is one, goes on, and so is the
/// result.
Value ScatterBallots::scatterTile(const Piece &piece, Value begin, Value end,
                                  Value next) {
  Type i32 = k.ir().getI32Type();
  int64_t perItem = wordsPerItem();
  Values elements = readTile(piece, begin, end, key.lastOfDigit(shift),
                             [&](int64_t i) { return tile.place(i); });
  BallotTile::Ranks ranks = tile.rank(elements, shift);
  Value ownDistance = k(next) - ranks.begins.front();
  k.ifThen(tile.hasDigit(),
           [&] { k.storeWorkgroup(distances, ownDistance, tile.lane); });
  // Lanes side by side store what is side by side.
  auto placeOf = [&](int64_t i) { return k(tile.lane) + i * layout.lanes; };
  elements = tile.exchange(
      elements, [&](int64_t i) { return k(ranks.places[i]).toIndex(); },
      placeOf);
  Value count = min(k(end) - begin, layout.tile());
  for (int64_t i = 0; i < layout.items; ++i) {
    ArrayRef<Value> element = ArrayRef(elements).slice(i * perItem, perItem);
    Value digit =
        key.digit(element.take_front(key.words()), shift, BallotTile::kBits);
    Value distance = k.loadWorkgroup(distances, i32, k(digit).toIndex());
    k.ifThen(k(placeOf(i)) < count, [&] {
      Value to = (k(distance) + k(placeOf(i)).toWord()).toIndex();
      write(element, k(piece.rowBegin) + to);
    });
  }
  return k(next) + ranks.counts.front();
}

void ScatterBallots::scatterChunk(const Piece &piece) {
  Value digit = min(k(tile.lane), SortLayout::kDigits - 1);
  eachTile(piece, op.getOffsets(), digit,
           [&](Value begin, Value end, Value next) {
             return scatterTile(piece, begin, end, next);
           });
}

LogicalResult ScatterBallots::run() {
  shift = k(read(op.getDigit(), k.index(0), 1).front()) << 3;
  tile.allocate();
  distances = k.allocateWorkgroup(k.ir().getI32Type(), SortLayout::kDigits);
  return eachPiece([&](const Piece &piece) { scatterChunk(piece); });
}

LogicalResult gpuvm::emitScatterBallots(EmitterContext &context) {
  return ScatterBallots(context,
                        *context.op.getBody().getOps<ScatterDigitsOp>().begin())
      .run();
}
