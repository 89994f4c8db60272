//===- CountDigits.cpp - where a radix pass puts its keys -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each chunk of a row is counted by a workgroup, in workgroup memory. The last
// one of a row to be done makes of the counts of all chunks where each of them
// puts its keys: nobody waits for anybody, so it needs no more of the device
// than a reduction does.
//
//===----------------------------------------------------------------------===//

#include "kernels/builder/Arrivals.h"
#include "kernels/sort/SortEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class CountDigits : SortEmitter {
public:
  CountDigits(EmitterContext &context, CountDigitsOp op)
      : SortEmitter(context, op), op(op),
        tile(k, key, SortLayout::kMaxLanes, /*items=*/1) {}

  LogicalResult run();

private:
  void countChunk(const Piece &piece);
  void countTile(const Piece &piece, Value begin, Value end);
  void finishRow(const Piece &piece);
  Value addChunks(Value row, Value chunk, int64_t count, Value sum,
                  bool places);
  void placeDigits(Value row);
  Value placeOf(Value row, Value chunk);

  CountDigitsOp op;
  SortTile tile;
  Value shift; ///< The first bit of the digit.
  Value counts;
};
} // namespace

/// Counters of a digit, side by side, so that lanes with equal keys seldom meet
/// in one of them.
static constexpr int64_t kCopies = 8;
/// Counts of a digit that are read at once: one workgroup has to hide how long
/// memory takes.
static constexpr int64_t kInFlight = 32;
/// The chunks of a row are a multiple of this in the result.
static constexpr int64_t kRounded = 8;

/// The counts of a chunk: the place of the first digit.
Value CountDigits::placeOf(Value row, Value chunk) {
  auto type = cast<RankedTensorType>(op.getOffsets().getType());
  int64_t chunks = type.getShape().drop_back().back();
  return (k(row) * chunks + chunk) * SortLayout::kDigits;
}

void CountDigits::countTile(const Piece &piece, Value begin, Value end) {
  int64_t vector = layout.vector;
  for (int64_t i = 0; i < layout.items; i += vector) {
    Expr place = k(begin) + k(lane) * vector + i * layout.lanes;
    Value one = select(place < end, k.word(1), k.word(0));
    Value at = k(piece.rowBegin) + min(place, layout.length - vector);
    for (Value element : read(moved.front(), at, vector)) {
      Value digit = key.digit(toWords(k, element), shift, /*count=*/8);
      Value counter = k(digit).toIndex() * kCopies + k(lane) % kCopies;
      k.atomicWorkgroup(arith::AtomicRMWKind::addi, counts, counter, one);
    }
  }
}

void CountDigits::countChunk(const Piece &piece) {
  Expr own = k(lane) * kCopies;
  for (int64_t i = 0; i < kCopies; ++i)
    k.storeWorkgroup(counts, k.word(0), own + i);
  k.workgroupBarrier();
  Value end = k(piece.begin) + piece.count;
  k.loop(
      piece.begin, end, k.index(layout.tile()), {},
      [&](Value begin, ValueRange) {
        countTile(piece, begin, end);
        return Values();
      },
      /*runs=*/true);
  k.workgroupBarrier();
  Expr count = k.word(0);
  for (int64_t i = 0; i < kCopies; ++i)
    count = count + k.loadWorkgroup(counts, k.ir().getI32Type(), own + i);
  k.store(c.bindings.outputs.front(), count,
          k(placeOf(piece.row, piece.number)) + lane);
}

/// The counts of the lane's digit in chunks `chunk` to `chunk` + count - 1,
/// added to `sum`; with `places` each of them becomes the sum before it.
Value CountDigits::addChunks(Value row, Value chunk, int64_t count, Value sum,
                             bool places) {
  unsigned binding = c.bindings.outputs.front();
  Type i32 = k.ir().getI32Type();
  Values read, at;
  for (int64_t i = 0; i < count; ++i) {
    Expr number = k(chunk) + i;
    at.push_back(k(placeOf(row, number)) + lane);
    read.push_back(select(number < layout.piecesPerRow(),
                          k.load(binding, i32, at.back()), k.word(0)));
  }
  for (int64_t i = 0; i < count; ++i) {
    if (places)
      k.store(binding, sum, at[i]);
    sum = k(sum) + read[i];
  }
  return sum;
}

/// Lane d makes of the counts of digit d in all chunks where it goes there.
void CountDigits::placeDigits(Value row) {
  int64_t chunks = llvm::alignTo(layout.piecesPerRow(), kRounded);
  int64_t whole = chunks / kInFlight * kInFlight;
  auto addAll = [&](Value sum, bool places) {
    auto each = [&](int64_t begin, int64_t end, int64_t step) {
      if (begin == end)
        return;
      sum = k.loop(
                 k.index(begin), k.index(end), k.index(step), sum,
                 [&](Value chunk, ValueRange now) -> Values {
                   return {addChunks(row, chunk, step, now.front(), places)};
                 },
                 /*runs=*/true)
                .front();
    };
    each(0, whole, kInFlight);
    each(whole, chunks, kRounded);
    return sum;
  };
  Value total = addAll(k.word(0), /*places=*/false);
  addAll(tile.scan(total).first, /*places=*/true);
}

/// The last chunk of the row to be counted says where all of them go.
void CountDigits::finishRow(const Piece &piece) {
  k.markCoherent(c.bindings.outputs.front());
  Arrivals arrivals(k, c.bindings.scratch.front(), piece.row,
                    k.word(layout.piecesPerRow()));
  arrivals.count();
  arrivals.ifLast([&](Value) { placeDigits(piece.row); });
}

LogicalResult CountDigits::run() {
  shift = k(read(op.getDigit(), k.index(0), 1).front()) << 3;
  tile.allocateForScans();
  counts =
      k.allocateWorkgroup(k.ir().getI32Type(), SortLayout::kDigits * kCopies);
  return eachPiece([&](const Piece &piece) {
    countChunk(piece);
    finishRow(piece);
  });
}

LogicalResult gpuvm::emitCountDigits(EmitterContext &context) {
  return CountDigits(context,
                     *context.op.getBody().getOps<CountDigitsOp>().begin())
      .run();
}
