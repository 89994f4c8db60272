//===- TextAutomaton.cpp - patterns in the text that tokens say -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/TextAutomaton.h"

#include <fmt/format.h>

#include <array>
#include <map>

using namespace vm;

namespace {

struct Node {
  std::array<int32_t, 256> next{}; ///< 0 = none, until it is linked.
  int32_t fail = 0;
  int32_t pattern = -1; ///< The longest that ends here.
};

std::vector<Node> makeNodes(std::span<const std::string> patterns) {
  std::vector<Node> nodes(1);
  for (size_t i = 0; i < patterns.size(); ++i) {
    int32_t node = 0;
    for (char byte : patterns[i]) {
      int32_t child = nodes[size_t(node)].next[uint8_t(byte)];
      if (child == 0) {
        child = int32_t(nodes.size());
        nodes[size_t(node)].next[uint8_t(byte)] = child;
        nodes.emplace_back();
      }
      node = child;
    }
    if (nodes[size_t(node)].pattern < 0)
      nodes[size_t(node)].pattern = int32_t(i);
  }
  return nodes;
}

/// Makes a move of each byte: nodes nearer to the root first.
void link(std::vector<Node> &nodes) {
  std::vector<int32_t> queue{0};
  for (size_t at = 0; at < queue.size(); ++at) {
    Node &node = nodes[size_t(queue[at])];
    for (size_t byte = 0; byte < 256; ++byte) {
      int32_t shorter =
          queue[at] == 0 ? 0 : nodes[size_t(node.fail)].next[byte];
      int32_t &child = node.next[byte];
      if (child == 0) {
        child = shorter;
        continue;
      }
      nodes[size_t(child)].fail = shorter;
      if (nodes[size_t(child)].pattern < 0)
        nodes[size_t(child)].pattern = nodes[size_t(shorter)].pattern;
      queue.push_back(child);
    }
  }
}

TextStep walk(const std::vector<Node> &nodes, int32_t state,
              const std::string &bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    state = nodes[size_t(state)].next[uint8_t(bytes[i])];
    int32_t pattern = nodes[size_t(state)].pattern;
    if (pattern < 0)
      continue;
    bool isLast = i + 1 == bytes.size();
    return {isLast ? state : 0, pattern, int32_t(i + 1)};
  }
  return {.state = state};
}

} // namespace

Result<TextAutomaton>
vm::buildTextAutomaton(std::span<const std::string> patterns,
                       std::span<const std::string> tokens) {
  size_t bytes = 1;
  for (const std::string &pattern : patterns) {
    if (pattern.empty())
      return Status(Code::Usage, "A pattern in a text has 0 bytes (1 is the "
                                 "least).");
    bytes += pattern.size();
  }
  if (bytes > kMaxTextStates)
    return Status(Code::Usage,
                  fmt::format("The patterns in a text have {} bytes (the limit "
                              "is {}).",
                              bytes - 1, kMaxTextStates - 1));
  std::vector<Node> nodes = makeNodes(patterns);
  link(nodes);

  std::map<std::vector<TextStep>, int32_t> classes; // By a step of each state.
  std::vector<const std::vector<TextStep> *> columns;
  TextAutomaton result;
  result.states = int32_t(nodes.size());
  for (const std::string &token : tokens) {
    std::vector<TextStep> column;
    for (int32_t state = 0; state < result.states; ++state)
      column.push_back(walk(nodes, state, token));
    auto [entry, isNew] =
        classes.try_emplace(std::move(column), int32_t(columns.size()));
    if (isNew)
      columns.push_back(&entry->first);
    result.classOf.push_back(entry->second);
  }
  result.classes = int32_t(columns.size());
  for (size_t state = 0; state < nodes.size(); ++state)
    for (const std::vector<TextStep> *column : columns)
      result.steps.push_back((*column)[state]);
  return result;
}
