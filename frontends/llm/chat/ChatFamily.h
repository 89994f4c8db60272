//===- ChatFamily.h - templates that render alike -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <array>
#include <span>
#include <string_view>

namespace vm::llm {

/// Where a system message goes.
enum class SystemPlace {
  OwnMessage,
  FirstUser, ///< Into the first user's message, before its content.
  LastUser,
  Nowhere, ///< A conversation with one is refused.
};

/// Contents that lose white space at both ends.
enum class Trims {
  None,
  Assistant,
  Both,          ///< The user's and the assistant's.
  BothAsWritten, ///< The same; a system message stands within a user's message.
  All,
};

/// Of an assistant's content, what precedes the last </think>.
enum class Thoughts {
  Kept,
  Dropped,
  DroppedWithLines, ///< And the ends of lines after it.
};

/// What stands around a content. In these texts, {bos} and {eos} are the
/// names of these tokens.
struct ChatFrame {
  std::string_view before;
  std::string_view after;
};

struct ChatFamily {
  std::string_view name;
  /// Parts of templates, with " for ', a line's end for \\n, and without
  /// spaces around + and |: all of these, and none of those.
  std::array<std::string_view, 3> holds;
  std::array<std::string_view, 6> lacks = {};

  bool beginsWithBos = false; ///< If the template names bos_token.
  std::string_view begin = "";
  ChatFrame system = {};
  ChatFrame user = {};
  ChatFrame assistant = {};
  std::string_view answer = ""; ///< After the last message.
  SystemPlace systemPlace = SystemPlace::OwnMessage;
  Trims trims = Trims::None;
  Thoughts thoughts = Thoughts::Kept;

  // Of a conversation without a system message:
  bool needsSystem = false; ///< The template has one that cannot be used here.
  bool findsDefaultSystem = false; ///< It is a literal of the template.
  bool hasEmptySystem = false;
  std::string_view defaultSystem = "";
};

/// All of them; the first that fits a template is its.
std::span<const ChatFamily> chatFamilies();

} // namespace vm::llm
