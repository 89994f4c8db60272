//===- TomlFile.cpp - TOML with places ------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// toml++ counts columns in code points, a place in bytes; marks at equal
// distances keep the step from one to the other short in long lines too. toml++
// limits how deep values nest, but not how many parts a key has, and deep
// tables are destroyed recursively: long keys are refused before. So are
// characters beyond ASCII outside strings and comments, some of which toml++
// takes for blanks where TOML 1.0 has none.
//
//===----------------------------------------------------------------------===//

#include "frontends/token/ground/TomlFile.h"

#include "runtime/base/Printable.h"

#include <fmt/format.h>

#include <algorithm>

using namespace vm;
using namespace vm::token;

namespace {

constexpr size_t kMarkDistance = 1024;

bool beginsCodePoint(char byte) { return (byte & 0xC0) != 0x80; }

/// The byte after the string that begins at `at` with `quote`.
size_t skipString(std::string_view text, size_t at, char quote) {
  std::string triple(3, quote);
  bool isLong = text.substr(at).starts_with(triple);
  at += isLong ? 3 : 1;
  while (at < text.size()) {
    if (text[at] == '\\' && quote == '"') {
      at += 2;
      continue;
    }
    if (isLong ? text.substr(at).starts_with(triple) : text[at] == quote)
      return at + (isLong ? 3 : 1);
    if (!isLong && text[at] == '\n')
      return at; // Malformed, as toml++ will say.
    ++at;
  }
  return text.size();
}

/// A byte that toml++ must not see, and why.
struct Refusal {
  size_t at = std::string_view::npos;
  std::string reason;
};

/// The first point with which a key gets too many parts, or byte beyond ASCII
/// that is not in a string or a comment.
Refusal findRefused(std::string_view text) {
  size_t points = 0;
  for (size_t at = 0; at < text.size();) {
    char c = text[at];
    if (c == '"' || c == '\'') {
      at = skipString(text, at, c);
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c & 0x80)
      return {at, "The file is not TOML (a character beyond ASCII is neither "
                  "in a string nor in a comment)."};
    if (c == '.' && ++points >= kMaxKeyParts)
      return {at, fmt::format("A dotted key has more parts than are read (the "
                              "limit is {}).",
                              kMaxKeyParts)};
    if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos)
      points = 0;
    ++at;
  }
  return {};
}

/// The reason of toml++ as a sentence without its full stop.
std::string reasonOf(const toml::parse_error &error) {
  std::string reason = printableLines(error.description());
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  constexpr std::string_view kSetting = " (TOML_MAX_NESTED_VALUES)";
  if (size_t at = reason.find(kSetting); at != reason.npos)
    reason.erase(at, kSetting.size());
  return reason;
}

} // namespace

//===--- Places -----------------------------------------------------------===//

TomlFile::TomlFile(std::string text, std::string path)
    : text_(std::move(text)), path_(std::move(path)) {
  indexText();
}

void TomlFile::indexText() {
  uint32_t codePoints = 0;
  lines_.push_back({});
  for (uint32_t at = 0; at < text_.size(); ++at) {
    if (!beginsCodePoint(text_[at]))
      continue;
    if (codePoints % kMarkDistance == 0)
      marks_.push_back(at);
    ++codePoints;
    if (text_[at] == '\n')
      lines_.push_back({at + 1, codePoints});
  }
}

Place TomlFile::place(const toml::source_position &position) const {
  if (position.line == 0 || position.line > lines_.size())
    return whole();
  const Line &line = lines_[position.line - 1];
  uint32_t codePoint = line.codePoint + position.column - 1;
  size_t mark = codePoint / kMarkDistance;
  size_t at = text_.size();
  if (mark < marks_.size()) {
    at = marks_[mark];
    for (size_t left = codePoint % kMarkDistance + 1; at < text_.size(); ++at)
      if (beginsCodePoint(text_[at]) && --left == 0)
        break;
  }
  return {path_, {position.line, uint32_t(at) - line.byte + 1}};
}

Place TomlFile::placeOfByte(size_t byte) const {
  auto isAfter = [](size_t at, const Line &line) { return at < line.byte; };
  auto next = std::upper_bound(lines_.begin(), lines_.end(), byte, isAfter);
  return {path_,
          {uint32_t(next - lines_.begin()),
           uint32_t(byte - std::prev(next)->byte + 1)}};
}

Place TomlFile::placeOf(const toml::node &node) const {
  return place(node.source().begin);
}

Place TomlFile::placeOf(const toml::key &key) const {
  return place(key.source().begin);
}

Place TomlFile::placeOf(const toml::table &table, std::string_view key) const {
  auto found = table.find(key);
  return found == table.end() ? placeOf(table) : placeOf(found->first);
}

//===--- Reading ----------------------------------------------------------===//

std::unique_ptr<TomlFile> TomlFile::parse(std::string text, std::string path,
                                          Diagnostics &diagnostics,
                                          TomlCodes codes) {
  if (text.size() > kMaxTomlBytes) {
    diagnostics.error(codes.unreadable, {path, {0, 0}},
                      fmt::format("The file has {} bytes (the limit is {}).",
                                  text.size(), kMaxTomlBytes));
    return nullptr;
  }
  if (text.starts_with("\xEF\xBB\xBF")) // A byte order mark is no text.
    text.erase(0, 3);
  Refusal refused = findRefused(text);
  std::unique_ptr<TomlFile> file(
      new TomlFile(std::move(text), std::move(path)));
  if (!refused.reason.empty()) {
    diagnostics.error(codes.malformed, file->placeOfByte(refused.at),
                      std::move(refused.reason));
    return nullptr;
  }
  toml::parse_result result = toml::parse(std::string_view(file->text_));
  if (!result) {
    diagnostics.error(
        codes.malformed, file->place(result.error().source().begin),
        fmt::format("The file is not TOML ({}).", reasonOf(result.error())));
    return nullptr;
  }
  file->root_ = std::move(result).table();
  return file;
}

std::unique_ptr<TomlFile> TomlFile::read(const std::string &path,
                                         Diagnostics &diagnostics,
                                         TomlCodes codes) {
  Result<std::string> text = readSourceText(path);
  if (text.ok())
    return parse(std::move(*text), path, diagnostics, codes);
  diagnostics.error(codes.unreadable, {path, {0, 0}}, text.status().message());
  return nullptr;
}
