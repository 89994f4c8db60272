//===- Template.cpp - texts with placeholders -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/text/Template.h"

using namespace vm::token;

namespace {

bool beginsName(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

bool continuesName(char c) { return beginsName(c) || (c >= '0' && c <= '9'); }

/// The name of the placeholder whose brace begins `text`; "" if there is none.
std::string_view placeholderName(std::string_view text) {
  size_t end = 1;
  while (end < text.size() && continuesName(text[end]))
    ++end;
  bool isName =
      end > 1 && beginsName(text[1]) && end < text.size() && text[end] == '}';
  return isName ? text.substr(1, end - 1) : std::string_view();
}

/// From an opening brace to the next closing one, at most a line.
std::string asWritten(std::string_view text) {
  if (text[0] == '}')
    return "}";
  size_t end = text.find_first_of("}\n");
  bool isClosed = end != text.npos && text[end] == '}';
  return std::string(text.substr(0, isClosed ? end + 1 : end));
}

void appendText(std::vector<TemplatePart> &parts, std::string_view text) {
  if (text.empty())
    return;
  if (parts.empty() || parts.back().placeholder >= 0)
    parts.emplace_back();
  parts.back().text += text;
}

} // namespace

int PlaceholderKeys::number(std::string_view key) {
  auto [entry, isNew] =
      numbers_.try_emplace(std::string(key), int(inOrder_.size()));
  if (isNew)
    inOrder_.emplace_back(key);
  return entry->second;
}

std::optional<std::string>
vm::token::parseTemplate(std::string_view text, PlaceholderKeys &keys,
                         std::vector<TemplatePart> &parts) {
  while (!text.empty()) {
    size_t brace = std::min(text.find_first_of("{}"), text.size());
    appendText(parts, text.substr(0, brace));
    text.remove_prefix(brace);
    if (text.empty())
      break;
    if (text.starts_with("{{") || text.starts_with("}}")) {
      appendText(parts, text.substr(0, 1));
      text.remove_prefix(2);
      continue;
    }
    std::string_view name =
        text[0] == '{' ? placeholderName(text) : std::string_view();
    if (name.empty())
      return asWritten(text);
    parts.push_back({"", keys.number(name)});
    text.remove_prefix(name.size() + 2);
  }
  return std::nullopt;
}
