//===- TokenTable.cpp - tokens by number and by what they say -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/tokenizer/TokenTable.h"

#include "frontends/llm/tokenizer/Characters.h"
#include "runtime/base/Printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

using namespace vm;
using namespace vm::llm;

//===--- The alphabet of bytes --------------------------------------------===//

/// The character of GPT-2 for a byte: its own where that is seen, else one
/// from U+0100 on (bytes_to_unicode of GPT-2's encoder.py).
static std::array<uint32_t, 256> charactersOfBytes() {
  std::array<uint32_t, 256> characters{};
  uint32_t next = 0x100;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    bool isSeen = (byte >= 0x21 && byte <= 0x7E) ||
                  (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    characters[byte] = isSeen ? byte : next++;
  }
  return characters;
}

/// The bytes that a name says; the name itself where it is outside of the
/// alphabet, as names of added tokens are.
static std::string bytesOfAlphabet(const std::string &name) {
  static const auto kBytes = [] {
    std::unordered_map<uint32_t, uint8_t> bytes;
    std::array<uint32_t, 256> characters = charactersOfBytes();
    for (uint32_t byte = 0; byte < 256; ++byte)
      bytes.emplace(characters[byte], uint8_t(byte));
    return bytes;
  }();
  std::string result;
  for (std::string_view rest = name; !rest.empty();) {
    size_t length = characterBytes(rest);
    auto found = kBytes.find(codePoint(rest.substr(0, length)));
    if (found == kBytes.end())
      return name;
    result += char(found->second);
    rest.remove_prefix(length);
  }
  return result;
}

//===--- Names ------------------------------------------------------------===//

/// The byte of "<0xE2>"; -1 for another name.
static int byteOfName(std::string_view name) {
  int byte = -1;
  if (name.size() == 6 && name.starts_with("<0x") && name.back() == '>')
    std::from_chars(name.data() + 3, name.data() + 5, byte, 16);
  return byte;
}

/// Names that end a message or a text: models were converted with some of them
/// as normal tokens, and one that a user types must not end anything.
static bool isControlName(std::string_view name) {
  constexpr std::string_view kNames[] = {"<end_of_turn>", "<start_of_turn>",
                                         "<EOT>", "<end_of_utterance>",
                                         "[EOT]"};
  constexpr std::string_view kWide = "\xEF\xBD\x9C"; // U+FF5C, as | in "<|x|>".
  auto isBetween = [&](std::string_view bar) {
    return name.size() > 2 + 2 * bar.size() && name.front() == '<' &&
           name.back() == '>' && name.substr(1).starts_with(bar) &&
           name.substr(0, name.size() - 1).ends_with(bar);
  };
  return isBetween("|") || isBetween(kWide) ||
         std::ranges::find(kNames, name) != std::end(kNames);
}

static std::string withSpaces(std::string_view name) {
  std::string result;
  for (size_t at = 0; at < name.size();) {
    bool isMark = name.substr(at).starts_with(kSpaceMark);
    result += isMark ? ' ' : name[at];
    at += isMark ? kSpaceMark.size() : 1;
  }
  return result;
}

//===--- The table --------------------------------------------------------===//

static Status check(const Vocabulary &vocabulary) {
  size_t tokens = vocabulary.tokens.size();
  if (tokens == 0 || tokens > size_t(INT32_MAX))
    return Status(Code::BadInput,
                  fmt::format("The vocabulary has {} tokens (1 to {} are "
                              "allowed).",
                              tokens, INT32_MAX));
  if (!vocabulary.types.empty() && vocabulary.types.size() != tokens)
    return Status(Code::BadInput, fmt::format("The vocabulary has {} tokens "
                                              "and {} types of tokens.",
                                              tokens, vocabulary.types.size()));
  auto checkNumber = [&](const char *what, std::optional<int32_t> token) {
    if (!token || (*token >= 0 && size_t(*token) < tokens))
      return Status();
    return Status(Code::BadInput,
                  fmt::format("The {} token is {}, and the vocabulary has {} "
                              "tokens.",
                              what, *token, tokens));
  };
  VM_RETURN_IF_ERROR(checkNumber("BOS", vocabulary.bos));
  VM_RETURN_IF_ERROR(checkNumber("EOS", vocabulary.eos));
  VM_RETURN_IF_ERROR(checkNumber("EOT", vocabulary.eot));
  return checkNumber("unknown", vocabulary.unknown);
}

Result<TokenTable> TokenTable::create(Vocabulary &vocabulary,
                                      bool isByteLevel) {
  VM_RETURN_IF_ERROR(check(vocabulary));
  TokenTable table;
  table.names_ = std::move(vocabulary.tokens);
  table.types_ = std::move(vocabulary.types);
  table.types_.resize(table.names_.size(), TokenType::Normal);
  table.bytes_.resize(table.names_.size());
  table.byName_.reserve(table.names_.size());
  table.ofByte_.fill(-1);
  for (int32_t token = 0; token < table.size(); ++token) {
    const std::string &name = table.name(token);
    auto [first, isNew] = table.byName_.try_emplace(name, token);
    if (!isNew && !name.empty())
      return Status(Code::BadInput,
                    fmt::format("Tokens {} and {} have the same text \"{}\".",
                                first->second, token, printable(name)));
    TokenType &type = table.types_[size_t(token)];
    if (isControlName(name))
      type = TokenType::Control;
    if (type == TokenType::Control || type == TokenType::Unknown)
      continue;
    std::string &bytes = table.bytes_[size_t(token)];
    int byte = type == TokenType::Byte ? byteOfName(name) : -1;
    if (byte >= 0)
      bytes = char(byte);
    else if (type == TokenType::UserDefined && isByteLevel)
      bytes = name;
    else
      bytes = isByteLevel ? bytesOfAlphabet(name) : withSpaces(name);
    bool isByte = isByteLevel ? type == TokenType::Normal && bytes.size() == 1
                              : byte >= 0;
    if (isByte)
      table.ofByte_[uint8_t(bytes[0])] = token;
  }
  return table;
}

int32_t TokenTable::find(std::string_view name) const {
  auto found = byName_.find(name);
  return found == byName_.end() ? -1 : found->second;
}
