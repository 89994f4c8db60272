//===- Statistics.cpp - middle and spread of repeated measurements --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Percentiles of a sorted sample.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace vm {

static double quantile(const std::vector<double> &sorted, double fraction) {
  double position = fraction * static_cast<double>(sorted.size() - 1);
  size_t below = static_cast<size_t>(std::floor(position));
  size_t above = std::min(below + 1, sorted.size() - 1);
  double weight = position - static_cast<double>(below);
  return sorted[below] * (1 - weight) + sorted[above] * weight;
}

Spread spreadOf(std::vector<double> samples) {
  if (samples.empty())
    return {};
  std::sort(samples.begin(), samples.end());
  return {quantile(samples, 0.5), quantile(samples, 0.1),
          quantile(samples, 0.9)};
}

} // namespace vm
