//===- BitFields.cpp - a stream of bit-packed numbers ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codecs/BitFields.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Reference
//===----------------------------------------------------------------------===//

uint64_t gpuvm::streamBytes(uint64_t count, unsigned width) {
  return llvm::divideCeil(count * width, 8);
}

uint64_t gpuvm::readField(const uint8_t *stream, uint64_t index,
                          unsigned width) {
  uint64_t field = 0;
  for (unsigned i = 0; i < width; ++i) {
    uint64_t bit = index * width + i;
    field |= uint64_t(stream[bit / 8] >> (bit % 8) & 1) << i;
  }
  return field;
}

int64_t gpuvm::signExtendField(uint64_t field, unsigned width) {
  return llvm::SignExtend64(field, width);
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// `count` * `width` bits from the first bit of field `first` on, in words.
static SmallVector<Expr> emitBits(PackedReader &r, Expr base, Expr first,
                                  int64_t count, unsigned width) {
  // 32 fields are `width` whole words. Taken from there, no product overflows.
  Expr bit = first % 32 * width;
  Expr start = base + first / 32 * width + bit / 32;
  Expr shift = bit % 32;
  int64_t bits = count * width;
  int64_t step = std::gcd<int64_t>(bits, 32); // Of `shift`.
  int64_t needed = llvm::divideCeil(bits, 32);
  int64_t spanned = llvm::divideCeil(32 - step + bits, 32);
  SmallVector<Expr> raw = {r.load(start)}, aligned;
  for (int64_t k = 1; k < spanned; ++k) // The last may lie past the window.
    raw.push_back(r.loadClamped(start + k));
  if (step == 32)
    return raw;
  Expr opposite = 31 - shift;
  for (int64_t k = 0; k < needed; ++k) {
    Expr word = shiftRight(raw[k], shift);
    if (k + 1 < spanned) // A shift by 32 is none, so it is done in two.
      word = word | shiftLeft(raw[k + 1] << 1, opposite);
    aligned.push_back(word);
  }
  return aligned;
}

/// Bits `at` to `at` + `width` - 1 of `words`; `width` is at most 32.
static Expr extract(ArrayRef<Expr> words, uint64_t at, unsigned width) {
  uint32_t shift = at % 32;
  Expr field = words[at / 32] >> shift;
  if (shift + width > 32)
    field = field | (words[at / 32 + 1] << (32 - shift));
  return width == 32 ? field : field & ((uint32_t(1) << width) - 1);
}

SmallVector<BitField> gpuvm::emitFields(PackedReader &r, Expr base, Expr first,
                                        int64_t count, unsigned width) {
  SmallVector<Expr> words = emitBits(r, base, first, count, width);
  SmallVector<BitField> fields;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t at = i * width;
    fields.push_back({extract(words, at, std::min(width, 32u)), std::nullopt});
    if (width > 32)
      fields.back().high = extract(words, at + 32, width - 32);
  }
  return fields;
}

Expr gpuvm::emitInteger(const BitField &field, unsigned width, bool isSigned,
                        Type type) {
  Expr low = field.low;
  if (isSigned && width < 32)
    low = signExtendLow(low, width);
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 1)
    return low != 0;
  if (bits <= 32)
    return low.truncate(type);
  if (!field.high)
    return isSigned ? low.signExtend(type) : low.extend(type);
  Expr high = isSigned ? signExtendLow(*field.high, width - 32) : *field.high;
  Expr upper = high.extend(type) << 32;
  return low.extend(type) | upper;
}

Expr gpuvm::emitArrayElement(PackedReader &r, Expr base, Expr index,
                             Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  BitField field = {r.word(0), std::nullopt};
  if (bits == 64) {
    field.low = r.load(base + index * 2);
    field.high = r.load(base + index * 2 + 1);
  } else if (bits == 32) {
    field.low = r.load(base + index);
  } else {
    uint32_t perWord = 32 / bits;
    Expr word = r.load(base + index / perWord);
    field.low = shiftRight(word, index % perWord * bits);
  }
  Type integer = r.ir().getIntegerType(bits);
  return emitInteger(field, bits, /*isSigned=*/false, integer).bitcast(element);
}
