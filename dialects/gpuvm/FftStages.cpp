//===- FftStages.cpp - the stages of a transform in one workgroup ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/FftStages.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::gpuvm;

static constexpr int64_t kWorkgroupBytes = 32768;

using Radices = llvm::SmallVector<int64_t, 4>;

int64_t gpuvm::getMaxFftElements(Type element) {
  return kWorkgroupBytes / (element.getIntOrFloatBitWidth() / 8);
}

static bool isBetter(const Radices &a, const Radices &b) {
  if (a.size() != b.size())
    return a.size() < b.size();
  int64_t sumA = llvm::sum_of(a), sumB = llvm::sum_of(b);
  return sumA != sumB ? sumA < sumB : a > b;
}

/// The best factors of `length`, none above `largest`, in descending order:
/// few, then of a small sum, which is what a stage's arithmetic grows with.
static std::optional<Radices> factorize(int64_t length, int64_t largest) {
  if (length == 1)
    return Radices();
  std::optional<Radices> best;
  for (int64_t radix = largest; radix > 1; --radix) {
    if (length % radix != 0)
      continue;
    std::optional<Radices> rest = factorize(length / radix, radix);
    if (!rest)
      continue;
    rest->insert(rest->begin(), radix);
    if (!best || isBetter(*rest, *best))
      best = rest;
  }
  return best;
}

std::optional<FftStages> gpuvm::getFftStages(int64_t length, Type element) {
  if (length < 1 || length > getMaxFftElements(element))
    return std::nullopt;
  std::optional<Radices> radices = factorize(length, kMaxFftRadix);
  if (!radices)
    return std::nullopt;
  if (radices->empty()) // One element.
    radices->push_back(1);
  FftStages stages;
  int64_t before = 1, entries = 0;
  for (int64_t radix : *radices) {
    stages.push_back({radix, before, entries});
    if (before > 1)
      entries += (radix - 1) * before;
    before *= radix;
  }
  return stages;
}

int64_t gpuvm::countTwiddles(const FftStages &stages) {
  const FftStage &last = stages.back();
  return stages.size() == 1 ? 0 : last.index(last.radix);
}
