//===- Vocabulary.h - what a model file says of its tokens ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plain copy of the keys tokenizer.ggml.* of a GGUF file, not yet checked:
// Tokenizer::create does that.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vm::llm {

/// The values are those of tokenizer.ggml.token_type.
enum class TokenType : int32_t {
  Normal = 1,
  Unknown = 2,     ///< Stands for what no token says.
  Control = 3,     ///< Stands for no text; a template makes it.
  UserDefined = 4, ///< Found in texts before they are split into words.
  Unused = 5,
  Byte = 6, ///< "<0xE2>": a byte of a character that no token says.
};

struct Vocabulary {
  std::string model;               ///< "gpt2", "llama", "gemma4".
  std::string preTokenizer;        ///< Of "gpt2"; "" = not said.
  std::vector<std::string> tokens; ///< As the file spells them.
  std::vector<TokenType> types;    ///< One a token, or none: all are normal.
  std::vector<float> scores;       ///< Of "llama", one a token.
  std::vector<std::string> merges; ///< "left right", the first is the first.

  std::optional<int32_t> bos;
  std::optional<int32_t> eos;
  std::optional<int32_t> eot; ///< Ends a message of a chat.
  std::optional<int32_t> unknown;

  // Nothing = what is usual for the model and the pre-tokenizer.
  std::optional<bool> addBos;
  std::optional<bool> addEos;
  std::optional<bool> addSpacePrefix;
};

} // namespace vm::llm
