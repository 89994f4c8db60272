//===- Random.cpp - random numbers ----------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written from docs/random.md, and from the paper on Philox.
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Evaluate.h"
#include "dialects/gpuvm/RandomConstants.h"

#include <bit>
#include <cstring>

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::random;
using namespace mlir::gpuvm::reference;

namespace {
using Words = std::array<uint32_t, 4>;

/// What the words of one operation depend on besides the counter.
struct Source {
  std::array<uint32_t, 2> key = {}, stream = {};

  Words block(uint32_t number, uint32_t attempt) const;
  uint64_t bits(uint64_t i, unsigned width, uint32_t attempt) const;
};
} // namespace

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

static uint32_t upperHalf(uint32_t x, uint32_t y) {
  return static_cast<uint32_t>(static_cast<uint64_t>(x) * y >> 32);
}

Words Source::block(uint32_t number, uint32_t attempt) const {
  Words c = {number, attempt, stream[0], stream[1]};
  std::array<uint32_t, 2> k = key;
  for (unsigned round = 0; round < kRounds; ++round) {
    c = {upperHalf(c[2], kMultiplier1) ^ c[1] ^ k[0], c[2] * kMultiplier1,
         upperHalf(c[0], kMultiplier0) ^ c[3] ^ k[1], c[0] * kMultiplier0};
    k[0] += kWeyl0;
    k[1] += kWeyl1;
  }
  return c;
}

uint64_t Source::bits(uint64_t i, unsigned width, uint32_t attempt) const {
  if (width == 32)
    return block(i / 4, attempt)[i % 4];
  Words words = block(i / 2, attempt);
  return words[i % 2 * 2] | uint64_t(words[i % 2 * 2 + 1]) << 32;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// w = -log(1 - x^2), where x is `part` and 1 - x is `rest`.
static float findDepth(float part, float rest) {
  float product = rest * (part + 1.0f);
  uint32_t moved = std::bit_cast<uint32_t>(product) + 0x3F800000 - kSqrtHalf;
  int32_t exponent = static_cast<int32_t>(moved) / (1 << 23) - 127;
  float f = std::bit_cast<float>((moved & 0x7FFFFF) + kSqrtHalf) - 1.0f;
  float series = 0.0f;
  for (size_t i = kLog.size(); i-- > 0;)
    series = i + 1 == kLog.size() ? kLog[i] : series * f + kLog[i];
  return -(static_cast<float>(exponent) * kLog2 + f * series);
}

static float normal(uint32_t bits) {
  bool isNegative = bits >> 31 != 0;
  uint32_t magnitude = isNegative ? ~bits : bits;
  uint32_t units = 2 * magnitude + 1;
  float part = static_cast<float>(units) * 0x1p-32f;
  float rest = static_cast<float>(0u - units) * 0x1p-32f;
  float depth = findDepth(part, rest);
  const NormalPiece &piece = kNormalPieces[depth < kNormalTail ? 0 : 1];
  float t = depth - piece.centre, series = piece.coefficients.back();
  for (size_t i = piece.coefficients.size() - 1; i-- > 0;)
    series = series * t + piece.coefficients[i];
  float result = part * series;
  return isNegative ? -result : result;
}

template <typename Wide>
static uint64_t below(const Source &source, uint64_t i, unsigned width,
                      uint64_t n) {
  if (n == 0)
    return 0;
  uint64_t most = width == 64 ? UINT64_MAX : UINT32_MAX;
  uint64_t threshold = (most % n + 1) % n; // 2^width mod n
  for (uint32_t attempt = 0;; ++attempt) {
    Wide product = static_cast<Wide>(source.bits(i, width, attempt)) * n;
    if (static_cast<uint64_t>(product & most) >= threshold)
      return static_cast<uint64_t>(product >> width);
  }
}

static uint32_t feistel(uint32_t x, const Words &keys, unsigned bits) {
  unsigned lowBits = bits / 2, highBits = bits - lowBits;
  uint32_t low = x % (1u << lowBits), high = x >> lowBits;
  for (unsigned round = 0; round < kFeistelRounds; ++round) {
    bool changesHigh = round % 2 == 0;
    uint32_t y = (changesHigh ? low : high) * kGolden +
                 (keys[round % 4] + round * kGolden);
    y = (y ^ y >> 16) * kMix0;
    y = (y ^ y >> 13) * kMix1;
    y ^= y >> 16;
    if (changesHigh)
      high ^= y % (1u << highBits);
    else
      low ^= y % (1u << lowBits);
  }
  return high << lowBits | low;
}

static uint32_t permuted(const Source &source, uint32_t i, uint64_t count) {
  unsigned bits = std::max<unsigned>(2, std::bit_width(count - 1));
  Words keys = source.block(0, 0);
  do
    i = feistel(i, keys, bits);
  while (i >= count);
  return i;
}

//===----------------------------------------------------------------------===//
// The operation
//===----------------------------------------------------------------------===//

static std::array<uint32_t, 2> wordsOf(const vm::HostTensor &tensor) {
  std::array<uint32_t, 2> words = {};
  std::memcpy(words.data(), tensor.bytes.data(), tensor.bytes.size());
  return words;
}

/// Element i of the result, as an integer of its width.
static uint64_t findElement(RandomOp op, const Source &source, uint64_t limit,
                            uint64_t count, uint64_t i) {
  Type type = getElementTypeOrSelf(op.getResult().getType());
  unsigned width = type.getIntOrFloatBitWidth();
  switch (op.getKind()) {
  case RandomKind::bits:
    return source.bits(i, width, 0);
  case RandomKind::uniform:
    if (width == 32)
      return std::bit_cast<uint32_t>(
          static_cast<float>(source.bits(i, 32, 0) >> 8) * 0x1p-24f);
    return std::bit_cast<uint64_t>(
        static_cast<double>(source.bits(i, 64, 0) >> 11) * 0x1p-53);
  case RandomKind::normal:
    return std::bit_cast<uint32_t>(normal(source.bits(i, 32, 0)));
  case RandomKind::below:
    return width == 32 ? below<uint64_t>(source, i, width, limit)
                       : below<unsigned __int128>(source, i, width, limit);
  case RandomKind::permutation:
    return permuted(source, i, count);
  }
  llvm_unreachable("there are no other kinds");
}

Results gpuvm::reference::evaluate(RandomOp op, const Environment &env) {
  Source source;
  source.key = wordsOf(*env.get(op.getSeed()));
  if (op.getStream())
    source.stream = wordsOf(*env.get(op.getStream()));
  uint64_t limit = op.getBound().value_or(0);
  if (op.getLimit()) {
    const std::vector<uint8_t> &bytes = env.get(op.getLimit())->bytes;
    std::memcpy(&limit, bytes.data(), bytes.size());
  }
  vm::HostTensor result = *makeZero(op.getResult().getType());
  uint64_t count = result.numElements(), size = byteSize(result.dtype);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t element = findElement(op, source, limit, count, i);
    std::memcpy(result.bytes.data() + i * size, &element, size);
  }
  return SmallVector<Tensor>{share(std::move(result))};
}
