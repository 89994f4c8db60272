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

#include "expr/Expr.h"

#include <array>

namespace mlir::gpuvm {

/// Four words, of type i32.
using RandomBlock = std::array<Expr, 4>;

/// What all numbers of one operation have in common; words of type i32.
struct RandomSource {
  std::array<Expr, 2> key, stream;
};

/// Where an element's words are: in which block and, of the places in it for
/// as wide elements, at which. Of type index.
struct RandomPlace {
  Expr block, place;
};

class RandomCode {
public:
  RandomCode(const ExprBuilder &b, const RandomSource &source)
      : b(b), source(source) {}

  /// How many elements as wide as `type` share a block.
  static int64_t elementsPerBlock(Type type) {
    return type.getIntOrFloatBitWidth() == 64 ? 2 : 4;
  }

  /// The bits at `at`, at one try (RandomWords.cpp).
  Expr bits(const RandomPlace &at, Type type, const Expr &attempt);
  /// An f32 or f64 in [0, 1) of the bits of an integer as wide.
  static Expr uniform(const Expr &bits);
  /// An integer below `limit`, which is constant or not.
  Expr below(const RandomPlace &at, const Expr &limit);
  /// The place of `i`, an index, among `count`, as i32.
  Expr permuted(const Expr &i, int64_t count);
  /// An f32 of bits (RandomNormal.cpp).
  static Expr normal(const Expr &bits);

private:
  RandomBlock philox(const Expr &number, const Expr &attempt);
  Expr retry(const RandomPlace &at, const Expr &limit, const Expr &threshold,
             const Expr &low, const Expr &high);

  ExprBuilder b;
  const RandomSource &source;
};

} // namespace mlir::gpuvm
