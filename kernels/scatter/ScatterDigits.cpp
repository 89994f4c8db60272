//===- ScatterDigits.cpp - a radix pass -----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A workgroup goes through its chunk tile by tile. It sorts a tile by the
// digit, so that the elements of a digit are neighbours and lanes side by side
// store them side by side, and remembers for each digit where the next tile
// goes on.
//
//===----------------------------------------------------------------------===//

#include "kernels/sort/SortEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class ScatterDigits : SortEmitter {
public:
  ScatterDigits(EmitterContext &context, ScatterDigitsOp op)
      : SortEmitter(context, op), op(op),
        tile(k, key, layout.lanes, layout.items) {}

  LogicalResult run();

private:
  void scatterChunk(const Piece &piece);
  Value scatterTile(const Piece &piece, Value begin, Value end, Value next);
  Values digitsOf(ArrayRef<Value> elements);
  void findDigits(ArrayRef<Value> digits, Value count);

  ScatterDigitsOp op;
  SortTile tile;
  Value shift; ///< The first bit of the digit.
  /// Of each digit: where in the tile its elements begin, and end.
  Value begins, ends;
};
} // namespace

/// The digits of the elements of a lane.
SortEmitter::Values ScatterDigits::digitsOf(ArrayRef<Value> elements) {
  Values digits;
  for (int64_t i = 0; i < layout.items; ++i)
    digits.push_back(key.digit(elements.slice(i * wordsPerItem(), key.words()),
                               shift, /*count=*/8));
  return digits;
}

/// Where each digit begins and ends among the first `count` elements of the
/// tile, which are dealt out to the lanes in the order of their digits.
void ScatterDigits::findDigits(ArrayRef<Value> digits, Value count) {
  k.storeWorkgroup(begins, k.word(0), lane);
  k.storeWorkgroup(ends, k.word(0), lane);
  k.workgroupBarrier();
  auto placeOf = [&](int64_t i) { return k(lane) + i * layout.lanes; };
  for (auto [i, digit] : llvm::enumerate(digits))
    tile.put(digit, placeOf(i));
  k.workgroupBarrier();
  for (auto [i, own] : llvm::enumerate(digits)) {
    Value digit = own, place = placeOf(i);
    Value before = tile.get(k(place) - min(k(place), 1));
    k.ifThen((k(place) < count) & ((k(before) < digit) | (k(digit) < before)),
             [&] {
               k.storeWorkgroup(begins, k(place).toWord(), k(digit).toIndex());
               k.storeWorkgroup(ends, k(place).toWord(), k(before).toIndex());
             });
    k.ifThen(k(place) + 1 == count, [&] {
      k.storeWorkgroup(ends, k(count).toWord(), k(digit).toIndex());
    });
  }
  k.workgroupBarrier();
}

/// `next` is where the lane's digit goes on, and so is the result.
Value ScatterDigits::scatterTile(const Piece &piece, Value begin, Value end,
                                 Value next) {
  Type i32 = k.ir().getI32Type();
  int64_t perItem = wordsPerItem();
  Values elements =
      readTile(piece, begin, end, key.lastOfDigit(shift),
               [&](int64_t i) { return k(lane) * layout.items + i; });
  elements = tile.dealOut(tile.sort(elements, k(shift).toIndex(), 8));
  Values digits = digitsOf(elements);
  Value count = min(k(end) - begin, layout.tile());
  findDigits(digits, count);
  // From here on of each digit what a place in the tile lacks to that in the
  // row.
  Value first = k.loadWorkgroup(begins, i32, lane);
  Value last = k.loadWorkgroup(ends, i32, lane);
  k.storeWorkgroup(begins, k(next) - first, lane);
  k.workgroupBarrier();
  for (int64_t i = 0; i < layout.items; ++i) {
    Expr place = k(lane) + i * layout.lanes;
    k.ifThen(place < count, [&] {
      Value distance = k.loadWorkgroup(begins, i32, k(digits[i]).toIndex());
      Value to = (k(distance) + place.toWord()).toIndex();
      write(ArrayRef(elements).slice(i * perItem, perItem),
            k(piece.rowBegin) + to);
    });
  }
  k.workgroupBarrier(); // Workgroup memory is used again.
  return k(next) + (k(last) - first);
}

void ScatterDigits::scatterChunk(const Piece &piece) {
  eachTile(piece, op.getOffsets(), lane,
           [&](Value begin, Value end, Value next) {
             return scatterTile(piece, begin, end, next);
           });
}

LogicalResult ScatterDigits::run() {
  shift = k(read(op.getDigit(), k.index(0), 1).front()) << 3;
  tile.allocate();
  begins = k.allocateWorkgroup(k.ir().getI32Type(), SortLayout::kDigits);
  ends = k.allocateWorkgroup(k.ir().getI32Type(), SortLayout::kDigits);
  return eachPiece([&](const Piece &piece) { scatterChunk(piece); });
}

LogicalResult gpuvm::emitScatterDigits(EmitterContext &context) {
  return ScatterDigits(context,
                       *context.op.getBody().getOps<ScatterDigitsOp>().begin())
      .run();
}
