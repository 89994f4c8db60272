//===- PackedReader.cpp - writing what a kernel does with packed data -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codecs/PackedReader.h"
#include "expr/IndexSum.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

template <typename OpTy, typename... Operands>
static Value make(PackedReader &r, Operands... operands) {
  return r.ir().createOrFold<OpTy>(r.loc(), operands...);
}

Word Word::word(uint32_t constant) const { return reader->constant(constant); }

Word Word::operator+(Word other) const {
  return {*reader, make<arith::AddIOp>(*reader, bits, other.bits)};
}
Word Word::operator-(Word other) const {
  return {*reader, make<arith::SubIOp>(*reader, bits, other.bits)};
}
Word Word::operator*(Word other) const {
  return {*reader, make<arith::MulIOp>(*reader, bits, other.bits)};
}
Word Word::operator&(Word other) const {
  return {*reader, make<arith::AndIOp>(*reader, bits, other.bits)};
}
Word Word::operator^(uint32_t constant) const {
  return {*reader, make<arith::XOrIOp>(*reader, bits, word(constant).bits)};
}
Word Word::operator|(Word other) const {
  return {*reader, make<arith::OrIOp>(*reader, bits, other.bits)};
}
// The conversion of arith's shifts guards against amounts of 32 or more.
Word Word::operator<<(Word amount) const {
  return {*reader, make<spirv::ShiftLeftLogicalOp>(*reader, bits, amount.bits)};
}
Word Word::operator>>(Word amount) const {
  return {*reader,
          make<spirv::ShiftRightLogicalOp>(*reader, bits, amount.bits)};
}
Word Word::operator<<(uint32_t amount) const {
  if (amount == 0)
    return *this;
  return {*reader, make<arith::ShLIOp>(*reader, bits, word(amount).bits)};
}
Word Word::operator>>(uint32_t amount) const {
  if (amount == 0)
    return *this;
  if (Value known = emitKnownQuotient(reader->ir(), reader->loc(), bits,
                                      int64_t(1) << amount))
    return reader->fromIndex(known);
  return {*reader, make<arith::ShRUIOp>(*reader, bits, word(amount).bits)};
}

Word Word::operator/(uint32_t constant) const {
  if (llvm::isPowerOf2_32(constant))
    return *this >> llvm::Log2_32(constant);
  if (Value known =
          emitKnownQuotient(reader->ir(), reader->loc(), bits, constant))
    return reader->fromIndex(known);
  return {*reader, make<arith::DivUIOp>(*reader, bits, word(constant).bits)};
}
Word Word::operator%(uint32_t constant) const {
  if (Value known =
          emitKnownRemainder(reader->ir(), reader->loc(), bits, constant))
    return reader->fromIndex(known);
  if (llvm::isPowerOf2_32(constant))
    return *this & (constant - 1);
  return {*reader, make<arith::RemUIOp>(*reader, bits, word(constant).bits)};
}

Word Word::min(uint32_t limit) const {
  return {*reader, make<arith::MinUIOp>(*reader, bits, word(limit).bits)};
}

static Value compare(PackedReader &r, arith::CmpIPredicate predicate, Value x,
                     Value y) {
  return r.ir().createOrFold<arith::CmpIOp>(r.loc(), predicate, x, y);
}
Value Word::less(uint32_t limit) const {
  if (auto bound = getUpperBound(bits); bound && *bound < limit)
    return arith::ConstantOp::create(reader->ir(), reader->loc(),
                                     reader->ir().getBoolAttr(true));
  return compare(*reader, arith::CmpIPredicate::ult, bits, word(limit).bits);
}
Value Word::atLeast(Word limit) const {
  return compare(*reader, arith::CmpIPredicate::uge, bits, limit.bits);
}
Value Word::isNonzero() const {
  return compare(*reader, arith::CmpIPredicate::ne, bits, word(0).bits);
}

Word Word::signExtend(unsigned width) const {
  if (width == 32)
    return *this;
  Word left = *this << (32 - width);
  return {*reader,
          make<arith::ShRSIOp>(*reader, left.bits, word(32 - width).bits)};
}

Number Number::operator*(Number other) const {
  return {*reader, make<arith::MulFOp>(*reader, number, other.number)};
}
Number Number::scaled(Number scale, Number offset) const {
  return {*reader,
          spirv::GLFmaOp::create(reader->ir(), reader->loc(), number.getType(),
                                 number, scale.number, offset.number)};
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

PackedReader::PackedReader(OpBuilder &builder, Location loc, uint64_t bytes,
                           bool exact, LoadWords loadWords)
    : b(builder), location(loc), numWords(llvm::divideCeil(bytes, 4)),
      exact(exact), loadWords(std::move(loadWords)) {}

Word PackedReader::constant(uint32_t value) {
  return {*this,
          arith::ConstantOp::create(
              b, location, b.getI32IntegerAttr(static_cast<int32_t>(value)))};
}

Word PackedReader::select(Value condition, Word then, Word otherwise) {
  return {*this, make<arith::SelectOp>(*this, condition, then.value(),
                                       otherwise.value())};
}

Word PackedReader::fromIndex(Value index) {
  return {*this, b.createOrFold<arith::IndexCastUIOp>(location, b.getI32Type(),
                                                      index)};
}

static Value toIndex(PackedReader &r, Word word) {
  return r.ir().createOrFold<arith::IndexCastUIOp>(
      r.loc(), r.ir().getIndexType(), word.value());
}

Word PackedReader::word(Word index) {
  return {*this, loadWords(toIndex(*this, index), 1).front()};
}

Word PackedReader::wordClamped(Word index) {
  return word(index.min(numWords - 1));
}

Word PackedReader::half(Word at) {
  Word shift = ((at % 4) & 2) << 3;
  return word(at >> 2) >> shift;
}

SmallVector<Word> PackedReader::bytes(Word at, int64_t count,
                                      int64_t alignment) {
  Word first = at >> 2;
  if (count < 4)
    return {word(first) >> ((at % 4) << 3)};
  SmallVector<Word> words;
  int64_t needed = count / 4;
  if (alignment >= 4) {
    int64_t atOnce = std::min<int64_t>({needed, alignment / 4, 4});
    for (int64_t k = 0; k < needed; k += atOnce)
      for (Value value :
           loadWords(toIndex(*this, first + static_cast<uint32_t>(k)), atOnce))
        words.push_back({*this, value});
    return words;
  }
  // A multiple of 2: halves of neighbouring words, if not the words themselves.
  // The last word read holds the last bytes wanted.
  Value shifted = ((at % 4) & 2).isNonzero();
  Word low = word(first);
  for (int64_t k = 1; k <= needed; ++k) {
    Word high = k < needed ? word(first + static_cast<uint32_t>(k))
                           : word((at + static_cast<uint32_t>(count - 2)) >> 2);
    words.push_back(select(shifted, (low >> 16) | (high << 16), low));
    low = high;
  }
  return words;
}

SmallVector<Value> PackedReader::byteElements(ArrayRef<Word> words,
                                              int64_t count) {
  constexpr int32_t kPerWord = 4;
  Type type = VectorType::get({kPerWord}, b.getI8Type());
  SmallVector<Value> elements;
  for (Word word : words) {
    Value four = spirv::BitcastOp::create(b, location, type, word.value());
    for (int32_t i = 0; i < std::min<int64_t>(count, kPerWord); ++i)
      elements.push_back(spirv::CompositeExtractOp::create(
          b, location, four, ArrayRef<int32_t>{i}));
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Number PackedReader::toFloat(Word word) {
  return {*this,
          make<arith::SIToFPOp>(*this, Type(b.getF32Type()), word.value())};
}

Number PackedReader::bitsToFloat(Word word) {
  return {*this,
          make<arith::BitcastOp>(*this, Type(b.getF32Type()), word.value())};
}

Number PackedReader::number(float value) {
  return {*this,
          arith::ConstantOp::create(b, location, b.getF32FloatAttr(value))};
}

Number PackedReader::byteInPlace(ArrayRef<Word> words, int64_t i) {
  auto place = static_cast<uint32_t>(i % 4 * 8);
  Word byte = words[i / 4] & (uint32_t(0xFF) << place);
  return {*this,
          make<arith::UIToFPOp>(*this, Type(b.getF32Type()), byte.value())};
}

Number PackedReader::topScale(Number scale, int64_t unit) {
  return scale * number(0x1p-24f / static_cast<float>(unit));
}

Number PackedReader::signedByteOnTop(ArrayRef<Word> words, int64_t i) {
  auto place = static_cast<uint32_t>(i % 4 * 8);
  return toFloat((words[i / 4] << (24 - place)) & 0xFF000000);
}

ByteScales PackedReader::byteScales(Number scale) {
  return {scale, scale * number(0x1p-8f), scale * number(0x1p-16f),
          scale * number(0x1p-24f)};
}

Number PackedReader::scaleToFloat(Word word, unsigned half) {
  if (exact)
    return halfToFloat(word >> 16 * half);
  Value both = spirv::GLUnpackHalf2x16Op::create(
      b, location, VectorType::get({2}, b.getF32Type()), word.value());
  return {*this, spirv::CompositeExtractOp::create(
                     b, location, both,
                     ArrayRef<int32_t>{static_cast<int32_t>(half)})};
}

Number PackedReader::halfToFloat(Word half) {
  constexpr uint32_t kExponent = 0x7C00; // All ones: infinity or NaN.
  constexpr uint32_t kSmallestNormal = 0x0400;
  constexpr uint32_t kRebias = (127 - 15) << 23; // Of the exponent.
  Word magnitude = half & 0x7FFF;
  Word normal = (magnitude << 13) + kRebias;
  Word special = normal + kRebias;
  // A subnormal number is a multiple of 2^-24.
  Value unit =
      arith::ConstantOp::create(b, location, b.getF32FloatAttr(0x1p-24f));
  Number small = toFloat(magnitude) * Number(*this, unit);
  Word smallBits{*this, make<arith::BitcastOp>(*this, Type(b.getI32Type()),
                                               small.value())};
  Word bits = select(magnitude.atLeast(constant(kExponent)), special, normal);
  bits = select(magnitude.less(kSmallestNormal), smallBits, bits);
  return bitsToFloat(bits | ((half & 0x8000) << 16));
}
