//===- TokenTrie.h - a vocabulary by what its tokens say --------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vm::llm {

/// A node for each text that a token begins with, in the order in which a
/// depth-first walk meets them.
class TokenTrie {
public:
  struct Node {
    int32_t past = 0; ///< The node after all whose texts begin with this one's.
    int32_t firstToken = 0, pastToken = 0; ///< In tokens(): that say just this.
    uint16_t depth = 0;                    ///< Bytes before `byte`.
    uint8_t byte = 0;                      ///< The last one of the text.
  };
  /// What a token says has at most so many bytes; longer ones are left out.
  static constexpr size_t kMaxBytes = UINT16_MAX;

  /// `texts`: what each token says; "" for one that says nothing, which is in
  /// no node.
  explicit TokenTrie(std::vector<std::string> texts);

  const std::string &textOf(int32_t token) const {
    return texts_[size_t(token)];
  }
  const std::vector<Node> &nodes() const { return nodes_; }
  const std::vector<int32_t> &tokens() const { return tokens_; }
  size_t vocabulary() const { return texts_.size(); }
  size_t depth() const { return depth_; } ///< Bytes of the longest text.

private:
  std::vector<std::string> texts_;
  std::vector<Node> nodes_;
  std::vector<int32_t> tokens_;
  size_t depth_ = 0;
};

} // namespace vm::llm
