//===- Tokenizer.h - texts to tokens of a language model, and back --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tokenizer that a model was trained with, from what its file says of it.
// docs/language-models.md says which there are, and where they differ from
// others.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/tokenizer/TextPiece.h"
#include "frontends/llm/tokenizer/Vocabulary.h"
#include "runtime/base/Status.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vm::llm {

/// Does not change; may be used by several threads.
class Tokenizer {
public:
  /// BadInput with a sentence where the model is of an unknown kind, or what it
  /// says does not fit together.
  static Result<Tokenizer> create(Vocabulary vocabulary);

  Tokenizer(Tokenizer &&) noexcept;
  Tokenizer &operator=(Tokenizer &&) noexcept;
  ~Tokenizer();

  /// The tokens of the pieces' texts, one after the other, as if they were one
  /// text. Where the model wants it, the first is BOS, once, and the last EOS.
  /// What is not UTF-8 is U+FFFD, as of toUtf8, in each piece. Takes
  /// n log n time.
  Result<std::vector<int32_t>> encode(std::span<const TextPiece> pieces) const;

  /// Of a text that a user typed, without BOS and EOS.
  Result<std::vector<int32_t>> encodeText(std::string_view text) const;

  /// Tokens are 0..size() - 1.
  int32_t size() const;
  /// What a token adds to a text: bytes that may begin or end within a
  /// character; none for a control token.
  const std::string &bytes(int32_t token) const;
  /// As the file spells it.
  const std::string &name(int32_t token) const;
  /// -1 where there is no such token.
  int32_t find(std::string_view name) const;
  /// Whether a model that says it has ended its answer.
  bool isEnd(int32_t token) const;

  std::optional<int32_t> bos() const;
  std::optional<int32_t> eos() const;
  /// What a template's `bos_token` is; "" = none.
  std::string_view bosName() const;
  std::string_view eosName() const;

  /// The text that tokens say, as of toUtf8. The space that the model puts
  /// before a text is left out.
  std::string decode(std::span<const int32_t> tokens) const;

private:
  struct State;
  explicit Tokenizer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace vm::llm
