//===- ScanCompact.cpp - what a compact operation keeps -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kept elements go through workgroup memory, some rows of quads at a time, so
// that lanes side by side store neighbours.
//
//===----------------------------------------------------------------------===//

#include "kernels/builder/KeyImage.h"
#include "kernels/scan/ScanEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

static constexpr int64_t kWordBits = 32, kBeginBits = 16;
static constexpr int64_t kRow = KernelLayout::kLanes * ScanOrder::kQuad;

/// Which elements of the quads are kept, a bit each.
ScanEmitter::Values ScanEmitter::packKept(ArrayRef<Quad> quads) {
  Values packed;
  uint32_t bit = 0;
  for (const Quad &quad : quads)
    for (const Values &element : quad.elements) {
      if (bit % kWordBits == 0)
        packed.push_back(k.word(0));
      Value own = k(element.front()) << (bit++ % kWordBits);
      packed.back() = k(packed.back()) | own;
    }
  return packed;
}

/// Where each quad of this lane begins in the tile, two to a word; where each
/// row does, and where the tile ends, is left in row memory.
ScanEmitter::Values ScanEmitter::takeBegins() {
  int64_t rows = layout.space.quadsPerBlock;
  auto leave = [&](Value begin, Value row) {
    k.storeWorkgroup(rowMemory, begin, row);
  };
  k.ifThen(k(lane) < rows, [&] {
    Value first = paddedQuad(k(lane) * KernelLayout::kLanes);
    Value begin = load(quadMemory, first).front();
    Expr isFirst = k(lane) == 0;
    leave(select(isFirst, k.word(0), begin), lane);
  });
  k.ifThen(k(lane) == rows,
           [&] { leave(load(groupMemory, k.index(kTotal)).front(), lane); });
  Values packed;
  for (int64_t row = 0; row < rows; ++row) {
    Value begin = load(quadMemory, placeInRow(k.index(row))).front();
    if (row == 0)
      begin = select(0 < k(lane), begin, k.word(0));
    if (row % 2 == 0)
      packed.push_back(begin);
    else
      packed.back() = k(packed.back()) | (k(begin) << kBeginBits);
  }
  return packed;
}

/// Where `row` begins in what is kept of the tile, or where that ends.
Value ScanEmitter::rowBegin(Value row) {
  return k.loadWorkgroup(rowMemory, k.ir().getI32Type(), row);
}

/// What `words` have for `row`, in so many bits of one of them.
Value ScanEmitter::partOf(ArrayRef<Value> words, Value row, int64_t bits) {
  int64_t rows = kWordBits / bits;
  Value part = words.front();
  for (auto [i, word] : llvm::enumerate(words.drop_front()))
    part = select(k(row) < (i + 1) * rows, part, word);
  part = k(part) >> (k(row) % rows * bits).toWord();
  return k(part) & ((1u << bits) - 1);
}

/// Puts what is kept of `payload` in rows `row`, ... into quad memory, side by
/// side: one word of each element, then the next one. The payload is loaded for
/// this: elements that waited in registers would keep other tiles away.
void ScanEmitter::stageKept(Value payload, const Kept &kept, Value row,
                            int64_t rows) {
  TileShape shape = kept.shape;
  c.elements.begin(shape.vector);
  Value first = rowBegin(row);
  for (int64_t r = 0; r < rows; ++r) {
    Value own = k(row) + r;
    Expr place = k(partOf(kept.begins, own, kBeginBits)) - first;
    Value bits = partOf(kept.bits, own, ScanOrder::kQuad);
    Value quad = firstOfQuad(kept.tile, own);
    uint32_t bit = 0;
    for (int64_t v = 0; v < ScanOrder::kQuad; v += shape.vector) {
      Value position = positionInQuad(quad, v, shape);
      FailureOr<Lanes> lanes = c.elements.emit(
          payload, pointAt(position, shape.vector, /*next=*/false));
      if (!check(lanes))
        return;
      for (Value element : *lanes) {
        Expr keep = (k(bits) >> (bit++)) & 1;
        SmallVector<Value> words = toWords(k, element);
        k.ifThen(keep == 1, [&] {
          for (auto [plane, word] : llvm::enumerate(words))
            k.storeWorkgroup(quadMemory.front(), word,
                             place.toIndex() + plane * rows * kRow);
        });
        place = place + keep;
      }
    }
  }
}

/// Stores what stageKept() left; the first element is number `start` of all.
void ScanEmitter::storeKept(unsigned binding, RankedTensorType type,
                            Value start, Value count, int64_t rows) {
  Type element = type.getElementType();
  if (type.getDimSize(0) < layout.space.count()) {
    Expr length = k.word(type.getDimSize(0));
    count = min(k(count), length - min(length, start));
  }
  auto storeOne = [&](Value i, ValueRange) {
    SmallVector<Value> words;
    for (int64_t plane = 0; plane < countWords(element); ++plane)
      words.push_back(k.loadWorkgroup(quadMemory.front(), k.ir().getI32Type(),
                                      k(i) + plane * rows * kRow));
    k.store(binding, fromWords(k, words, element), k(start).toIndex() + i);
    return Values();
  };
  k.loop(lane, k(count).toIndex(), k.index(KernelLayout::kLanes), {}, storeOne);
}

void ScanEmitter::emitCompacted(const Kept &kept, const Partial &before) {
  auto yield = cast<YieldOp>(c.op.getBody().front().getTerminator());
  int64_t allRows = layout.space.quadsPerBlock;
  Expr start = k.word(0);
  if (layout.looksBack())
    start = select(k(before.exists), before.values.front(), start);
  for (auto [value, binding] :
       llvm::zip_equal(yield.getValues(), c.bindings.outputs)) {
    if (value == compact.getCount())
      continue;
    auto result = cast<OpResult>(value);
    auto type = cast<RankedTensorType>(result.getType());
    Value payload = compact.getPayloads()[result.getResultNumber()];
    // Quad memory has a word for each quad.
    int64_t rows =
        allRows / ScanOrder::kQuad / countWords(type.getElementType());
    auto someRows = [&, target = binding](Value row, ValueRange) {
      ElementEmitter::Scope outside =
          c.elements.exchange(ElementEmitter::Scope());
      k.workgroupBarrier();
      stageKept(payload, kept, row, rows);
      k.workgroupBarrier();
      Value first = rowBegin(row);
      Value end = rowBegin(k(row) + rows);
      storeKept(target, type, start + first, k(end) - first, rows);
      c.elements.exchange(std::move(outside));
      return Values();
    };
    // Drivers, which would unroll the loop, do not know its end.
    Expr isNone = k(kept.count) == 0;
    k.loop(k.index(0), select(isNone, k.index(0), allRows), k.index(rows), {},
           someRows);
  }
}

/// The last tile knows how many elements all of them keep.
void ScanEmitter::emitCount(Value tile, const Partial &all) {
  auto yield = cast<YieldOp>(c.op.getBody().front().getTerminator());
  for (auto [value, binding] :
       llvm::zip_equal(yield.getValues(), c.bindings.outputs))
    if (value == compact.getCount()) {
      Expr isLast = k(tile) == layout.space.tiles() - 1;
      k.ifThen(isLast & (k(lane) == 0), [&, target = binding] {
        k.store(target, all.values.front(), k.index(0));
      });
    }
}
