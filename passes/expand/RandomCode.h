//===- RandomCode.h - scalar code for random numbers ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the patterns that lower gpuvm.random to linalg.generic. docs/random.md
// specifies what is computed.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <array>

namespace mlir::gpuvm {

/// Four words, of type i32.
using RandomBlock = std::array<Value, 4>;

/// What all numbers of one operation have in common; words of type i32.
struct RandomSource {
  std::array<Value, 2> key, stream;
};

/// Where an element's words are: in which block and, of the places in it for
/// as wide elements, at which. Of type index.
struct RandomPlace {
  Value block, place;
};

class RandomCode {
public:
  RandomCode(OpBuilder &b, Location loc, const RandomSource &source)
      : b(b), loc(loc), source(source) {}

  /// How many elements as wide as `type` share a block.
  static int64_t elementsPerBlock(Type type) {
    return type.getIntOrFloatBitWidth() == 64 ? 2 : 4;
  }

  /// The bits at `at`, at one try (RandomWords.cpp).
  Value bits(const RandomPlace &at, Type type, Value attempt);
  /// An f32 or f64 in [0, 1) of the bits of an integer as wide.
  Value uniform(Value bits, Type type);
  /// An integer below `limit`, which is constant or not.
  Value below(const RandomPlace &at, Value limit);
  /// The place of `i`, an index, among `count`, as i32.
  Value permuted(Value i, int64_t count);
  /// An f32 of bits (RandomNormal.cpp).
  Value normal(Value bits);

  Value word(uint32_t value) { return integer(b.getI32Type(), value); }

private:
  template <typename OpTy, typename... Args> Value make(Args &&...args) {
    return OpTy::create(b, loc, std::forward<Args>(args)...);
  }
  Value integer(Type type, uint64_t value) {
    unsigned width = type.getIntOrFloatBitWidth();
    return make<arith::ConstantOp>(
        b.getIntegerAttr(type, APInt(width, value, /*isSigned=*/false,
                                     /*implicitTrunc=*/true)));
  }
  Value number(float value) {
    return make<arith::ConstantOp>(b.getF32FloatAttr(value));
  }
  Value less(Value x, Value y) {
    return make<arith::CmpIOp>(arith::CmpIPredicate::ult, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return make<arith::SelectOp>(condition, x, y);
  }
  Value shiftRight(Value x, unsigned amount) {
    return make<arith::ShRUIOp>(x, integer(x.getType(), amount));
  }

  RandomBlock philox(Value number, Value attempt);
  std::pair<Value, Value> multiply(Value x, Value y);
  Value mix(Value half, Value key);
  Value retry(const RandomPlace &at, Value limit, Value threshold, Value low,
              Value high);
  Value feistel(Value x, const RandomBlock &keys, unsigned bits);
  Value logarithm(Value x);

  OpBuilder &b;
  Location loc;
  const RandomSource &source;
};

} // namespace mlir::gpuvm
