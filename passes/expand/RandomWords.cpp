//===- RandomWords.cpp - random integers ----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/expand/RandomCode.h"

#include "dialects/gpuvm/RandomConstants.h"
#include "dialects/gpuvm/ScalarBody.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::random;

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

RandomBlock RandomCode::philox(const Expr &number, const Expr &attempt) {
  RandomBlock c = {number, attempt, source.stream[0], source.stream[1]};
  Expr key0 = source.key[0], key1 = source.key[1];
  for (unsigned round = 0; round < kRounds; ++round) {
    auto [low0, high0] = multiplyWords(c[0], b.word(kMultiplier0));
    auto [low1, high1] = multiplyWords(c[2], b.word(kMultiplier1));
    c = {high1 ^ c[1] ^ key0, low1, high0 ^ c[3] ^ key1, low0};
    key0 = key0 + kWeyl0;
    key1 = key1 + kWeyl1;
  }
  return c;
}

Expr RandomCode::bits(const RandomPlace &at, Type type, const Expr &attempt) {
  Expr number = at.block.signedToWord(), place = at.place.signedToWord();
  RandomBlock block = philox(number, attempt);
  Expr isFirst = place == 0;
  if (elementsPerBlock(type) == 4) {
    Expr lower = select(isFirst, block[0], block[1]);
    Expr upper = select(place == 2, block[2], block[3]);
    return select(place < 2, lower, upper);
  }
  Expr low = select(isFirst, block[0], block[2]).extend(type);
  Expr high = select(isFirst, block[1], block[3]).extend(type);
  return (high << 32) | low;
}

/// Exact, with integer operations in place of a product in f64.
Expr RandomCode::uniform(const Expr &bits) {
  if (!bits.isWide())
    return (bits >> 8).toFloat() * 0x1p-24f;
  constexpr uint64_t kExponent = uint64_t(53) << 52;
  Expr top = bits >> 11, scaled = bitsOf(top.toFloat()) - kExponent;
  return fromBits(select(top == 0, top, scaled));
}

//===----------------------------------------------------------------------===//
// Below a limit (Lemire: Fast random integer generation in an interval, ACM
// Transactions on Modeling and Computer Simulation 29(1), 2019)
//===----------------------------------------------------------------------===//

/// The lower and the upper half of a product. Of i64 the upper half is computed
/// of products of 32-bit halves, which every device has.
static std::pair<Expr, Expr> multiply(const Expr &x, const Expr &y) {
  if (!x.isWide())
    return multiplyWords(x, y);
  Expr mask = x.constant(UINT32_MAX);
  Expr xLow = x & mask, yLow = y & mask, low = xLow * yLow;
  Expr yHigh = y >> 32, cross = xLow * yHigh;
  Expr xHigh = x >> 32, other = xHigh * yLow;
  Expr middle = low >> 32;
  middle = middle + (cross & mask);
  middle = middle + (other & mask);
  Expr high = xHigh * yHigh;
  high = high + (cross >> 32);
  Expr product = x * y;
  high = high + (other >> 32);
  return {product, high + (middle >> 32)};
}

/// The upper half of the first product whose lower half is not below the
/// threshold, beginning with that of try 0, which is given.
Expr RandomCode::retry(const RandomPlace &at, const Expr &limit,
                       const Expr &threshold, const Expr &low,
                       const Expr &high) {
  Type type = limit.getType();
  SmallVector<Type> types = {b.ir().getI32Type(), type, type};
  auto loop = scf::WhileOp::create(
      b.ir(), b.loc(), types, ValueRange{b.word(0), low, high},
      [&](OpBuilder &inside, Location loc, ValueRange state) {
        scf::ConditionOp::create(inside, loc, b(state[1]) < threshold, state);
      },
      [&](OpBuilder &inside, Location loc, ValueRange state) {
        Expr attempt = b(state[0]) + 1;
        auto [nextLow, nextHigh] = multiply(bits(at, type, attempt), limit);
        scf::YieldOp::create(inside, loc,
                             ValueRange{attempt, nextLow, nextHigh});
      });
  loop->setAttr(kSeldomAttr, b.ir().getUnitAttr());
  return b(loop.getResult(2));
}

Expr RandomCode::below(const RandomPlace &at, const Expr &limit) {
  Type type = limit.getType();
  auto product = multiply(bits(at, type, b.word(0)), limit);
  auto &[low, high] = product;
  IntegerAttr known;
  if (matchPattern(Value(limit), m_Constant(&known))) {
    APInt n = known.getValue(), threshold = (-n).urem(n);
    if (threshold.isZero()) // n divides 2^width.
      return high;
    return retry(at, limit, limit.constant(threshold.getZExtValue()), low,
                 high);
  }
  // The threshold is less than the limit: mostly it need not be known.
  auto accepted = [&](OpBuilder &inside, Location loc) {
    Expr threshold = (0 - limit) % limit;
    Value number = retry(at, limit, threshold, product.first, product.second);
    scf::YieldOp::create(inside, loc, number);
  };
  auto first = [&](OpBuilder &inside, Location loc) {
    scf::YieldOp::create(inside, loc, Value(product.second));
  };
  return b(scf::IfOp::create(b.ir(), b.loc(), low < limit, accepted, first)
               .getResult(0));
}

//===----------------------------------------------------------------------===//
// Permutations
//===----------------------------------------------------------------------===//

/// A word that depends on all bits of `half` and `key`.
static Expr mix(const Expr &half, const Expr &key) {
  Expr x = half * kGolden + key;
  x = (x ^ (x >> 16)) * kMix0;
  x = (x ^ (x >> 13)) * kMix1;
  return x ^ (x >> 16);
}

/// Another number of `bits` bits: each round changes one half of it by what the
/// other one is.
static Expr feistel(const Expr &x, const RandomBlock &keys, unsigned bits) {
  unsigned lowBits = bits / 2;
  Expr lowMask = x.constant((1u << lowBits) - 1);
  Expr highMask = x.constant((1u << (bits - lowBits)) - 1);
  Expr low = x & lowMask, high = x >> lowBits;
  for (unsigned round = 0; round < kFeistelRounds; ++round) {
    Expr key = keys[round % 4] + round * kGolden;
    if (round % 2 == 0)
      high = high ^ (mix(low, key) & highMask);
    else
      low = low ^ (mix(high, key) & lowMask);
  }
  return (high << lowBits) | low;
}

/// Numbers beyond the last one are permuted once more: their cycle leads back.
Expr RandomCode::permuted(const Expr &i, int64_t count) {
  unsigned bits = std::max(2u, llvm::Log2_64_Ceil(count));
  Expr number = b.word(0);
  RandomBlock keys = philox(number, b.word(0));
  auto loop = scf::WhileOp::create(
      b.ir(), b.loc(), TypeRange(b.ir().getI32Type()),
      ValueRange{i.signedToWord()},
      [&](OpBuilder &inside, Location loc, ValueRange state) {
        Expr next = feistel(b(state[0]), keys, bits);
        scf::ConditionOp::create(inside, loc, next >= count, Value(next));
      },
      [&](OpBuilder &inside, Location loc, ValueRange state) {
        scf::YieldOp::create(inside, loc, state);
      });
  return b(loop.getResult(0));
}
