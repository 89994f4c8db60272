//===- PackedReader.cpp - writing what a kernel does with packed data -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codecs/PackedReader.h"
#include "expr/IndexSum.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::gpuvm;

template <typename OpTy>
static Expr shift(const Expr &word, const Expr &amount) {
  const ExprBuilder &b = word.builder();
  return b(b.ir().createOrFold<OpTy>(b.loc(), Value(word), Value(amount)));
}
Expr gpuvm::shiftLeft(const Expr &word, const Expr &amount) {
  return shift<spirv::ShiftLeftLogicalOp>(word, amount);
}
Expr gpuvm::shiftRight(const Expr &word, const Expr &amount) {
  return shift<spirv::ShiftRightLogicalOp>(word, amount);
}

Expr gpuvm::signExtendLow(const Expr &word, unsigned width) {
  if (width == 32)
    return word;
  return shiftRightSigned(word << (32 - width), 32 - width);
}

Expr gpuvm::bitsInBytes(const Expr &word, int64_t place) {
  // Bit i comes to bit 8 i; the products have no bit in common.
  return ((word & 0xF) * (int64_t(0x00204081) << place)) &
         (int64_t(0x01010101) << place);
}

/// `byte` in all four bytes of a word.
static int64_t repeated(int8_t byte) {
  return int64_t(0x01010101) * static_cast<uint8_t>(byte);
}

Expr gpuvm::lookUpBytes(const Expr &word, const std::array<int8_t, 16> &table) {
  // Bit after bit chooses between the halves of what is left, in all bytes.
  auto chosen = [&](int64_t bit) {
    return ((word >> bit) & 0x01010101) * 0xFF;
  };
  SmallVector<Expr> left;
  Expr isOdd = chosen(0);
  for (size_t i = 0; i < table.size(); i += 2) {
    int64_t even = repeated(table[i]), odd = repeated(table[i + 1]);
    left.push_back((isOdd & (even ^ odd)) ^ even);
  }
  for (int64_t bit = 1; left.size() > 1; ++bit) {
    Expr isSecond = chosen(bit);
    for (size_t i = 0; i < left.size() / 2; ++i) {
      Expr first = left[2 * i];
      left[i] = first ^ (isSecond & (first ^ left[2 * i + 1]));
    }
    left.truncate(left.size() / 2);
  }
  return left.front();
}

Expr gpuvm::isBelow(const Expr &word, uint32_t limit) {
  if (auto bound = getUpperBound(word); bound && *bound < limit)
    return word.builder().truth(true);
  return word < limit;
}

Expr gpuvm::scaled(const Expr &number, const Expr &scale, const Expr &offset) {
  return number.builder().make<spirv::GLFmaOp>(number.getType(), number, scale,
                                               offset);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

PackedReader::PackedReader(OpBuilder &builder, Location loc, uint64_t bytes,
                           bool exact, LoadWords loadWords)
    : ExprBuilder(builder, loc, Folding::All),
      numWords(llvm::divideCeil(bytes, 4)), exact(exact),
      loadWords(std::move(loadWords)) {}

Expr PackedReader::load(const Expr &index) {
  return (*this)(loadWords(index.toIndex(), 1).front());
}

Expr PackedReader::loadClamped(const Expr &index) {
  return load(min(index, numWords - 1));
}

Expr PackedReader::half(const Expr &at) {
  Expr shift = ((at % 4) & 2) << 3;
  return shiftRight(load(at >> 2), shift);
}

SmallVector<Expr> PackedReader::bytes(const Expr &at, int64_t count,
                                      int64_t alignment) {
  Expr first = at >> 2;
  if (count < 4 && count <= alignment) {
    Expr word = load(first);
    return {shiftRight(word, (at % 4) << 3)};
  }
  SmallVector<Expr> words;
  int64_t needed = llvm::divideCeil(count, 4);
  if (alignment >= 4) {
    int64_t atOnce = std::min<int64_t>({needed, alignment / 4, 4});
    for (int64_t k = 0; k < needed; k += atOnce)
      for (Value value : loadWords((first + k).toIndex(), atOnce))
        words.push_back((*this)(value));
    return words;
  }
  // Parts of neighbouring words, if not the words themselves. The last word
  // read holds the last bytes wanted.
  Expr shift = (at % 4) << 3, isShifted = ((at % 4) & 2) != 0;
  Expr low = load(first);
  for (int64_t k = 1; k <= needed; ++k) {
    Expr high = load(k < needed ? first + k : (at + (count - alignment)) >> 2);
    if (alignment == 2)
      words.push_back(select(isShifted, (low >> 16) | (high << 16), low));
    else // Nothing can be shifted by 32 at once.
      words.push_back(shiftRight(low, shift) |
                      shiftLeft(high << 1, shift ^ 31));
    low = high;
  }
  return words;
}

SmallVector<Value> PackedReader::byteElements(ArrayRef<Expr> words,
                                              int64_t count) {
  constexpr int32_t kPerWord = 4;
  Type type = VectorType::get({kPerWord}, ir().getI8Type());
  SmallVector<Value> elements;
  for (const Expr &word : words) {
    Value four = make<spirv::BitcastOp>(type, word);
    for (int32_t i = 0; i < std::min<int64_t>(count, kPerWord); ++i)
      elements.push_back(
          make<spirv::CompositeExtractOp>(four, ArrayRef<int32_t>{i}));
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Expr PackedReader::byteInPlace(ArrayRef<Expr> words, int64_t i) {
  return (words[i / 4] & (int64_t(0xFF) << i % 4 * 8)).toFloat();
}

Expr PackedReader::topScale(const Expr &scale, int64_t unit) {
  return scale * (0x1p-24f / static_cast<float>(unit));
}

Expr PackedReader::signedByteOnTop(ArrayRef<Expr> words, int64_t i) {
  return ((words[i / 4] << (24 - i % 4 * 8)) & 0xFF000000).signedToFloat();
}

ByteScales PackedReader::byteScales(const Expr &scale) {
  return {scale, scale * 0x1p-8f, scale * 0x1p-16f, scale * 0x1p-24f};
}

Expr PackedReader::scaleToFloat(const Expr &word, unsigned half) {
  if (exact)
    return halfToFloat(word >> (16 * half));
  Expr both = make<spirv::GLUnpackHalf2x16Op>(
      VectorType::get({2}, ir().getF32Type()), word);
  return make<spirv::CompositeExtractOp>(
      both, ArrayRef<int32_t>{static_cast<int32_t>(half)});
}

Expr PackedReader::halfToFloat(const Expr &half) {
  constexpr uint32_t kExponent = 0x7C00; // All ones: infinity or NaN.
  constexpr uint32_t kSmallestNormal = 0x0400;
  constexpr uint32_t kRebias = (127 - 15) << 23; // Of the exponent.
  Expr magnitude = half & 0x7FFF;
  Expr normal = (magnitude << 13) + kRebias, special = normal + kRebias;
  // A subnormal number is a multiple of 2^-24.
  Expr unit = constant(ir().getF32Type(), 0x1p-24f);
  Expr small = bitsOf(magnitude.signedToFloat() * unit);
  Expr bits = select(magnitude >= kExponent, special, normal);
  bits = select(magnitude < kSmallestNormal, small, bits);
  return fromBits(bits | ((half & 0x8000) << 16));
}
