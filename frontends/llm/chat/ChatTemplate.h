//===- ChatTemplate.h - the prompt of a conversation ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Model files carry a Jinja template for it. Nothing here runs one: families of
// templates are known by what their texts hold, and written down as a table.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/tokenizer/TextPiece.h"
#include "runtime/base/Status.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vm::llm {

struct ChatMessage {
  std::string role; ///< "system", "user" or "assistant".
  std::string content;
};

struct ChatFamily;

class ChatTemplate {
public:
  /// The family of the template `jinja` (tokenizer.chat_template). `bos` and
  /// `eos` are what it calls bos_token and eos_token. BadInput where no family
  /// is known to render as it does.
  static Result<ChatTemplate> recognize(std::string_view jinja, std::string bos,
                                        std::string eos);

  std::string_view family() const;

  /// The prompt that asks for the assistant's answer to the last message.
  /// Pieces are the template's or a message's. Usage where the template does
  /// not take such messages: a system message must be the first, and those of
  /// users and assistants alternate.
  Result<std::vector<TextPiece>>
  render(std::span<const ChatMessage> messages) const;

private:
  ChatTemplate(const ChatFamily &family, std::string bos, std::string eos)
      : family_(&family), bos_(std::move(bos)), eos_(std::move(eos)) {}

  const ChatFamily *family_;
  std::string bos_;
  std::string eos_;
  std::string begin_;
  std::optional<std::string> defaultSystem_; ///< The template's own.
};

} // namespace vm::llm
