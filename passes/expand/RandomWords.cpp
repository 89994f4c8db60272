//===- RandomWords.cpp - random integers ----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/expand/RandomCode.h"

#include "dialects/gpuvm/RandomConstants.h"
#include "dialects/gpuvm/ScalarBody.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::random;

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

RandomBlock RandomCode::philox(Value number, Value attempt) {
  RandomBlock c = {number, attempt, source.stream[0], source.stream[1]};
  Value key0 = source.key[0], key1 = source.key[1];
  for (unsigned round = 0; round < kRounds; ++round) {
    auto product0 =
        arith::MulUIExtendedOp::create(b, loc, c[0], word(kMultiplier0));
    auto product1 =
        arith::MulUIExtendedOp::create(b, loc, c[2], word(kMultiplier1));
    c = {make<arith::XOrIOp>(make<arith::XOrIOp>(product1.getHigh(), c[1]),
                             key0),
         product1.getLow(),
         make<arith::XOrIOp>(make<arith::XOrIOp>(product0.getHigh(), c[3]),
                             key1),
         product0.getLow()};
    key0 = make<arith::AddIOp>(key0, word(kWeyl0));
    key1 = make<arith::AddIOp>(key1, word(kWeyl1));
  }
  return c;
}

Value RandomCode::bits(const RandomPlace &at, Type type, Value attempt) {
  Type i32 = b.getI32Type();
  bool wide = elementsPerBlock(type) == 2;
  Value number = make<arith::IndexCastOp>(i32, at.block);
  Value place = make<arith::IndexCastOp>(i32, at.place);
  RandomBlock block = philox(number, attempt);
  auto isPlace = [&](uint32_t value) {
    return make<arith::CmpIOp>(arith::CmpIPredicate::eq, place, word(value));
  };
  if (!wide) {
    Value lower = select(isPlace(0), block[0], block[1]);
    Value upper = select(isPlace(2), block[2], block[3]);
    return select(less(place, word(2)), lower, upper);
  }
  Value first = isPlace(0);
  Value low = make<arith::ExtUIOp>(type, select(first, block[0], block[2]));
  Value high = make<arith::ExtUIOp>(type, select(first, block[1], block[3]));
  high = make<arith::ShLIOp>(high, integer(type, 32));
  return make<arith::OrIOp>(high, low);
}

/// Exact, with integer operations in place of a product in f64.
Value RandomCode::uniform(Value bits, Type type) {
  if (type.isF32())
    return make<arith::MulFOp>(make<arith::UIToFPOp>(type, shiftRight(bits, 8)),
                               number(0x1p-24f));
  constexpr uint64_t kExponent = uint64_t(53) << 52;
  Type wide = b.getI64Type();
  Value top = shiftRight(bits, 11);
  Value whole = make<arith::BitcastOp>(wide, make<arith::UIToFPOp>(type, top));
  Value scaled = make<arith::SubIOp>(whole, integer(wide, kExponent));
  Value isZero =
      make<arith::CmpIOp>(arith::CmpIPredicate::eq, top, integer(wide, 0));
  return make<arith::BitcastOp>(type, select(isZero, top, scaled));
}

//===----------------------------------------------------------------------===//
// Below a limit (Lemire: Fast random integer generation in an interval, ACM
// Transactions on Modeling and Computer Simulation 29(1), 2019)
//===----------------------------------------------------------------------===//

/// The lower and the upper half of a product. Of i64 the upper half is computed
/// of products of 32-bit halves, which every device has.
std::pair<Value, Value> RandomCode::multiply(Value x, Value y) {
  Type type = x.getType();
  if (type.isInteger(32)) {
    auto product = arith::MulUIExtendedOp::create(b, loc, x, y);
    return {product.getLow(), product.getHigh()};
  }
  Value mask = integer(type, UINT32_MAX);
  auto lower = [&](Value v) { return make<arith::AndIOp>(v, mask); };
  auto upper = [&](Value v) { return shiftRight(v, 32); };
  auto times = [&](Value v, Value w) { return make<arith::MulIOp>(v, w); };
  auto plus = [&](Value v, Value w) { return make<arith::AddIOp>(v, w); };
  Value low = times(lower(x), lower(y));
  Value cross = times(lower(x), upper(y)), other = times(upper(x), lower(y));
  Value middle = plus(plus(upper(low), lower(cross)), lower(other));
  Value high = plus(times(upper(x), upper(y)), upper(cross));
  return {times(x, y), plus(plus(high, upper(other)), upper(middle))};
}

/// The upper half of the first product whose lower half is not below the
/// threshold, beginning with that of try 0, which is given.
Value RandomCode::retry(const RandomPlace &at, Value limit, Value threshold,
                        Value low, Value high) {
  Type type = limit.getType();
  SmallVector<Type> types = {b.getI32Type(), type, type};
  auto loop = scf::WhileOp::create(
      b, loc, types, ValueRange{word(0), low, high},
      [&](OpBuilder &, Location, ValueRange state) {
        scf::ConditionOp::create(b, loc, less(state[1], threshold), state);
      },
      [&](OpBuilder &, Location, ValueRange state) {
        Value attempt = make<arith::AddIOp>(state[0], word(1));
        auto [nextLow, nextHigh] = multiply(bits(at, type, attempt), limit);
        scf::YieldOp::create(b, loc, ValueRange{attempt, nextLow, nextHigh});
      });
  loop->setAttr(kSeldomAttr, b.getUnitAttr());
  return loop.getResult(2);
}

Value RandomCode::below(const RandomPlace &at, Value limit) {
  Type type = limit.getType();
  auto [low, high] = multiply(bits(at, type, word(0)), limit);
  IntegerAttr known;
  if (matchPattern(limit, m_Constant(&known))) {
    APInt n = known.getValue(), threshold = (-n).urem(n);
    if (threshold.isZero()) // n divides 2^width.
      return high;
    return retry(at, limit, integer(type, threshold.getZExtValue()), low, high);
  }
  // The threshold is less than the limit: mostly it need not be known.
  auto branch = scf::IfOp::create(b, loc, type, less(low, limit),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value negative = make<arith::SubIOp>(integer(type, 0), limit);
  Value threshold = make<arith::RemUIOp>(negative, limit);
  Value accepted = retry(at, limit, threshold, low, high);
  scf::YieldOp::create(b, loc, accepted);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, high);
  return branch.getResult(0);
}

//===----------------------------------------------------------------------===//
// Permutations
//===----------------------------------------------------------------------===//

/// A word that depends on all bits of `half` and `key`.
Value RandomCode::mix(Value half, Value key) {
  Value x = make<arith::AddIOp>(make<arith::MulIOp>(half, word(kGolden)), key);
  x = make<arith::XOrIOp>(x, shiftRight(x, 16));
  x = make<arith::MulIOp>(x, word(kMix0));
  x = make<arith::XOrIOp>(x, shiftRight(x, 13));
  x = make<arith::MulIOp>(x, word(kMix1));
  return make<arith::XOrIOp>(x, shiftRight(x, 16));
}

/// Another number of `bits` bits: each round changes one half of it by what the
/// other one is.
Value RandomCode::feistel(Value x, const RandomBlock &keys, unsigned bits) {
  unsigned lowBits = bits / 2;
  Value lowMask = word((1u << lowBits) - 1);
  Value highMask = word((1u << (bits - lowBits)) - 1);
  Value low = make<arith::AndIOp>(x, lowMask), high = shiftRight(x, lowBits);
  for (unsigned round = 0; round < kFeistelRounds; ++round) {
    Value key = make<arith::AddIOp>(keys[round % 4], word(round * kGolden));
    Value &changed = round % 2 == 0 ? high : low;
    Value mixed = make<arith::AndIOp>(mix(round % 2 == 0 ? low : high, key),
                                      round % 2 == 0 ? highMask : lowMask);
    changed = make<arith::XOrIOp>(changed, mixed);
  }
  high = make<arith::ShLIOp>(high, word(lowBits));
  return make<arith::OrIOp>(high, low);
}

/// Numbers beyond the last one are permuted once more: their cycle leads back.
Value RandomCode::permuted(Value i, int64_t count) {
  unsigned bits = std::max(2u, llvm::Log2_64_Ceil(count));
  Type i32 = b.getI32Type();
  RandomBlock keys = philox(word(0), word(0));
  Value first = make<arith::IndexCastOp>(i32, i);
  auto loop = scf::WhileOp::create(
      b, loc, TypeRange(i32), first,
      [&](OpBuilder &, Location, ValueRange state) {
        Value next = feistel(state[0], keys, bits);
        Value isBeyond =
            make<arith::CmpIOp>(arith::CmpIPredicate::uge, next, word(count));
        scf::ConditionOp::create(b, loc, isBeyond, next);
      },
      [&](OpBuilder &, Location, ValueRange state) {
        scf::YieldOp::create(b, loc, state);
      });
  return loop.getResult(0);
}
