//===- NearName.cpp - the name that was meant -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimal string alignment: Levenshtein's distance with swapped neighbours.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/NearName.h"

#include <algorithm>
#include <array>

namespace vm {

static constexpr size_t kMaxLetters = 64;

static size_t distance(std::string_view a, std::string_view b) {
  std::array<std::array<size_t, kMaxLetters + 1>, kMaxLetters + 1> d;
  for (size_t i = 0; i <= a.size(); ++i)
    d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j)
    d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      d[i][j] = std::min({replaced, d[i - 1][j] + 1, d[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

std::string nearName(std::string_view name,
                     std::span<const std::string> known) {
  std::string best;
  size_t bestDistance = std::max<size_t>(name.size() / 3, 1) + 1;
  for (const std::string &candidate : known) {
    if (std::max(name.size(), candidate.size()) > kMaxLetters)
      continue;
    size_t d = distance(name, candidate);
    // All letters replaced is another name.
    if (d >= bestDistance || d >= std::max(name.size(), candidate.size()))
      continue;
    bestDistance = d;
    best = candidate;
  }
  return best;
}

std::string didYouMean(std::string_view name,
                       std::span<const std::string> known) {
  std::string near = nearName(name, known);
  return near.empty() ? "" : "did you mean \"" + near + "\"?";
}

} // namespace vm
