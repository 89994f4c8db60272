//===- ChatTemplate.cpp - the prompt of a conversation --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/chat/ChatTemplate.h"

#include "frontends/llm/chat/ChatFamily.h"
#include "runtime/base/Printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

using namespace vm;
using namespace vm::llm;

//===--- Recognition ------------------------------------------------------===//

static void replaceAll(std::string &text, std::string_view what,
                       std::string_view by) {
  for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size())
    text.replace(at, what.size(), by);
}

/// One spelling of what Jinja lets people write in several ways.
static std::string inOneSpelling(std::string_view jinja) {
  std::string text;
  text.reserve(jinja.size());
  for (char c : jinja)
    text += c == '"' ? '\'' : c;
  replaceAll(text, "\\n", "\n");
  for (std::string_view sign : {"+", "|"}) {
    replaceAll(text, " " + std::string(sign), sign);
    replaceAll(text, std::string(sign) + " ", sign);
  }
  return text;
}

static bool fits(const ChatFamily &family, std::string_view text) {
  auto isIn = [&](std::string_view part) {
    return text.find(part) != text.npos;
  };
  auto isMissing = [&](std::string_view part) {
    return part.empty() || !isIn(part);
  };
  return std::ranges::all_of(family.holds, isIn) &&
         std::ranges::all_of(family.lacks, isMissing);
}

/// The system message that stands in the template for conversations without
/// one; nothing where there is none. False where there may be one that is not
/// understood.
static bool findDefaultSystem(const ChatFamily &family, std::string_view text,
                              std::optional<std::string> &found) {
  std::string_view before = family.system.before;
  std::string_view after =
      family.system.after.substr(0, family.system.after.size() - 1);
  for (size_t at = 0; (at = text.find(before, at)) != text.npos;) {
    at += before.size();
    size_t quote = text.find('\'', at);
    size_t end = text.find(after, at);
    if (quote == at)
      continue; // What is added to it is a message.
    if (end == text.npos || (quote != text.npos && quote < end) || found)
      return false;
    found = text.substr(at, end - at);
    if (found->find("{{") != std::string::npos)
      return false;
  }
  return true;
}

Result<ChatTemplate> ChatTemplate::recognize(std::string_view jinja,
                                             std::string bos, std::string eos) {
  std::string text = inOneSpelling(jinja);
  Status unknown(Code::BadInput,
                 fmt::format("The chat template of {} bytes that begins with "
                             "\"{}\" is of no known family.",
                             jinja.size(), printable(jinja)));
  auto family = std::ranges::find_if(
      chatFamilies(), [&](const ChatFamily &each) { return fits(each, text); });
  if (family == chatFamilies().end())
    return unknown;
  ChatTemplate result(*family, std::move(bos), std::move(eos));
  if (family->findsDefaultSystem &&
      !findDefaultSystem(*family, text, result.defaultSystem_))
    return unknown;
  if (family->hasEmptySystem || !family->defaultSystem.empty())
    result.defaultSystem_ = family->defaultSystem;
  result.begin_ = family->begin;
  if (family->beginsWithBos && text.find("bos_token") != text.npos)
    result.begin_ = "{bos}";
  return result;
}

std::string_view ChatTemplate::family() const { return family_->name; }

//===--- Rendering --------------------------------------------------------===//

namespace {

/// Joins what the template writes, and keeps it apart from contents.
class PromptWriter {
public:
  PromptWriter(const std::string &bos, const std::string &eos)
      : bos_(bos), eos_(eos) {}

  void write(std::string_view text) {
    std::string written(text);
    replaceAll(written, "{bos}", bos_);
    replaceAll(written, "{eos}", eos_);
    add(std::move(written), /*isTemplate=*/true);
  }
  void content(std::string_view text) { add(std::string(text), false); }

  std::vector<TextPiece> take() { return std::move(pieces_); }

private:
  void add(std::string text, bool isTemplate) {
    if (text.empty())
      return;
    if (!pieces_.empty() && pieces_.back().isTemplate && isTemplate)
      pieces_.back().text += text;
    else
      pieces_.push_back({std::move(text), isTemplate});
  }

  const std::string &bos_;
  const std::string &eos_;
  std::vector<TextPiece> pieces_;
};

} // namespace

static std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r\f\v";
  size_t first = text.find_first_not_of(kSpace);
  if (first == text.npos)
    return text.substr(0, 0);
  return text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
}

static std::string_view trimmedBy(Trims trims, bool isUser, bool hasSystem,
                                  std::string_view content) {
  if (trims == Trims::None || (trims == Trims::Assistant && isUser))
    return content;
  std::string_view middle = trimmed(content);
  if (trims == Trims::BothAsWritten && hasSystem) // Within: its end alone.
    return content.substr(0, size_t(middle.data() - content.data()) +
                                 middle.size());
  return middle;
}

static std::string_view withoutThoughts(std::string_view text,
                                        Thoughts thoughts) {
  constexpr std::string_view kEnd = "</think>";
  size_t end = text.rfind(kEnd);
  if (thoughts == Thoughts::Kept || end == text.npos)
    return text;
  text.remove_prefix(end + kEnd.size());
  if (thoughts == Thoughts::DroppedWithLines)
    text.remove_prefix(std::min(text.find_first_not_of('\n'), text.size()));
  return text;
}

/// Usage with the first thing that no template takes.
static Status check(std::span<const ChatMessage> messages) {
  if (messages.empty())
    return Status(Code::Usage, "The conversation has no message of a user.");
  for (size_t i = 0; i < messages.size(); ++i) {
    std::string_view wanted = i % 2 == 0 ? "user" : "assistant";
    if (messages[i].role != wanted)
      return Status(Code::Usage,
                    fmt::format("Message {} after the system's is of the role "
                                "\"{}\", where \"{}\" is due.",
                                i, printable(messages[i].role), wanted));
  }
  if (messages.size() % 2 == 0)
    return Status(Code::Usage, "The last message is the assistant's, so there "
                               "is nothing to answer.");
  return {};
}

Result<std::vector<TextPiece>>
ChatTemplate::render(std::span<const ChatMessage> messages) const {
  const ChatFamily &family = *family_;
  const ChatMessage *system = nullptr;
  if (!messages.empty() && messages.front().role == "system") {
    system = &messages.front();
    messages = messages.subspan(1);
  }
  if (system && family.systemPlace == SystemPlace::Nowhere)
    return Status(Code::Usage, fmt::format("Chat templates of the family {} "
                                           "take no system message.",
                                           family.name));
  if (!system && family.needsSystem)
    return Status(Code::Usage, fmt::format("Chat templates of the family {} "
                                           "need a system message.",
                                           family.name));
  VM_RETURN_IF_ERROR(check(messages));

  PromptWriter writer(bos_, eos_);
  bool hasSystem = system || defaultSystem_;
  auto writeSystem = [&] {
    writer.write(family.system.before);
    if (!system)
      writer.write(*defaultSystem_);
    else
      writer.content(family.trims == Trims::All
                         ? trimmed(system->content)
                         : std::string_view(system->content));
    writer.write(family.system.after);
  };
  size_t indexOfSystem = messages.size(); // None.
  if (hasSystem && family.systemPlace == SystemPlace::FirstUser)
    indexOfSystem = 0;
  if (hasSystem && family.systemPlace == SystemPlace::LastUser)
    indexOfSystem = messages.size() - 1;

  writer.write(begin_);
  if (hasSystem && family.systemPlace == SystemPlace::OwnMessage)
    writeSystem();
  for (size_t i = 0; i < messages.size(); ++i) {
    bool isUser = i % 2 == 0;
    const ChatFrame &frame = isUser ? family.user : family.assistant;
    writer.write(frame.before);
    if (i == indexOfSystem)
      writeSystem();
    std::string_view content = messages[i].content;
    if (!isUser)
      content = withoutThoughts(content, family.thoughts);
    writer.content(
        trimmedBy(family.trims, isUser, i == indexOfSystem, content));
    writer.write(frame.after);
  }
  writer.write(family.answer);
  return writer.take();
}
