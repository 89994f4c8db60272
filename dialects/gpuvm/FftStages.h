//===- FftStages.h - the stages of a transform in one workgroup -*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transform of N = r0 r1 r2 ... elements is a stage for each factor. Which
// factors, in which order, follows from N and the type of the elements alone,
// and so does the order of all sums. The pass that computes the table of
// twiddle factors and the emitter that reads it both ask here.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace mlir::gpuvm {
class FftOp;

/// The largest factor, and the largest prime one.
inline constexpr int64_t kMaxFftRadix = 16, kMaxFftPrime = 13;

/// N / radix transforms of `radix` elements. Transform j takes elements j + q N
/// / radix of the results of the stage before, times exp(-2 pi i q (j % before)
/// / (before radix)), and computes elements j / before * before * radix + j %
/// before + q before.
struct FftStage {
  int64_t radix;
  int64_t before;       ///< The product of the factors of the stages before.
  int64_t firstTwiddle; ///< Where its part of the table begins.
  int64_t index(int64_t q) const { return firstTwiddle + (q - 1) * before; }
};
using FftStages = llvm::SmallVector<FftStage, 4>;

/// The elements that the lanes of a workgroup can exchange at a time, one word
/// each: 32 KiB of workgroup memory, which lavapipe has.
int64_t getMaxFftElements(Type element);

/// The stages of a transform of `length` elements, as few as possible; none if
/// it does not fit one workgroup or has a larger prime factor.
std::optional<FftStages> getFftStages(int64_t length, Type element);

/// The entries of their table: for each stage but the first, for q = 1 ..
/// radix - 1, exp(-2 pi i q n / (before radix)) for n = 0 .. before - 1.
int64_t countTwiddles(const FftStages &stages);

/// The shape of the result of `op` before dimensions are taken together.
llvm::SmallVector<int64_t> getPlacedShape(FftOp op);

} // namespace mlir::gpuvm
