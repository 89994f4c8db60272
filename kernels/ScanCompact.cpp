//===- ScanCompact.cpp - what a compact operation keeps -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kept elements go through workgroup memory, some rows of quads at a time, so
// that lanes side by side store neighbours.
//
//===----------------------------------------------------------------------===//

#include "kernels/KeyImage.h"
#include "kernels/ScanEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Rows whose elements, of a word each, find room in quad memory.
static constexpr int64_t kRowsAtOnce = 2;
static constexpr int64_t kRow = KernelConfig::kLanes * ScanOrder::kQuad;
static_assert(kRowsAtOnce * KernelConfig::kLanes * ScanOrder::kQuad <=
                  KernelConfig::kLanes * ScanOrder::kQuadsOfCompact,
              "a word is there for each quad");

/// Which elements of the quads are kept, a bit each.
Value ScanEmitter::packKept(ArrayRef<Quad> quads) {
  Value packed = k.word(0);
  uint32_t bit = 0;
  for (const Quad &quad : quads)
    for (const Values &element : quad.elements)
      packed = k.either(packed, k.shiftLeft(element.front(), k.word(bit++)));
  return packed;
}

/// Where each quad of this lane begins in the tile, two to a word; where each
/// row does is left in group memory.
ScanEmitter::Values ScanEmitter::takeBegins(int64_t rows) {
  k.ifThen(k.less(lane, k.index(rows)), [&] {
    Value first = paddedQuad(k.mul(lane, KernelConfig::kLanes));
    Value begin = load(quadMemory, first).front();
    Value isFirst = k.equal(lane, k.index(0));
    store(groupMemory, {k.select(isFirst, k.word(0), begin)}, lane);
  });
  Values packed;
  for (int64_t row = 0; row < rows; ++row) {
    Value begin = load(quadMemory, placeInRow(k.index(row))).front();
    if (row == 0)
      begin = k.select(k.less(k.index(0), lane), begin, k.word(0));
    if (row % 2 == 0)
      packed.push_back(begin);
    else
      packed.back() = k.either(packed.back(), k.shiftLeft(begin, k.word(16)));
  }
  return packed;
}

/// Where `row` begins in the tile, or where the tile ends.
Value ScanEmitter::rowBegin(int64_t row) {
  bool isEnd = row == layout.space.quadsPerBlock;
  return load(groupMemory, k.index(isEnd ? kTotal : row)).front();
}

/// Puts what is kept of `payload` in rows `row`, ... into quad memory, side by
/// side: one word of each element, then the next one.
void ScanEmitter::stageKept(Value payload, const Kept &kept, int64_t row,
                            int64_t rows) {
  for (int64_t r = row; r < row + rows; ++r) {
    Value begin = k.shiftRight(kept.begins[r / 2], k.word(r % 2 * 16));
    Value place = k.sub(k.both(begin, k.word(0xffff)), rowBegin(row));
    uint32_t bit = ScanOrder::kQuad * r;
    for (ElementEmitter::Point at : kept.quads[r].points) {
      FailureOr<Lanes> lanes = c.elements.emit(payload, at);
      if (!check(lanes))
        return;
      for (Value element : *lanes) {
        Value keep = k.both(k.shiftRight(kept.bits, k.word(bit++)), k.word(1));
        SmallVector<Value> words = toWords(k, element);
        k.ifThen(k.equal(keep, k.word(1)), [&] {
          for (auto [plane, word] : llvm::enumerate(words))
            k.storeWorkgroup(
                quadMemory.front(), word,
                k.add(k.toIndex(place), k.index(plane * rows * kRow)));
        });
        place = k.add(place, keep);
      }
    }
  }
}

/// Stores what stageKept() left; the first element is number `start` of all.
void ScanEmitter::storeKept(unsigned binding, RankedTensorType type,
                            Value start, Value count, int64_t rows) {
  Type element = type.getElementType();
  if (type.getDimSize(0) < layout.space.count()) {
    Value length = k.word(type.getDimSize(0));
    count = k.min(count, k.sub(length, k.min(length, start)));
  }
  auto storeOne = [&](Value i, ValueRange) {
    SmallVector<Value> words;
    for (int64_t plane = 0; plane < countWords(element); ++plane)
      words.push_back(k.loadWorkgroup(quadMemory.front(), k.ir().getI32Type(),
                                      k.add(i, k.index(plane * rows * kRow))));
    k.store(binding, fromWords(k, words, element), k.add(k.toIndex(start), i));
    return Values();
  };
  k.loop(lane, k.toIndex(count), k.index(KernelConfig::kLanes), {}, storeOne);
}

void ScanEmitter::emitCompacted(ArrayRef<Quad> quads, Value bits,
                                const Partial &before) {
  auto yield = cast<YieldOp>(c.op.getBody().front().getTerminator());
  int64_t allRows = quads.size();
  Kept kept = {quads, bits, takeBegins(allRows)};
  Value start = k.word(0);
  if (layout.looksBack())
    start = k.select(before.exists, before.values.front(), start);
  for (auto [value, binding] :
       llvm::zip_equal(yield.getValues(), c.layout.outputs)) {
    if (value == compact.getCount())
      continue;
    auto result = cast<OpResult>(value);
    auto type = cast<RankedTensorType>(result.getType());
    Value payload = compact.getPayloads()[result.getResultNumber()];
    int64_t rows = kRowsAtOnce / countWords(type.getElementType());
    for (int64_t row = 0; row < allRows; row += rows) {
      k.workgroupBarrier();
      stageKept(payload, kept, row, rows);
      k.workgroupBarrier();
      Value first = rowBegin(row);
      storeKept(binding, type, k.add(start, first),
                k.sub(rowBegin(row + rows), first), rows);
    }
  }
}

/// The last tile knows how many elements all of them keep.
void ScanEmitter::emitCount(Value tile, const Partial &all) {
  auto yield = cast<YieldOp>(c.op.getBody().front().getTerminator());
  for (auto [value, binding] :
       llvm::zip_equal(yield.getValues(), c.layout.outputs))
    if (value == compact.getCount()) {
      Value isLast = k.equal(tile, k.index(layout.space.tiles() - 1));
      k.ifThen(k.both(isLast, k.equal(lane, k.index(0))),
               [&, target = binding] {
                 k.store(target, all.values.front(), k.index(0));
               });
    }
}
