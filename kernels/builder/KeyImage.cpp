//===- KeyImage.cpp - keys as words that have their order -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/builder/KeyImage.h"

#include "dialects/gpuvm/Gpuvm.h"
#include "expr/Expr.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

int64_t gpuvm::countWords(Type element) {
  return element.getIntOrFloatBitWidth() > 32 ? 2 : 1;
}

SmallVector<Value> gpuvm::toWords(KernelBuilder &k, Value element) {
  Type i32 = k.ir().getI32Type();
  Expr bits = bitsOf(ExprBuilder(k.ir(), k.loc())(element));
  if (bits.width() <= 32)
    return {bits.extend(i32)};
  Expr upper = bits >> 32;
  return {bits.truncate(i32), upper.truncate(i32)};
}

Value gpuvm::fromWords(KernelBuilder &k, ArrayRef<Value> words, Type element) {
  ExprBuilder e(k.ir(), k.loc());
  Type integer = k.ir().getIntegerType(element.getIntOrFloatBitWidth());
  if (words.size() == 1)
    return e(words[0]).truncate(integer).bitcast(element);
  Expr half = e.constant(integer, 32), lower = e(words[0]).extend(integer);
  Expr upper = e(words[1]).extend(integer) << half;
  return (lower | upper).bitcast(element);
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

KeyImage::KeyImage(KernelBuilder &k, Type element, bool isUnsigned,
                   bool descends)
    : k(k), type(element), isUnsigned(isUnsigned || element.isInteger(1)),
      descends(descends) {}

int64_t KeyImage::bits() const { return 8 * elementBytes(type); }

/// The words of a constant of `count` words.
static SmallVector<uint32_t> split(uint64_t bits, int64_t count) {
  SmallVector<uint32_t> words = {static_cast<uint32_t>(bits)};
  if (count == 2)
    words.push_back(static_cast<uint32_t>(bits >> 32));
  return words;
}

static uint64_t infinityOf(FloatType type) {
  return APFloat::getInf(type.getFloatSemantics())
      .bitcastToAPInt()
      .getZExtValue();
}

SmallVector<Value> KeyImage::constant(uint64_t key) {
  SmallVector<Value> result;
  for (uint32_t word : split(key, words()))
    result.push_back(k.word(word));
  return result;
}

SmallVector<Value> KeyImage::last() {
  uint64_t ones = ~uint64_t(0) >> (64 - bits());
  uint64_t sign = uint64_t(1) << (bits() - 1);
  if (auto real = dyn_cast<FloatType>(type))
    return constant(descends ? sign | infinityOf(real) : ones ^ sign);
  return constant((isUnsigned ? 0 : sign) ^ (descends ? 0 : ones));
}

/// Minus infinity, the last float of those that descend, has all ones in the
/// upper byte of its image, or the most that there are, but +0 in the others.
SmallVector<Value> KeyImage::lastOfDigit(Value shift) {
  SmallVector<Value> words = last();
  if (!isa<FloatType>(type) || !descends)
    return words;
  Expr isUpper = k(shift) == bits() - 8;
  for (Value &word : words)
    word = select(isUpper, word, k.word(0));
  return words;
}

SmallVector<Value> KeyImage::invert(ArrayRef<Value> words) {
  SmallVector<Value> inverse;
  for (auto [word, ones] : llvm::zip_equal(
           words, split(~uint64_t(0) >> (64 - bits()), this->words())))
    inverse.push_back(k(word) ^ ones);
  return inverse;
}

SmallVector<Value> KeyImage::image(ArrayRef<Value> key) {
  SmallVector<Value> words(key);
  uint32_t sign = split(uint64_t(1) << (bits() - 1), this->words()).back();
  Value &top = words.back();
  auto real = dyn_cast<FloatType>(type);
  if (!real) {
    if (!isUnsigned)
      top = k(top) ^ sign;
    return descends ? invert(words) : words;
  }
  // What is negative is inverted; -0 counts as +0, and a NaN as all ones.
  Expr size = k(top) & (~sign);
  Expr infinity = k.word(split(infinityOf(real), this->words()).back());
  Expr isNan = infinity < size;
  Value any = size;
  if (words.size() == 2) {
    any = size | words[0];
    Value rest = k.word(0) < words[0];
    isNan = isNan | ((size == infinity) & rest);
  }
  Expr isNegative = (size < top) & (k.word(0) < any);
  top = size | sign;
  SmallVector<Value> inverse = invert(key);
  SmallVector<uint32_t> ones =
      split(~uint64_t(0) >> (64 - bits()), this->words());
  for (auto [word, other, one] : llvm::zip_equal(words, inverse, ones))
    word = select(isNan, k.word(one), select(isNegative, other, word));
  return descends ? invert(words) : words;
}

Value KeyImage::digit(ArrayRef<Value> key, Value shift, int64_t count) {
  SmallVector<Value> words = image(key);
  Value word = words.front();
  if (words.size() == 2)
    word = select(k(shift) < 32, words[0], words[1]);
  word = k(word) >> (k(shift) & 31);
  return k(word) & (k.word((uint32_t(1) << count) - 1));
}

Value KeyImage::before(ArrayRef<Value> a, ArrayRef<Value> b) {
  if (a.size() == 1)
    return k(a[0]) < b[0];
  return (k(a[1]) < b[1]) | ((k(a[1]) == b[1]) & (k(a[0]) < b[0]));
}
