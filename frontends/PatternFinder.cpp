//===- PatternFinder.cpp - many patterns in a text ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns and texts are read backwards: the automaton's state at a byte then
// knows the patterns that begin there, longest first, which is what leftmost
// and longest asks for.
//
//===----------------------------------------------------------------------===//

#include "frontends/PatternFinder.h"

#include <algorithm>

using namespace vm;

PatternFinder::PatternFinder(const std::vector<std::string> &patterns)
    : nodes_(1) {
  for (size_t i = 0; i < patterns.size(); ++i) {
    insert(patterns[i], int32_t(i));
    lengths_.push_back(patterns[i].size());
  }
  link();
}

uint32_t PatternFinder::childOf(uint32_t node, uint8_t byte) const {
  if (node == 0)
    return first_[byte];
  uint32_t child = nodes_[node].child;
  while (child != 0 && nodes_[child].byte != byte)
    child = nodes_[child].sibling;
  return child;
}

void PatternFinder::insert(std::string_view pattern, int32_t number) {
  uint32_t node = 0;
  for (size_t i = pattern.size(); i-- > 0;) {
    auto byte = uint8_t(pattern[i]);
    uint32_t child = childOf(node, byte);
    if (child == 0) {
      child = uint32_t(nodes_.size());
      nodes_.push_back({.sibling = nodes_[node].child, .byte = byte});
      nodes_[node].child = child;
      if (node == 0)
        first_[byte] = child;
    }
    node = child;
  }
  if (nodes_[node].pattern < 0)
    nodes_[node].pattern = number;
}

uint32_t PatternFinder::step(uint32_t node, uint8_t byte) const {
  uint32_t child = childOf(node, byte);
  while (child == 0 && node != 0) {
    node = nodes_[node].fail;
    child = childOf(node, byte);
  }
  return child;
}

void PatternFinder::link() {
  std::vector<uint32_t> queue{0};
  for (size_t at = 0; at < queue.size(); ++at) {
    uint32_t node = queue[at];
    for (uint32_t child = nodes_[node].child; child != 0;
         child = nodes_[child].sibling) {
      uint32_t fail =
          node == 0 ? 0 : step(nodes_[node].fail, nodes_[child].byte);
      nodes_[child].fail = fail;
      nodes_[child].shorter =
          nodes_[fail].pattern >= 0 ? fail : nodes_[fail].shorter;
      queue.push_back(child);
    }
  }
}

std::vector<PatternMatch> PatternFinder::scan(std::string_view text) const {
  std::vector<int32_t> longest(text.size());
  uint32_t node = 0;
  for (size_t i = text.size(); i-- > 0;) {
    node = step(node, uint8_t(text[i]));
    int32_t pattern = nodes_[node].pattern;
    // The root, which `shorter` names for none, has no pattern.
    longest[i] = pattern >= 0 ? pattern : nodes_[nodes_[node].shorter].pattern;
  }
  std::vector<PatternMatch> matches;
  for (size_t i = 0; i < text.size();) {
    if (longest[i] < 0) {
      ++i;
      continue;
    }
    matches.push_back({i, size_t(longest[i])});
    i += lengths_[matches.back().pattern];
  }
  return matches;
}

void PatternFinder::forEach(
    std::string_view text,
    const std::function<bool(PatternMatch)> &visit) const {
  uint32_t node = 0;
  for (size_t i = text.size(); i-- > 0;) {
    node = step(node, uint8_t(text[i]));
    for (uint32_t found = node; found != 0; found = nodes_[found].shorter) {
      int32_t pattern = nodes_[found].pattern;
      if (pattern >= 0 && !visit({i, size_t(pattern)}))
        return;
    }
  }
}
