//===- BitFields.cpp - a stream of bit-packed numbers ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codecs/BitFields.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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
static SmallVector<Word> emitBits(PackedReader &r, Word base, Word first,
                                  int64_t count, unsigned width) {
  // 32 fields are `width` whole words. Taken from there, no product overflows.
  Word bit = first % 32 * width;
  Word start = base + first / 32 * width + bit / 32;
  Word shift = bit % 32;
  int64_t bits = count * width;
  int64_t step = std::gcd<int64_t>(bits, 32); // Of `shift`.
  int64_t needed = llvm::divideCeil(bits, 32);
  int64_t spanned = llvm::divideCeil(32 - step + bits, 32);
  SmallVector<Word> raw = {r.word(start)}, aligned;
  for (int64_t k = 1; k < spanned; ++k) // The last may lie past the window.
    raw.push_back(r.wordClamped(start + static_cast<uint32_t>(k)));
  if (step == 32)
    return raw;
  Word opposite = r.constant(31) - shift;
  for (int64_t k = 0; k < needed; ++k) {
    Word word = raw[k] >> shift;
    if (k + 1 < spanned) // A shift by 32 is none, so it is done in two.
      word = word | (raw[k + 1] << 1 << opposite);
    aligned.push_back(word);
  }
  return aligned;
}

/// Bits `at` to `at` + `width` - 1 of `words`; `width` is at most 32.
static Word extract(ArrayRef<Word> words, uint64_t at, unsigned width) {
  uint32_t shift = at % 32;
  Word field = words[at / 32] >> shift;
  if (shift + width > 32)
    field = field | (words[at / 32 + 1] << (32 - shift));
  return width == 32 ? field : field & ((uint32_t(1) << width) - 1);
}

SmallVector<BitField> gpuvm::emitFields(PackedReader &r, Word base, Word first,
                                        int64_t count, unsigned width) {
  SmallVector<Word> words = emitBits(r, base, first, count, width);
  SmallVector<BitField> fields;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t at = i * width;
    fields.push_back({extract(words, at, std::min(width, 32u)), std::nullopt});
    if (width > 32)
      fields.back().high = extract(words, at + 32, width - 32);
  }
  return fields;
}

Value gpuvm::emitInteger(PackedReader &r, const BitField &field, unsigned width,
                         bool isSigned, Type type) {
  OpBuilder &b = r.ir();
  Location loc = r.loc();
  Word low = field.low;
  if (isSigned && width < 32)
    low = low.signExtend(width);
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 1)
    return low.isNonzero();
  if (bits < 32)
    return arith::TruncIOp::create(b, loc, type, low.value());
  if (bits == 32)
    return low.value();
  if (!field.high)
    return isSigned ? Value(arith::ExtSIOp::create(b, loc, type, low.value()))
                    : Value(arith::ExtUIOp::create(b, loc, type, low.value()));
  Word high = isSigned ? field.high->signExtend(width - 32) : *field.high;
  Value upper = arith::ExtUIOp::create(b, loc, type, high.value());
  Value amount = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, 32));
  upper = arith::ShLIOp::create(b, loc, upper, amount);
  Value lower = arith::ExtUIOp::create(b, loc, type, low.value());
  return arith::OrIOp::create(b, loc, lower, upper);
}

Value gpuvm::emitArrayElement(PackedReader &r, Word base, Word index,
                              Type element) {
  OpBuilder &b = r.ir();
  unsigned bits = element.getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(bits);
  BitField field = {r.constant(0), std::nullopt};
  if (bits == 64) {
    field.low = r.word(base + index * 2);
    field.high = r.word(base + index * 2 + 1);
  } else if (bits == 32) {
    field.low = r.word(base + index);
  } else {
    uint32_t perWord = 32 / bits;
    field.low = r.word(base + index / perWord) >> (index % perWord * bits);
  }
  Value value = emitInteger(r, field, bits, /*isSigned=*/false, integer);
  if (isa<IntegerType>(element))
    return value;
  return arith::BitcastOp::create(b, r.loc(), element, value);
}
