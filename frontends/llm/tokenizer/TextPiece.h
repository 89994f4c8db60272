//===- TextPiece.h - a part of a prompt -----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <string>

namespace vm::llm {

/// A control token's name in `text` is that token if a template wrote it, and
/// text like any other if a user did.
struct TextPiece {
  std::string text;
  bool isTemplate = false;

  bool operator==(const TextPiece &) const = default;
};

} // namespace vm::llm
