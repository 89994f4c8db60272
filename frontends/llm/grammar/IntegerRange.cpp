//===- IntegerRange.cpp - grammars of integers within bounds --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/grammar/IntegerRange.h"

#include <fmt/format.h>

#include <algorithm>

namespace vm::llm {

/// The digits from `first` to `last`.
static std::string digit(char first, char last) {
  if (first == last)
    return fmt::format("\"{}\"", first);
  return fmt::format("[{}-{}]", first, last);
}

/// Numbers of as many digits as both have.
static std::string digitsBetween(const std::string &least,
                                 const std::string &most) {
  size_t rest = least.size() - 1;
  if (rest == 0)
    return digit(least[0], most[0]);
  std::string zeros(rest, '0'), nines(rest, '9');
  std::string leastRest = least.substr(1), mostRest = most.substr(1);
  char first = least[0], last = most[0];
  if (first == last)
    return fmt::format("\"{}\" {}", first, digitsBetween(leastRest, mostRest));

  std::string all;
  auto add = [&](const std::string &alternative) {
    all += (all.empty() ? "" : " | ") + alternative;
  };
  if (leastRest != zeros)
    add(fmt::format("\"{}\" {}", first++, digitsBetween(leastRest, nines)));
  std::string end;
  if (mostRest != nines)
    end = fmt::format("\"{}\" {}", last--, digitsBetween(zeros, mostRest));
  if (first <= last)
    add(fmt::format("{} [0-9]{{{}}}", digit(first, last), rest));
  if (!end.empty())
    add(end);
  return "(" + all + ")";
}

static std::string positives(uint64_t least, uint64_t most) {
  std::string all;
  for (uint64_t from = least; from <= most;) {
    std::string digits = std::to_string(from);
    uint64_t nines = std::stoull(std::string(digits.size(), '9'));
    uint64_t to = std::min(most, nines);
    all +=
        (all.empty() ? "" : " | ") + digitsBetween(digits, std::to_string(to));
    from = to + 1;
  }
  return "(" + all + ")";
}

std::string gbnfOfIntegers(int64_t least, int64_t most) {
  std::string negative, other;
  if (least < 0)
    negative =
        "\"-\" " + positives(static_cast<uint64_t>(std::max<int64_t>(-most, 1)),
                             static_cast<uint64_t>(-least));
  if (most >= 0)
    other = positives(static_cast<uint64_t>(std::max<int64_t>(least, 0)),
                      static_cast<uint64_t>(most));
  if (negative.empty() || other.empty())
    return "(" + negative + other + ")";
  return fmt::format("({} | {})", negative, other);
}

} // namespace vm::llm
