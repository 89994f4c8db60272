//===- SortEmitter.cpp - what emitters of sorts share ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/sort/SortEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

static Type elementOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

LogicalResult
SortEmitter::eachPiece(function_ref<void(const Piece &piece)> emit) {
  int64_t perRow = layout.piecesPerRow();
  k.loop(
      k.groupId(), k.index(layout.pieces()), k.index(c.layout.groups), {},
      [&](Value number, ValueRange) {
        Piece piece;
        piece.number = k(number) % perRow;
        piece.row = k(number) / perRow;
        piece.rowBegin = k(piece.row) * layout.length;
        piece.begin = k(piece.number) * layout.piece;
        piece.count = min(layout.length - k(piece.begin), layout.piece);
        emit(piece);
        k.workgroupBarrier(); // Workgroup memory is used again.
        return Values();
      },
      /*runs=*/true);
  return failure(failed_);
}

SortEmitter::Values SortEmitter::read(Value tensor, Value at, int64_t count) {
  c.elements.begin(count);
  LaneIndex index = {at, /*stride=*/1, /*divisor=*/count};
  auto elements = c.elements.emit(
      tensor, c.elements.flatPoint(
                  index, cast<RankedTensorType>(tensor.getType()).getShape()));
  if (!check(elements))
    return Values(count, k.constant(elementOf(tensor), 0));
  return Values(elements->begin(), elements->end());
}

void SortEmitter::eachTile(
    const Piece &piece, TypedValue<RankedTensorType> offsets, Value digit,
    function_ref<Value(Value begin, Value end, Value next)> emitTile) {
  int64_t chunks = offsets.getType().getShape().drop_back().back();
  Expr at = (k(piece.row) * chunks + piece.number) * SortLayout::kDigits;
  Value first = read(offsets, at + digit, 1).front();
  Value end = k(piece.begin) + piece.count;
  k.loop(
      piece.begin, end, k.index(layout.tile()), first,
      [&](Value begin, ValueRange next) -> Values {
        return {emitTile(begin, end, next.front())};
      },
      /*runs=*/true);
}

int64_t SortEmitter::wordsPerItem() const {
  int64_t words = 0;
  for (Value tensor : moved)
    words += countWords(elementOf(tensor));
  return words;
}

SortEmitter::Values
SortEmitter::readTile(const Piece &piece, Value begin, Value end,
                      ArrayRef<Value> last,
                      function_ref<Value(int64_t)> placeOf) {
  int64_t perItem = wordsPerItem(), vector = layout.vector;
  Values words(layout.items * perItem);
  for (int64_t i = 0; i < layout.items; i += vector) {
    Expr place = k(begin) + placeOf(i);
    Expr inside = place < end;
    Value at = k(piece.rowBegin) + min(place, layout.length - vector);
    int64_t first = 0;
    for (Value tensor : moved) {
      int64_t count = countWords(elementOf(tensor));
      for (auto [v, element] : llvm::enumerate(read(tensor, at, vector)))
        for (auto [j, word] : llvm::enumerate(toWords(k, element))) {
          if (tensor == moved.front())
            word = select(inside, word, last[j]);
          words[(i + v) * perItem + first + j] = word;
        }
      first += count;
    }
  }
  return words;
}

void SortEmitter::write(ArrayRef<Value> words, Value position) {
  for (Value result : sorted) {
    int64_t count = countWords(elementOf(result));
    store(result, words.take_front(count), position);
    words = words.drop_front(count);
  }
}

void SortEmitter::store(Value result, ArrayRef<Value> words, Value position) {
  if (std::optional<unsigned> binding = bindingOf(result))
    k.store(*binding, fromWords(k, words, elementOf(result)), position);
}

std::optional<unsigned> SortEmitter::bindingOf(Value result) {
  auto yield = cast<YieldOp>(c.op.getBody().front().getTerminator());
  for (auto [value, binding] :
       llvm::zip_equal(yield.getValues(), c.bindings.outputs))
    if (value == result)
      return binding;
  return std::nullopt;
}
