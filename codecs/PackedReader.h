//===- PackedReader.h - writing what a kernel does with packed data -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of a packed window as expressions, so that a codec's emission reads
// like the kernel it becomes. Windows are read in 32-bit words only: that needs
// no feature of the device, and a word is the least a GPU moves anyway.
// Operations with constants fold.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "expr/Expr.h"

#include <array>
#include <functional>

namespace mlir::gpuvm {

/// Shifts by less than 32: those of arith guard against more.
Expr shiftLeft(const Expr &word, const Expr &amount);
Expr shiftRight(const Expr &word, const Expr &amount);
/// The lowest `width` bits of a word as a signed number.
Expr signExtendLow(const Expr &word, unsigned width);
/// Bits 0 to 3 of a word, each as bit `place` (0 to 7) of a byte.
Expr bitsInBytes(const Expr &word, int64_t place);
/// The entries of `table` that the lower halves of a word's bytes say.
Expr lookUpBytes(const Expr &word, const std::array<int8_t, 16> &table);
/// Whether a word is less, which may be known.
Expr isBelow(const Expr &word, uint32_t limit);
/// number * scale + offset, where the product is exact: so it does not matter
/// whether the device rounds it.
Expr scaled(const Expr &number, const Expr &scale, const Expr &offset);

/// A factor of bytes that are left where they lie in a word: for each place.
using ByteScales = std::array<Expr, 4>;

class PackedReader : public ExprBuilder {
public:
  /// Loads words `first` .. `first` + `count` - 1 (`first` is an `index`, a
  /// multiple of `count`; `count` is 1, 2 or 4).
  using LoadWords =
      std::function<SmallVector<Value>(Value first, int64_t count)>;

  /// A reader of a window of `bytes` bytes, whose last word is whole. `exact`:
  /// no device may give other bits than the next one.
  PackedReader(OpBuilder &builder, Location loc, uint64_t bytes, bool exact,
               LoadWords loadWords);

  //===--- Reading --------------------------------------------------------===//
  /// Word `index` of the window.
  Expr load(const Expr &index);
  /// The same; the last word for indices past it.
  Expr loadClamped(const Expr &index);
  /// The 16 bits from byte `at` on, a multiple of 2. The upper bits are
  /// undefined.
  Expr half(const Expr &at);
  /// The `count` bytes (a power of two) from byte `at` on, four to a word,
  /// lowest first; `at` is a multiple of `alignment`, or of `count` if that is
  /// less. Less than four leave the upper bits of the word undefined.
  SmallVector<Expr> bytes(const Expr &at, int64_t count, int64_t alignment);
  /// The first `count` bytes of `words` as values of type i8.
  SmallVector<Value> byteElements(ArrayRef<Expr> words, int64_t count);

  //===--- Numbers, in f32 ------------------------------------------------===//
  /// The lower 16 bits, an f16, as an f32: exact, NaNs and subnormal numbers
  /// too, by integer operations.
  Expr halfToFloat(const Expr &half);
  /// The lower (0) or upper (1) half of a word, but a NaN may become another
  /// one: devices do it in one step.
  Expr scaleToFloat(const Expr &word, unsigned half = 0);

  // Bytes are converted to floats in place, which saves shifts; their scales
  // have powers of two, which are exact, to compensate.

  /// Byte `i` of `words`, from 0 to 255: times 256^(i % 4).
  Expr byteInPlace(ArrayRef<Expr> words, int64_t i);
  ByteScales byteScales(const Expr &scale);
  /// Byte `i` of `words`, from -128 to 127: times 256^3.
  Expr signedByteOnTop(ArrayRef<Expr> words, int64_t i);
  /// The factor that compensates for that, for bytes that hold `unit` times a
  /// number.
  Expr topScale(const Expr &scale, int64_t unit = 1);

private:
  uint64_t numWords;
  bool exact;
  LoadWords loadWords;
};

} // namespace mlir::gpuvm
