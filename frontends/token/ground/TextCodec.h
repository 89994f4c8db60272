//===- TextCodec.h - between texts and tokens -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run needs of a tokenizer: answers of tools are encoded, and what
// streams say is decoded.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vm::token {

/// Used by one thread.
class TextCodec {
public:
  virtual ~TextCodec() = default;

  /// Of any bytes. No special tokens are added.
  virtual std::vector<int32_t> encode(const std::string &text) const = 0;

  /// Of any numbers, also of those that are no token; UTF-8.
  virtual std::string decode(const std::vector<int32_t> &tokens) const = 0;
};

} // namespace vm::token
