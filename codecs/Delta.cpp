//===- Delta.cpp - integers by their differences --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// delta<W>: blocks of 32 elements in row-major order, the last one filled up.
// A block is a base of 4 bytes (8 for i64) and 32 signed fields of W bits
// (BitFields.h), which are W words. Element 0 of a block is the base, element j
// is element j - 1 plus field j, modulo 2 to the width of an element; field 0
// is not read.
//
// So an element needs at most 31 sums, whatever it is asked for after.
//
//===----------------------------------------------------------------------===//

#include "codecs/BitFields.h"
#include "codecs/Codec.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace mlir::gpuvm;

static constexpr int64_t kBlock = 32;

static int64_t baseWords(const PackedLayout &layout) {
  return layout.elementBits() == 64 ? 2 : 1;
}

namespace {
class Delta final : public Codec {
public:
  StringRef getName() const override { return "delta"; }
  Type getDefaultElement(MLIRContext *) const override { return Type(); }

  std::string whyNot(const PackedLayout &layout) const override {
    if (layout.parameters.size() != 1 || layout.parameters[0] < 1 ||
        layout.parameters[0] > 32)
      return "takes one parameter, the width of a difference from 1 to 32 bits";
    if (!isa<IntegerType>(layout.element) || layout.elementBits() == 1)
      return "decodes to integers of 8 bits or more";
    return "";
  }

  uint64_t getBytes(const PackedLayout &layout) const override {
    uint64_t blocks = llvm::divideCeil(layout.numElements(), kBlock);
    return blocks * blockWords(layout) * 4;
  }

  void decode(const PackedLayout &layout, const uint8_t *packed,
              void *elements) const override {
    unsigned width = layout.parameters[0];
    uint64_t size = layout.elementBits() / 8, value = 0;
    for (int64_t i = 0; i < layout.numElements(); ++i) {
      const uint8_t *block = packed + i / kBlock * blockWords(layout) * 4;
      if (i % kBlock == 0)
        std::memcpy(&value, block, baseWords(layout) * 4);
      else
        value += signExtendField(
            readField(block + baseWords(layout) * 4, i % kBlock, width), width);
      std::memcpy(static_cast<char *>(elements) + i * size, &value, size);
    }
  }

  SmallVector<Value> emitRun(PackedReader &r, const PackedLayout &layout,
                             Value first, int64_t count) const override;

  bool isExact(const PackedLayout &) const override { return true; }
  int64_t getCost(const PackedLayout &) const override { return 24; }
  int64_t getPreferredRun(const PackedLayout &) const override { return 16; }

private:
  static int64_t blockWords(const PackedLayout &layout) {
    return baseWords(layout) + layout.parameters[0];
  }
};
} // namespace

/// What precedes a run is summed up in runs of the same length.
SmallVector<Value> Delta::emitRun(PackedReader &r, const PackedLayout &layout,
                                  Value first, int64_t count) const {
  unsigned width = layout.parameters[0];
  Type type = r.ir().getIntegerType(layout.elementBits() == 64 ? 64 : 32);
  Expr zero = r.constant(type, 0), position = r(first).toWord();
  Expr block = position / kBlock * blockWords(layout);
  Expr fields = block + baseWords(layout), inBlock = position % kBlock;
  auto differences = [&](const Expr &from) {
    SmallVector<Expr> values;
    for (const BitField &field : emitFields(r, fields, from, count, width))
      values.push_back(emitInteger(field, width, /*isSigned=*/true, type));
    return values;
  };
  Expr value = emitArrayElement(r, block, r.word(0), type);
  for (int64_t from = 0; from + count < kBlock; from += count) {
    Expr sum = zero;
    for (auto [i, difference] : llvm::enumerate(differences(r.word(from))))
      if (from + i != 0)
        sum = sum + difference;
    value = value + select(inBlock >= from + count, sum, zero);
  }
  SmallVector<Expr> own = differences(inBlock);
  own.front() = select(inBlock != 0, own.front(), zero);
  SmallVector<Value> elements;
  for (const Expr &difference : own) {
    value = value + difference;
    elements.push_back(value.truncate(layout.element));
  }
  return elements;
}

GPUVM_DEFINE_CODEC(delta, Delta)
