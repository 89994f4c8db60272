//===- PreTokenizer.h - how a text is split into words --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No token of byte pairs crosses the end of a word. Models differ in what a
// word is; their files name it (tokenizer.ggml.pre).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/tokenizer/Regex.h"

#include <string_view>
#include <vector>

namespace vm::llm {

class PreTokenizer {
public:
  /// By a name of tokenizer.ggml.pre; "" is "default", as in llama.cpp.
  /// BadInput where it is not known.
  static Result<PreTokenizer> create(std::string_view name);

  /// The words of a text of UTF-8, all of it, in order. Takes time in
  /// proportion to the text.
  Result<std::vector<std::string_view>> split(std::string_view text) const;

  /// A word that is a token is that token, whatever pairs would give.
  bool takesWholeWords() const { return takesWholeWords_; }
  /// Where the file does not say.
  bool addsBos() const { return addsBos_; }

private:
  std::vector<Regex> stages_; ///< Each splits what the one before it left.
  bool takesWholeWords_ = false;
  bool addsBos_ = false;
};

} // namespace vm::llm
