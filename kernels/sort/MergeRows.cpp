//===- MergeRows.cpp - two sorted rows as one -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merge path (Green, McColl and Bader, "GPU merge path", 2012): a place of the
// result splits both operands, into what comes before it and what does not, and
// a binary search finds where. The lanes of a workgroup look for the splits
// between the tiles of its piece, each for one. A tile's elements, neighbours
// in both operands, come into workgroup memory, where lanes look for splits
// between their elements of the result and merge those one after the other.
//
// Rows follow each other in the operands and in the result, so that a tile may
// have parts of several: elements are numbered through all rows.
//
//===----------------------------------------------------------------------===//

#include "kernels/sort/SortEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class MergeRows : SortEmitter {
public:
  MergeRows(EmitterContext &context, MergeOp op);

  LogicalResult run();

private:
  /// How many elements of `first` may come before a place of the result.
  struct Range {
    Value least, most;
  };
  /// A tile of the result: `size` elements from place `begin` on, of which the
  /// first operand has `firstSize` from element `firstBegin` on. Workgroup
  /// memory has these, and after them those of the second one.
  struct Tile {
    Value begin, size, firstBegin, firstSize, secondBegin;
  };
  /// What a lane merges: the next elements in workgroup memory, and the ends of
  /// the row or the tile there.
  struct Side {
    Value next, end;
    Values words, image;
  };

  Range rangeInRow(Value place);
  Value precedes(Value number, Value place);
  Expr splitAt(Value number);
  void splitPiece(const Piece &piece);
  Value splitTile(const Tile &tile, Value place);
  void mergeTile(const Tile &tile);
  Values mergeLane(const Tile &tile);
  Value takeNext(Side &first, Side &second, Values &merged);
  void nextRow(const Tile &tile, Value isEnd, Side &first, Side &second);
  void storePayloads(const Tile &tile, ArrayRef<Value> sources);

  Values readSide(Value tensor, int64_t count, Value begin, Value size,
                  ArrayRef<Value> numbers);
  Values readTile(unsigned i, const Tile &tile, ArrayRef<Value> places);
  void storeTile(Value result, const Tile &tile, ArrayRef<Values> elements);
  void put(ArrayRef<Value> words, Value i);
  Values get(Value i, int64_t count);
  Values imageOf(Value tensor, Value number);
  Value place(int64_t item) { return k(lane) + item * layout.lanes; }

  SmallVector<Value> others; ///< The second operand's key and payloads.
  int64_t rows, firstLength, secondLength;
  Value memory, splits; ///< Workgroup memory.
  int64_t pitch;        ///< Between the words of an element in `memory`.
};
} // namespace

MergeRows::MergeRows(EmitterContext &context, MergeOp op)
    : SortEmitter(context, op, op.getFirst()) {
  llvm::append_range(moved, op.getFirstPayloads());
  others.push_back(op.getSecond());
  llvm::append_range(others, op.getSecondPayloads());
  auto first = cast<RankedTensorType>(op.getFirst().getType());
  firstLength = first.getShape().back();
  rows = first.getNumElements() / firstLength;
  secondLength =
      cast<RankedTensorType>(op.getSecond().getType()).getShape().back();
  // A lane at the end of a tile looks at elements that are not there.
  pitch = layout.tile() + layout.items + 1;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

void MergeRows::put(ArrayRef<Value> words, Value i) {
  for (auto [w, word] : llvm::enumerate(words))
    k.storeWorkgroup(memory, word, k(i) + w * pitch);
}

MergeRows::Values MergeRows::get(Value i, int64_t count) {
  Values words;
  for (int64_t w = 0; w < count; ++w)
    words.push_back(
        k.loadWorkgroup(memory, k.ir().getI32Type(), k(i) + w * pitch));
  return words;
}

MergeRows::Values MergeRows::imageOf(Value tensor, Value number) {
  return key.image(toWords(k, read(tensor, number, 1).front()));
}

/// Elements `begin` + number of `tensor`, which has `count`; those that are not
/// among the `size` from `begin` on may be any of it.
MergeRows::Values MergeRows::readSide(Value tensor, int64_t count, Value begin,
                                      Value size, ArrayRef<Value> numbers) {
  Expr first = min(k(begin), count - 1);
  Expr last = min(k(begin) + (max(k(size), 1) - 1), count - 1);
  auto readAll = [&] {
    Values elements;
    for (Value number : numbers)
      elements.push_back(read(tensor, min(first + number, last), 1).front());
    return elements;
  };
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument)
    return readAll();
  Type element = getElementTypeOrSelf(tensor);
  return k.inOnePiece(c.bindings.inputs[argument.getArgNumber()], element,
                      first, last, SmallVector<Type>(numbers.size(), element),
                      readAll);
}

/// The elements of operand `i` of both sides that are at `places` of workgroup
/// memory. Both sides are read, one of them somewhere, so that no read waits
/// for a branch.
MergeRows::Values MergeRows::readTile(unsigned i, const Tile &tile,
                                      ArrayRef<Value> places) {
  Values numbers;
  for (Value place : places)
    numbers.push_back(max(k(place), tile.firstSize) - tile.firstSize);
  Values ours = readSide(moved[i], rows * firstLength, tile.firstBegin,
                         tile.firstSize, places);
  Values theirs = readSide(others[i], rows * secondLength, tile.secondBegin,
                           k(tile.size) - tile.firstSize, numbers);
  for (auto [place, first, second] : llvm::zip_equal(places, ours, theirs))
    second = select(k(place) < tile.firstSize, first, second);
  return theirs;
}

/// Stores the lane's elements of a result, whose words are at `elements`.
void MergeRows::storeTile(Value result, const Tile &tile,
                          ArrayRef<Values> elements) {
  std::optional<unsigned> binding = bindingOf(result);
  if (!binding)
    return;
  Value last = k(tile.begin) + tile.size - 1;
  k.inOnePiece(
      *binding, getElementTypeOrSelf(result), tile.begin, last, {}, [&] {
        for (auto [i, words] : llvm::enumerate(elements))
          k.ifThen(k(place(i)) < tile.size,
                   [&] { store(result, words, k(tile.begin) + place(i)); });
        return Values();
      });
}

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

/// All earlier rows, and of the own one no more than it has.
MergeRows::Range MergeRows::rangeInRow(Value place) {
  Expr row = rows == 1 ? k.index(0) : k(place) / (firstLength + secondLength);
  Expr inRow = k(place) - row * (firstLength + secondLength);
  Expr begin = row * firstLength;
  Expr least = begin + (max(inRow, secondLength) - secondLength);
  return {least, begin + min(inRow, firstLength)};
}

Expr MergeRows::splitAt(Value number) {
  return k(k.loadWorkgroup(splits, k.ir().getI32Type(), number)).toIndex();
}

/// Whether element `number` of the first operand comes before `place` of the
/// result, if an element of the second one may.
Value MergeRows::precedes(Value number, Value place) {
  Values ours = imageOf(moved.front(), number);
  Expr other = k(place) - 1 - number;
  return !k(key.before(imageOf(others.front(), other), ours));
}

/// Looks for the splits at the beginnings of a piece's tiles and at its end.
/// The lanes of a split try as many elements, and each that comes before the
/// place moves the split on.
void MergeRows::splitPiece(const Piece &piece) {
  int64_t tiles = layout.piece / layout.tile(), ways = layout.ways;
  int64_t width = std::min(firstLength, secondLength), rounds = 0;
  for (int64_t left = width; left > 0; left /= ways + 1)
    ++rounds;
  Expr number = k(lane) / ways, way = k(lane) % ways;
  Value place = min(k(piece.begin) + number * layout.tile(), layout.length);
  Range range = rangeInRow(place);
  Value most = select(number < tiles + 1, range.most, k.index(0));
  k.ifThen(way == 0,
           [&] { k.storeWorkgroup(splits, k(range.least).toWord(), number); });
  k.workgroupBarrier();
  Value start = k.index(width);
  k.loop(
      k.index(0), k.index(rounds), k.index(1), start,
      [&](Value, ValueRange now) -> Values {
        Expr shorter = k(now.front()) / (ways + 1), step = shorter + 1;
        Expr probe = splitAt(number) + way * step + shorter;
        k.workgroupBarrier();
        k.ifThen(probe < most, [&] {
          k.ifThen(precedes(probe, place), [&] {
            k.atomicWorkgroup(arith::AtomicRMWKind::addi, splits, number,
                              step.toWord());
          });
        });
        k.workgroupBarrier();
        return {shorter};
      },
      /*runs=*/true);
}

/// How many of the first operand's elements in a tile come before `place` of
/// it.
Value MergeRows::splitTile(const Tile &tile, Value place) {
  Range inRow = rangeInRow(k(tile.begin) + place);
  Expr secondSize = k(tile.size) - tile.firstSize;
  Expr fewest = max(k(place), secondSize) - secondSize;
  Expr all = min(k(tile.firstSize), place);
  Expr least = max(k(inRow.least), tile.firstBegin) - tile.firstBegin;
  Range range = {min(max(least, fewest), all),
                 min(k(inRow.most) - tile.firstBegin, all)};
  int64_t width = std::min({firstLength, secondLength, layout.tile() / 2});
  auto precedes = [&](Value number) -> Values {
    Values ours = key.image(get(number, key.words()));
    Expr other = k(tile.firstSize) + place - 1 - number;
    Values theirs = key.image(get(other, key.words()));
    return {!k(key.before(theirs, ours))};
  };
  Values start = {range.least, k.index(width)};
  return k
      .loop(
          k.index(0), k.index(llvm::Log2_64(width) + 1), k.index(1), start,
          [&](Value, ValueRange now) -> Values {
            Expr half = k(now[1]) / 2, probe = k(now[0]) + half;
            Value goes = k.choose(
                              probe < range.most, k.ir().getI1Type(),
                              [&] { return precedes(probe); },
                              [&]() -> Values { return {k.truth(false)}; })
                             .front();
            return {select(k(goes), probe + 1, now[0]), half};
          },
          /*runs=*/true)
      .front();
}

//===----------------------------------------------------------------------===//
// Merges
//===----------------------------------------------------------------------===//

/// Appends the words of the next element to `merged`, and returns where it was.
Value MergeRows::takeNext(Side &first, Side &second, Values &merged) {
  Expr isOver = k(second.end) <= second.next;
  Expr comesFirst = isOver | !k(key.before(second.image, first.image));
  Expr isFirst = comesFirst & (k(first.next) < first.end);
  for (auto [ours, theirs] : llvm::zip_equal(first.words, second.words))
    merged.push_back(select(isFirst, ours, theirs));
  Value taken = select(isFirst, first.next, second.next), next = k(taken) + 1;
  Values words = get(next, key.words()), image = key.image(words);
  auto advance = [&](Side &side, bool onFirst) {
    auto put = [&](Value &value, Value other) {
      value = onFirst ? select(isFirst, other, value)
                      : select(isFirst, value, other);
    };
    put(side.next, next);
    for (size_t w = 0; w < words.size(); ++w) {
      put(side.words[w], words[w]);
      put(side.image[w], image[w]);
    }
  };
  advance(first, true);
  advance(second, false);
  return taken;
}

/// Where `isEnd`, both sides go on with their next rows.
void MergeRows::nextRow(const Tile &tile, Value isEnd, Side &first,
                        Side &second) {
  Expr firstEnd = min(k(first.end) + firstLength, tile.firstSize);
  Expr secondEnd = min(k(second.end) + secondLength, tile.size);
  first.end = select(k(isEnd), firstEnd, first.end);
  second.end = select(k(isEnd), secondEnd, second.end);
}

/// Merges the lane's elements of a tile; leaves the keys in workgroup memory,
/// and returns where each element was in it.
MergeRows::Values MergeRows::mergeLane(const Tile &tile) {
  int64_t length = firstLength + secondLength;
  Expr own = k(lane) * layout.items, begin = min(own, tile.size);
  Expr split = k(splitTile(tile, begin));
  Expr row = rows == 1 ? k.index(0) : (k(tile.begin) + begin) / length;
  Expr firstEnd = (row + 1) * firstLength - tile.firstBegin;
  Expr secondEnd = (row + 1) * secondLength - tile.secondBegin + tile.firstSize;
  auto sideAt = [&](Value next, Value end) {
    Values words = get(next, key.words());
    return Side{next, end, words, key.image(words)};
  };
  Side first = sideAt(split, min(firstEnd, tile.firstSize));
  Value other = k(tile.firstSize) + begin - split;
  Side second = sideAt(other, min(secondEnd, tile.size));
  Value rowEnd = (row + 1) * length - tile.begin;
  Values merged, sources;
  for (int64_t i = 0; i < layout.items; ++i) {
    if (rows > 1 && i > 0) {
      Expr isEnd = begin + i == rowEnd;
      nextRow(tile, isEnd, first, second);
      rowEnd = select(isEnd, k(rowEnd) + length, rowEnd);
    }
    sources.push_back(takeNext(first, second, merged));
  }
  k.workgroupBarrier();
  for (int64_t i = 0; i < layout.items; ++i)
    put(ArrayRef(merged).slice(i * key.words(), key.words()), own + i);
  return sources;
}

/// The payloads of what was at `sources` in workgroup memory.
void MergeRows::storePayloads(const Tile &tile, ArrayRef<Value> sources) {
  Expr own = k(lane) * layout.items;
  k.workgroupBarrier();
  for (auto [i, source] : llvm::enumerate(sources))
    put({k(source).toWord()}, own + i);
  k.workgroupBarrier();
  Values places;
  for (int64_t i = 0; i < layout.items; ++i)
    places.push_back(k(get(place(i), 1).front()).toIndex());
  for (size_t j = 1; j < moved.size(); ++j) {
    SmallVector<Values> payloads;
    for (Value payload : readTile(j, tile, places))
      payloads.push_back(toWords(k, payload));
    storeTile(sorted[j], tile, payloads);
  }
}

void MergeRows::mergeTile(const Tile &tile) {
  Values places;
  for (int64_t i = 0; i < layout.items; ++i)
    places.push_back(place(i));
  for (auto [place, element] :
       llvm::zip_equal(places, readTile(0, tile, places)))
    put(toWords(k, element), place);
  k.workgroupBarrier();
  Values sources = mergeLane(tile);
  k.workgroupBarrier();
  SmallVector<Values> keys;
  for (Value place : places)
    keys.push_back(get(place, key.words()));
  storeTile(sorted.front(), tile, keys);
  if (moved.size() > 1)
    storePayloads(tile, sources);
  k.workgroupBarrier(); // Workgroup memory is used again.
}

LogicalResult MergeRows::run() {
  Type i32 = k.ir().getI32Type();
  memory = k.allocateWorkgroup(i32, key.words() * pitch);
  splits = k.allocateWorkgroup(i32, layout.lanes / layout.ways);
  return eachPiece([&](const Piece &piece) {
    splitPiece(piece);
    k.loop(
        piece.begin, k(piece.begin) + piece.count, k.index(layout.tile()), {},
        [&](Value begin, ValueRange) {
          Expr number = (k(begin) - piece.begin) / layout.tile();
          Expr first = splitAt(number), next = splitAt(number + 1);
          Expr size = min(layout.length - k(begin), layout.tile());
          // Rows that are not sorted have splits in any order.
          Value own = minSigned(maxSigned(next - first, 0), size);
          mergeTile({begin, size, first, own, k(begin) - first});
          return Values();
        },
        /*runs=*/true);
  });
}

LogicalResult gpuvm::emitMergeRows(EmitterContext &context) {
  return MergeRows(context, *context.op.getBody().getOps<MergeOp>().begin())
      .run();
}
