//===- PatternFinder.h - many patterns in a text --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts and patterns come from files, and a search that is quadratic in them
// would let a file of a megabyte run for hours. The automaton of A. Aho and
// M. Corasick (Efficient string matching, CACM 18, 1975) takes time linear in
// the text whatever the patterns are.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace vm {

/// Where a pattern was found, which is known by its number.
struct PatternMatch {
  size_t begin = 0;
  size_t pattern = 0;
};

class PatternFinder {
public:
  /// The patterns must not be empty; of equal ones the first is found.
  explicit PatternFinder(const std::vector<std::string> &patterns);

  /// Matches that do not overlap, from left to right: the leftmost, and of
  /// those that begin there the longest, then on from its end.
  std::vector<PatternMatch> scan(std::string_view text) const;

  /// Calls `visit` with each occurrence, overlapping ones too, the last begin
  /// first and of those that begin together the longest; until it is false.
  void forEach(std::string_view text,
               const std::function<bool(PatternMatch)> &visit) const;

  /// Of a pattern, in bytes.
  size_t length(size_t pattern) const { return lengths_[pattern]; }

private:
  /// A state: the longest end of a reversed pattern that is being matched.
  struct Node {
    uint32_t child = 0;   ///< The first; 0 = none.
    uint32_t sibling = 0; ///< 0 = none.
    uint32_t fail = 0;    ///< The state of the next shorter end.
    uint32_t shorter = 0; ///< The next on that way with a pattern; 0 = none.
    int32_t pattern = -1; ///< That is complete here.
    uint8_t byte = 0;     ///< That leads here.
  };

  uint32_t childOf(uint32_t node, uint8_t byte) const;
  void insert(std::string_view pattern, int32_t number);
  void link();
  uint32_t step(uint32_t node, uint8_t byte) const;

  std::vector<Node> nodes_;
  std::array<uint32_t, 256> first_{}; ///< Children of the root.
  std::vector<size_t> lengths_;
};

} // namespace vm
