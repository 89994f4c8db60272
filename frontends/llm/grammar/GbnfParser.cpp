//===- GbnfParser.cpp - reads llama.cpp's notation of grammars ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// grammars/README.md of llama.cpp describes it. Groups and repetitions become
// rules of their own.
//
//===----------------------------------------------------------------------===//

#include "frontends/Utf8.h"
#include "frontends/llm/grammar/Grammar.h"
#include "frontends/llm/grammar/LeftRecursion.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

using namespace vm;
using namespace vm::llm;

using Sequence = std::vector<GrammarSymbol>;
using Alternatives = std::vector<Sequence>;

namespace {
class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}
  Result<Grammar> parse();

private:
  // Each of these says whether it went well; if not, `problem` says why.
  bool parseRule();
  bool parseAlternatives(Alternatives &all, size_t depth);
  bool parseSequence(Sequence &sequence, size_t depth);
  bool parseItem(Sequence &item, size_t depth);
  bool parseLiteral(Sequence &item);
  bool parseClass(Sequence &item);
  bool parseGroup(Sequence &item, size_t depth);
  bool parseCharacter(uint32_t &character);
  bool parseEscape(uint32_t &character);
  bool parseCount(uint32_t &count);
  bool parseRepetition(Sequence &item);
  bool repeat(Sequence &item, uint32_t least, std::optional<uint32_t> most);
  Result<Grammar> assemble();

  char peek(size_t after = 0) const {
    return at + after < text.size() ? text[at + after] : '\0';
  }
  bool isAtEnd() const { return at >= text.size(); }
  void skipSpace(bool overLines);
  std::string_view word();
  bool fail(std::string message);
  bool failUnexpected(const char *wanted);

  int32_t ruleOf(std::string_view name);
  GrammarSymbol newRule(Alternatives alternatives);
  GrammarSymbol charactersOf(CharacterClass characters);
  bool addSymbols(size_t count);

  std::string_view text;
  size_t at = 0;
  std::string problem;
  std::map<std::string, int32_t, std::less<>> names;
  std::vector<std::optional<Alternatives>> rules;
  std::vector<std::string> ruleNames; ///< Of a group that around it.
  std::string ruleName;               ///< Of the one that is being read.
  std::map<std::vector<std::pair<uint32_t, uint32_t>>, int32_t> classNumbers;
  std::vector<CharacterClass> classes;
  size_t symbols = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static bool isWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '-';
}

/// Only the first problem counts.
bool Parser::fail(std::string message) {
  if (problem.empty()) {
    auto line =
        1 + std::count(text.begin(), text.begin() + ptrdiff_t(at), '\n');
    problem = fmt::format("Line {} of the grammar: {}", line, message);
  }
  return false;
}

bool Parser::failUnexpected(const char *wanted) {
  if (isAtEnd())
    return fail(fmt::format("the text ends where {} is expected.", wanted));
  std::string rest = toUtf8(text.substr(at, 16));
  rest = rest.substr(0, rest.find('\n'));
  return fail(fmt::format("{} is expected, not \"{}\".", wanted, rest));
}

void Parser::skipSpace(bool overLines) {
  for (; !isAtEnd(); ++at) {
    char c = peek();
    if (c == '#')
      at = std::min(text.find_first_of("\r\n", at), text.size());
    c = peek();
    bool isSpace =
        c == ' ' || c == '\t' || (overLines && (c == '\r' || c == '\n'));
    if (isAtEnd() || !isSpace)
      return;
  }
}

std::string_view Parser::word() {
  size_t first = at;
  while (!isAtEnd() && isWordCharacter(peek()))
    ++at;
  return text.substr(first, at - first);
}

bool Parser::parseEscape(uint32_t &character) {
  char kind = peek();
  size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
  if (digits == 0) {
    static constexpr std::string_view kNames = "trn\\\"[]",
                                      kMeanings = "\t\r\n\\\"[]";
    size_t number = isAtEnd() ? std::string_view::npos : kNames.find(kind);
    if (number == std::string_view::npos)
      return failUnexpected("one of x, u, U, t, r, n, \\, \", [, ] after \\");
    character = static_cast<uint32_t>(kMeanings[number]);
    ++at;
    return true;
  }
  ++at;
  uint64_t value = 0;
  for (size_t i = 0; i < digits; ++i, ++at) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    char c = peek();
    size_t digit = kDigits.find(c >= 'A' && c <= 'F' ? char(c + 32) : c);
    if (isAtEnd() || digit == std::string_view::npos)
      return failUnexpected("a hexadecimal digit");
    value = value * 16 + digit;
  }
  if (value > kLastCharacter)
    return fail(fmt::format("character {:#x} is past the last one ({:#x}).",
                            value, kLastCharacter));
  character = static_cast<uint32_t>(value);
  return true;
}

/// The text is UTF-8.
bool Parser::parseCharacter(uint32_t &character) {
  auto first = static_cast<uint8_t>(peek());
  if (isAtEnd())
    return failUnexpected("a character");
  ++at;
  if (first == '\\')
    return parseEscape(character);
  size_t more = first < 0xC0 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
  character = more == 0 ? first : first & (0x3FU >> more);
  for (; more > 0; --more, ++at)
    character = character << 6 | (static_cast<uint8_t>(peek()) & 0x3FU);
  return true;
}

bool Parser::parseCount(uint32_t &count) {
  if (peek() < '0' || peek() > '9')
    return failUnexpected("a number of repetitions");
  uint64_t value = 0;
  for (; peek() >= '0' && peek() <= '9'; ++at)
    value = std::min<uint64_t>(value * 10 + uint64_t(peek() - '0'), UINT32_MAX);
  if (value > kMaxGrammarSymbols)
    return fail(fmt::format("{} repetitions are too many (the limit is {}).",
                            value, kMaxGrammarSymbols));
  count = static_cast<uint32_t>(value);
  return true;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

bool Parser::addSymbols(size_t count) {
  symbols += count;
  return symbols <= kMaxGrammarSymbols ||
         fail(fmt::format("the grammar has more than {} symbols.",
                          kMaxGrammarSymbols));
}

int32_t Parser::ruleOf(std::string_view name) {
  auto [entry, isNew] =
      names.try_emplace(std::string(name), static_cast<int32_t>(rules.size()));
  if (isNew) {
    rules.emplace_back();
    ruleNames.emplace_back(name);
  }
  return entry->second;
}

GrammarSymbol Parser::newRule(Alternatives alternatives) {
  auto number = static_cast<int32_t>(rules.size());
  rules.emplace_back(std::move(alternatives));
  ruleNames.push_back(ruleName);
  return {GrammarSymbol::Rule, number};
}

/// `characters` in any order.
GrammarSymbol Parser::charactersOf(CharacterClass characters) {
  CharacterClass joined = inOrder(std::move(characters));
  std::vector<std::pair<uint32_t, uint32_t>> key;
  for (const CharacterRange &range : joined)
    key.emplace_back(range.first, range.last);
  auto [entry, isNew] = classNumbers.try_emplace(
      std::move(key), static_cast<int32_t>(classes.size()));
  if (isNew)
    classes.push_back(std::move(joined));
  return {GrammarSymbol::Characters, entry->second};
}

bool Parser::parseLiteral(Sequence &item) {
  for (++at; peek() != '"';) {
    if (isAtEnd())
      return fail("a \" has no other one that ends the text.");
    uint32_t character = 0;
    if (!parseCharacter(character) || !addSymbols(1))
      return false;
    item.push_back(charactersOf({{character, character}}));
  }
  ++at;
  return true;
}

bool Parser::parseClass(Sequence &item) {
  ++at;
  bool isNegative = peek() == '^';
  at += isNegative;
  CharacterClass characters;
  while (peek() != ']') {
    CharacterRange range;
    if (isAtEnd())
      return fail("a [ has no ] that ends the class of characters.");
    if (!parseCharacter(range.first))
      return false;
    range.last = range.first;
    if (peek() == '-' && peek(1) != ']') {
      ++at;
      if (!parseCharacter(range.last))
        return false;
      if (range.last < range.first)
        return fail(fmt::format("the range from {:#x} to {:#x} is empty.",
                                range.first, range.last));
    }
    characters.push_back(range);
  }
  ++at;
  if (isNegative)
    characters = complementOf(std::move(characters));
  if (characters.empty())
    return fail("a class has no character.");
  item.push_back(charactersOf(std::move(characters)));
  return addSymbols(1);
}

bool Parser::parseGroup(Sequence &item, size_t depth) {
  if (depth >= kMaxGrammarGroups)
    return fail(
        fmt::format("more than {} groups are nested.", kMaxGrammarGroups));
  ++at;
  skipSpace(/*overLines=*/true);
  Alternatives all;
  if (!parseAlternatives(all, depth + 1))
    return false;
  if (peek() != ')')
    return failUnexpected("\")\"");
  ++at;
  item.push_back(newRule(std::move(all)));
  return addSymbols(1);
}

/// What repetitions count.
bool Parser::parseItem(Sequence &item, size_t depth) {
  switch (peek()) {
  case '"':
    return parseLiteral(item);
  case '[':
    return parseClass(item);
  case '(':
    return parseGroup(item, depth);
  case '.':
    ++at;
    item.push_back(charactersOf({{0, kLastCharacter}}));
    return addSymbols(1);
  default:
    item.push_back({GrammarSymbol::Rule, ruleOf(word())});
    return addSymbols(1);
  }
}

bool Parser::repeat(Sequence &item, uint32_t least,
                    std::optional<uint32_t> most) {
  if (most && *most < least)
    return fail(fmt::format("at most {} repetitions are fewer than at least "
                            "{}.",
                            *most, least));
  // Symbols that follow, and with the End those of rules.
  if (!addSymbols(least + (most ? size_t(3) * (*most - least) : 4)))
    return false;
  GrammarSymbol one =
      item.size() == 1 ? item.front() : newRule({std::move(item)});
  item.assign(least, one);
  if (!most) {
    GrammarSymbol loop = newRule({});
    rules[size_t(loop.number)] = Alternatives{{one, loop}, {}};
    item.push_back(loop);
    return true;
  }
  // One, and then perhaps more of them.
  std::optional<GrammarSymbol> rest;
  for (uint32_t i = least; i < *most; ++i)
    rest = newRule({rest ? Sequence{one, *rest} : Sequence{one}, {}});
  if (rest)
    item.push_back(*rest);
  return true;
}

/// Those after an item; several of them are one after the other.
bool Parser::parseRepetition(Sequence &item) {
  switch (peek()) {
  case '*':
    ++at;
    return repeat(item, 0, std::nullopt);
  case '+':
    ++at;
    return repeat(item, 1, std::nullopt);
  case '?':
    ++at;
    return repeat(item, 0, 1);
  default:
    break;
  }
  ++at;
  skipSpace(false);
  uint32_t least = 0;
  if (!parseCount(least))
    return false;
  std::optional<uint32_t> most = least;
  skipSpace(false);
  if (peek() == ',') {
    ++at;
    skipSpace(false);
    most.reset();
    if (peek() != '}' && !parseCount(most.emplace()))
      return false;
    skipSpace(false);
  }
  if (peek() != '}')
    return failUnexpected("\"}\"");
  ++at;
  return repeat(item, least, most);
}

bool Parser::parseSequence(Sequence &sequence, size_t depth) {
  bool isNested = depth > 0;
  while (!isAtEnd() &&
         (isWordCharacter(peek()) ||
          std::string_view("\"[(.").find(peek()) != std::string_view::npos)) {
    Sequence item;
    if (!parseItem(item, depth))
      return false;
    skipSpace(isNested);
    while (!isAtEnd() &&
           std::string_view("*+?{").find(peek()) != std::string_view::npos) {
      if (!parseRepetition(item))
        return false;
      skipSpace(isNested);
    }
    sequence.insert(sequence.end(), item.begin(), item.end());
  }
  return addSymbols(1);
}

bool Parser::parseAlternatives(Alternatives &all, size_t depth) {
  while (true) {
    if (!parseSequence(all.emplace_back(), depth))
      return false;
    if (peek() != '|')
      return true;
    ++at;
    skipSpace(/*overLines=*/true);
  }
}

bool Parser::parseRule() {
  std::string_view name = word();
  if (name.empty())
    return failUnexpected("the name of a rule");
  int32_t rule = ruleOf(name);
  ruleName = name;
  skipSpace(false);
  if (text.substr(at, 3) != "::=")
    return failUnexpected("\"::=\"");
  at += 3;
  skipSpace(/*overLines=*/true);
  Alternatives all;
  if (!parseAlternatives(all, /*depth=*/0))
    return false;
  if (!isAtEnd() && peek() != '\r' && peek() != '\n')
    return failUnexpected("the end of the rule");
  rules[size_t(rule)] = std::move(all); // As llama.cpp: the last one counts.
  skipSpace(/*overLines=*/true);
  return true;
}

Result<Grammar> Parser::assemble() {
  Grammar grammar;
  for (size_t rule = 0; rule < rules.size(); ++rule) {
    if (!rules[rule])
      return Status(Code::Usage, fmt::format("The grammar has no rule \"{}\".",
                                             ruleNames[rule]));
    auto &starts = grammar.rules.emplace_back();
    for (const Sequence &sequence : *rules[rule]) {
      starts.push_back(static_cast<int32_t>(grammar.symbols.size()));
      grammar.symbols.insert(grammar.symbols.end(), sequence.begin(),
                             sequence.end());
      grammar.symbols.emplace_back();
    }
  }
  grammar.classes = std::move(classes);
  auto root = names.find("root");
  if (root == names.end())
    return Status(Code::Usage, "The grammar has no rule \"root\".");
  grammar.root = root->second;
  if (auto rule = findLeftRecursion(grammar))
    return Status(
        Code::Usage,
        fmt::format("Rule \"{}\" of the grammar may begin with itself.",
                    ruleNames[size_t(*rule)]));
  return grammar;
}

Result<Grammar> Parser::parse() {
  if (text.size() > kMaxGrammarBytes)
    return Status(Code::Usage,
                  fmt::format("The grammar has {} bytes (the limit is {}).",
                              text.size(), kMaxGrammarBytes));
  if (!isUtf8(text))
    return Status(Code::Usage, "The grammar is not UTF-8.");
  skipSpace(/*overLines=*/true);
  while (!isAtEnd())
    if (!parseRule())
      return Status(Code::Usage, problem);
  return assemble();
}

Result<Grammar> vm::llm::parseGbnf(std::string_view text) {
  return Parser(text).parse();
}
