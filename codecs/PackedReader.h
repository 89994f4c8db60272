//===- PackedReader.h - writing what a kernel does with packed data -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of a packed window and arithmetic on them as values of C++, so that
// a codec's emission reads like the kernel it becomes. Windows are read in
// 32-bit words only: that needs no feature of the device, and a word is the
// least a GPU moves anyway. All words are unsigned unless a function says
// otherwise.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include <array>
#include <functional>

namespace mlir::gpuvm {
class PackedReader;

/// A 32-bit word of a kernel. Operations with constants fold.
class Word {
public:
  Word(PackedReader &reader, Value value) : reader(&reader), bits(value) {}
  Value value() const { return bits; }

  Word operator+(Word other) const;
  Word operator-(Word other) const;
  Word operator*(Word other) const;
  Word operator&(Word other) const;
  Word operator|(Word other) const;
  Word operator+(uint32_t constant) const { return *this + word(constant); }
  Word operator-(uint32_t constant) const { return *this - word(constant); }
  Word operator*(uint32_t constant) const { return *this * word(constant); }
  Word operator&(uint32_t constant) const { return *this & word(constant); }
  Word operator|(uint32_t constant) const { return *this | word(constant); }
  Word operator^(uint32_t constant) const;
  Word operator/(uint32_t constant) const;
  Word operator%(uint32_t constant) const;
  /// Shifts by less than 32.
  Word operator<<(Word amount) const;
  Word operator>>(Word amount) const;
  Word operator<<(uint32_t amount) const;
  Word operator>>(uint32_t amount) const;

  Word min(uint32_t limit) const;
  Value less(uint32_t limit) const; ///< As i1.
  Value atLeast(Word limit) const;  ///< As i1.
  Value isNonzero() const;          ///< As i1.
  /// The lowest `width` bits as a signed number.
  Word signExtend(unsigned width) const;

private:
  Word word(uint32_t constant) const;

  PackedReader *reader;
  Value bits;
};

/// An f32 of a kernel.
class Number {
public:
  Number(PackedReader &reader, Value value) : reader(&reader), number(value) {}
  Value value() const { return number; }
  Number operator*(Number other) const;
  /// This * `scale` + `offset`, where the product is exact: so it does not
  /// matter whether the device rounds it.
  Number scaled(Number scale, Number offset) const;

private:
  PackedReader *reader;
  Value number;
};

/// A factor of bytes that are left where they lie in a word: for each place.
using ByteScales = std::array<Number, 4>;

class PackedReader {
public:
  /// Loads words `first` .. `first` + `count` - 1 (`first` is an `index`, a
  /// multiple of `count`; `count` is 1, 2 or 4).
  using LoadWords =
      std::function<SmallVector<Value>(Value first, int64_t count)>;

  /// A reader of a window of `bytes` bytes, whose last word is whole. `exact`:
  /// no device may give other bits than the next one.
  PackedReader(OpBuilder &builder, Location loc, uint64_t bytes, bool exact,
               LoadWords loadWords);

  OpBuilder &ir() { return b; }
  Location loc() const { return location; }

  Word constant(uint32_t value);
  Word select(Value condition, Word then, Word otherwise);
  /// An `index`, as a word.
  Word fromIndex(Value index);

  //===--- Reading --------------------------------------------------------===//
  /// Word `index` of the window.
  Word word(Word index);
  /// The same; the last word for indices past it.
  Word wordClamped(Word index);
  /// The 16 bits from byte `at` on, a multiple of 2. The upper bits are
  /// undefined.
  Word half(Word at);
  /// The `count` bytes (a power of two) from byte `at` on, four to a word,
  /// lowest first; `at` is a multiple of `alignment`, or of `count` if that is
  /// less. Less than four leave the upper bits of the word undefined.
  SmallVector<Word> bytes(Word at, int64_t count, int64_t alignment);
  /// The first `count` bytes of `words` as values of type i8.
  SmallVector<Value> byteElements(ArrayRef<Word> words, int64_t count);
  /// The lowest byte of a word, as a number from -128 to 127.
  Word signedByte(Word word) { return word.signExtend(8); }

  //===--- Numbers --------------------------------------------------------===//
  /// The lower 16 bits, an f16, as an f32: exact, NaNs and subnormal numbers
  /// too, by integer operations.
  Number halfToFloat(Word half);
  /// The lower (0) or upper (1) half of a word, but a NaN may become another
  /// one: devices do it in one step.
  Number scaleToFloat(Word word, unsigned half = 0);
  /// A signed word as an f32.
  Number toFloat(Word word);
  Number bitsToFloat(Word word);
  Number number(float value);

  // Bytes are converted to floats in place, which saves shifts; their scales
  // have powers of two, which are exact, to compensate.

  /// Byte `i` of `words`, from 0 to 255: times 256^(i % 4).
  Number byteInPlace(ArrayRef<Word> words, int64_t i);
  ByteScales byteScales(Number scale);
  /// Byte `i` of `words`, from -128 to 127: times 256^3.
  Number signedByteOnTop(ArrayRef<Word> words, int64_t i);
  /// The factor that compensates for that, for bytes that hold `unit` times a
  /// number.
  Number topScale(Number scale, int64_t unit = 1);

private:
  OpBuilder &b;
  Location location;
  uint64_t numWords;
  bool exact;
  LoadWords loadWords;
};

} // namespace mlir::gpuvm
