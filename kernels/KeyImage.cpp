//===- KeyImage.cpp - keys as words that have their order -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/KeyImage.h"

#include "dialects/gpuvm/Gpuvm.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

Value WordMath::word(uint32_t value) {
  return arith::ConstantOp::create(
      k.ir(), k.loc(), k.ir().getI32IntegerAttr(static_cast<int32_t>(value)));
}
Value WordMath::add(Value a, Value b) {
  return k.ir().createOrFold<arith::AddIOp>(k.loc(), a, b);
}
Value WordMath::sub(Value a, Value b) {
  return k.ir().createOrFold<arith::SubIOp>(k.loc(), a, b);
}
Value WordMath::conjunction(Value a, Value b) {
  return k.ir().createOrFold<arith::AndIOp>(k.loc(), a, b);
}
Value WordMath::either(Value a, Value b) {
  return k.ir().createOrFold<arith::OrIOp>(k.loc(), a, b);
}
Value WordMath::exclusive(Value a, Value b) {
  return k.ir().createOrFold<arith::XOrIOp>(k.loc(), a, b);
}
Value WordMath::left(Value a, Value bits) {
  return k.ir().createOrFold<arith::ShLIOp>(k.loc(), a, bits);
}
Value WordMath::right(Value a, Value bits) {
  return k.ir().createOrFold<arith::ShRUIOp>(k.loc(), a, bits);
}
Value WordMath::less(Value a, Value b) { return k.less(a, b); }
Value WordMath::equal(Value a, Value b) { return k.equal(a, b); }
Value WordMath::toIndex(Value word) {
  return arith::IndexCastUIOp::create(k.ir(), k.loc(), k.ir().getIndexType(),
                                      word);
}
Value WordMath::toWord(Value index) {
  return arith::IndexCastUIOp::create(k.ir(), k.loc(), k.ir().getI32Type(),
                                      index);
}

int64_t gpuvm::countWords(Type element) {
  return element.getIntOrFloatBitWidth() > 32 ? 2 : 1;
}

SmallVector<Value> gpuvm::toWords(KernelBuilder &k, Value element) {
  OpBuilder &b = k.ir();
  Type i32 = b.getI32Type();
  unsigned width = element.getType().getIntOrFloatBitWidth();
  if (isa<FloatType>(element.getType()))
    element =
        arith::BitcastOp::create(b, k.loc(), b.getIntegerType(width), element);
  if (width == 32)
    return {element};
  if (width < 32)
    return {arith::ExtUIOp::create(b, k.loc(), i32, element)};
  Value half = arith::ConstantOp::create(b, k.loc(), b.getI64IntegerAttr(32));
  Value upper = arith::ShRUIOp::create(b, k.loc(), element, half);
  return {arith::TruncIOp::create(b, k.loc(), i32, element),
          arith::TruncIOp::create(b, k.loc(), i32, upper)};
}

Value gpuvm::fromWords(KernelBuilder &k, ArrayRef<Value> words, Type element) {
  OpBuilder &b = k.ir();
  unsigned width = element.getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(width);
  Value value = words.front();
  if (width < 32)
    value = arith::TruncIOp::create(b, k.loc(), integer, value);
  if (width > 32) {
    Value half = arith::ConstantOp::create(b, k.loc(), b.getI64IntegerAttr(32));
    Value lower = arith::ExtUIOp::create(b, k.loc(), integer, words[0]);
    Value upper = arith::ExtUIOp::create(b, k.loc(), integer, words[1]);
    upper = arith::ShLIOp::create(b, k.loc(), upper, half);
    value = arith::OrIOp::create(b, k.loc(), lower, upper);
  }
  if (isa<FloatType>(element))
    value = arith::BitcastOp::create(b, k.loc(), element, value);
  return value;
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

KeyImage::KeyImage(KernelBuilder &k, Type element, bool isUnsigned,
                   bool descends)
    : k(k), w(k), type(element), isUnsigned(isUnsigned || element.isInteger(1)),
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
    result.push_back(w.word(word));
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
  Value isUpper = w.equal(shift, w.word(bits() - 8));
  for (Value &word : words)
    word = k.select(isUpper, word, w.word(0));
  return words;
}

SmallVector<Value> KeyImage::invert(ArrayRef<Value> words) {
  SmallVector<Value> inverse;
  for (auto [word, ones] : llvm::zip_equal(
           words, split(~uint64_t(0) >> (64 - bits()), this->words())))
    inverse.push_back(w.exclusive(word, w.word(ones)));
  return inverse;
}

SmallVector<Value> KeyImage::image(ArrayRef<Value> key) {
  SmallVector<Value> words(key);
  uint32_t sign = split(uint64_t(1) << (bits() - 1), this->words()).back();
  Value &top = words.back();
  auto real = dyn_cast<FloatType>(type);
  if (!real) {
    if (!isUnsigned)
      top = w.exclusive(top, w.word(sign));
    return descends ? invert(words) : words;
  }
  // What is negative is inverted; -0 counts as +0, and a NaN as all ones.
  Value size = w.conjunction(top, w.word(~sign));
  Value infinity = w.word(split(infinityOf(real), this->words()).back());
  Value isNan = w.less(infinity, size);
  Value any = size;
  if (words.size() == 2) {
    any = w.either(size, words[0]);
    Value rest = w.less(w.word(0), words[0]);
    isNan = w.either(isNan, w.conjunction(w.equal(size, infinity), rest));
  }
  Value isNegative = w.conjunction(w.less(size, top), w.less(w.word(0), any));
  top = w.either(size, w.word(sign));
  SmallVector<Value> inverse = invert(key);
  SmallVector<uint32_t> ones =
      split(~uint64_t(0) >> (64 - bits()), this->words());
  for (auto [word, other, one] : llvm::zip_equal(words, inverse, ones))
    word = k.select(isNan, w.word(one), k.select(isNegative, other, word));
  return descends ? invert(words) : words;
}

Value KeyImage::digit(ArrayRef<Value> key, Value shift, int64_t count) {
  SmallVector<Value> words = image(key);
  Value word = words.front();
  if (words.size() == 2)
    word = k.select(w.less(shift, w.word(32)), words[0], words[1]);
  word = w.right(word, w.conjunction(shift, w.word(31)));
  return w.conjunction(word, w.word((uint32_t(1) << count) - 1));
}

Value KeyImage::before(ArrayRef<Value> a, ArrayRef<Value> b) {
  if (a.size() == 1)
    return w.less(a[0], b[0]);
  return w.either(w.less(a[1], b[1]),
                  w.conjunction(w.equal(a[1], b[1]), w.less(a[0], b[0])));
}
