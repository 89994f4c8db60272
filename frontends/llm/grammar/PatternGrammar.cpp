//===- PatternGrammar.cpp - regular expressions as grammars ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The syntax is that of ECMA-262, section 22.2.1, in which JSON schemas have
// their patterns, where it describes a regular language.
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/grammar/PatternGrammar.h"

#include "frontends/llm/grammar/Grammar.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

using namespace vm;
using namespace vm::llm;

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

/// Those that are no characters of texts.
static constexpr CharacterRange kSurrogates = {0xD800, 0xDFFF};

static const CharacterClass kDigits = {{'0', '9'}};
static const CharacterClass kWords = {
    {'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
static const CharacterClass kSpaces = {
    {0x09, 0x0D},     {0x20, 0x20},     {0xA0, 0xA0},     {0x1680, 0x1680},
    {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F},
    {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
static const CharacterClass kLineEnds = {
    {0x0A, 0x0A}, {0x0D, 0x0D}, {0x2028, 0x2029}};

static CharacterClass without(CharacterClass all,
                              const CharacterClass &others) {
  CharacterClass outside = complementOf(std::move(all));
  outside.insert(outside.end(), others.begin(), others.end());
  return complementOf(outside);
}

static bool has(const CharacterClass &all, uint32_t character) {
  return std::ranges::any_of(all, [&](const CharacterRange &range) {
    return range.first <= character && character <= range.last;
  });
}

/// A character in a class of GBNF.
static std::string escaped(uint32_t character) {
  return character < 0x80      ? fmt::format("\\x{:02X}", character)
         : character <= 0xFFFF ? fmt::format("\\u{:04X}", character)
                               : fmt::format("\\U{:08X}", character);
}

/// One of a class, which is in order, as JSON spells it.
static std::string spelled(const CharacterClass &all) {
  static constexpr std::pair<uint8_t, const char *> kNamed[] = {
      {'"', R"("\\\"")"}, {'\\', R"("\\\\")"}, {'\b', R"("\\b")"},
      {'\f', R"("\\f")"}, {'\n', R"("\\n")"},  {'\r', R"("\\r")"},
      {'\t', R"("\\t")"}};
  CharacterClass plain =
      without(all, {{0, 0x1F}, {'"', '"'}, {'\\', '\\'}, {0x7F, 0x7F}});
  std::vector<std::string> parts;
  if (!plain.empty()) {
    std::string ranges;
    for (const CharacterRange &range : plain)
      ranges += escaped(range.first) +
                (range.first == range.last ? "" : "-" + escaped(range.last));
    parts.push_back("[" + ranges + "]");
  }
  CharacterClass named;
  for (auto [character, text] : kNamed) {
    named.push_back({character, character});
    if (has(all, character))
      parts.emplace_back(text);
  }
  for (uint32_t high : {0x0, 0x1, 0x7}) {
    std::string digits;
    for (uint32_t low = 0; low < 16; ++low)
      if (uint32_t own = high * 16 + low;
          (own < 0x20 || own == 0x7F) && has(all, own) && !has(named, own))
        digits += fmt::format("{:X}", low);
    if (!digits.empty())
      parts.push_back(fmt::format(R"("\\u00{:X}" [{}])", high, digits));
  }
  return fmt::format("{}", fmt::join(parts, " | "));
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
/// An expression of GBNF, and whether it makes the empty text, too.
struct Part {
  std::string text;
  bool isNullable = false;
};

class PatternParser {
public:
  PatternParser(std::string_view text,
                const std::function<std::string(const std::string &)> &rule,
                const std::string &character)
      : text(text), rule(rule), any(character + "*") {}
  Result<std::string> parse();

private:
  // Each is nothing, or false, where `problem` says why.
  std::optional<Part> alternatives(size_t depth);
  std::optional<Part> sequence(size_t depth);
  std::optional<Part> atom(size_t depth);
  std::optional<Part> group(size_t depth);
  bool repeat(Part &part);
  bool readCount(size_t &count);
  bool readClass(CharacterClass &all);
  bool readClassAtom(CharacterClass &all);
  bool readEscape(CharacterClass &all, bool isInClass);
  bool readHex(size_t digits, uint32_t &value);
  Part oneOf(const CharacterClass &all);

  bool isAtEnd() const { return at >= text.size(); }
  char peek() const { return isAtEnd() ? '\0' : text[at]; }
  bool take(std::string_view word) {
    bool isThere = text.substr(at).starts_with(word);
    at += isThere ? word.size() : 0;
    return isThere;
  }
  uint32_t takeCharacter();
  bool fail(const std::string &what);

  std::string_view text;
  const std::function<std::string(const std::string &)> &rule;
  std::string any;
  size_t at = 0;
  std::string problem;
  std::map<std::string, std::string> classes; ///< Rules by their expressions.
};
} // namespace

bool PatternParser::fail(const std::string &what) {
  if (problem.empty())
    problem = fmt::format("\"pattern\" has, at byte {}, {}.", at, what);
  return false;
}

uint32_t PatternParser::takeCharacter() {
  auto first = static_cast<uint8_t>(text[at++]);
  size_t more = first < 0xC0 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
  uint32_t character = more == 0 ? first : first & (0x3FU >> more);
  for (; more > 0; --more, ++at)
    character = character << 6 | (static_cast<uint8_t>(peek()) & 0x3FU);
  return character;
}

Part PatternParser::oneOf(const CharacterClass &all) {
  std::string expression = spelled(all);
  auto [entry, isNew] = classes.try_emplace(expression);
  if (isNew)
    entry->second = expression.find(' ') == std::string::npos
                        ? expression
                        : rule(expression);
  return {entry->second};
}

bool PatternParser::readHex(size_t digits, uint32_t &value) {
  value = 0;
  for (size_t i = 0; i < digits; ++i, ++at) {
    static constexpr std::string_view kHex = "0123456789abcdef";
    char c = peek();
    size_t digit = kHex.find(c >= 'A' && c <= 'F' ? char(c + 32) : c);
    if (isAtEnd() || digit == std::string_view::npos)
      return fail("an escape that lacks hexadecimal digits");
    value = value * 16 + static_cast<uint32_t>(digit);
  }
  return true;
}

/// After the backslash.
bool PatternParser::readEscape(CharacterClass &all, bool isInClass) {
  static const std::map<char, std::pair<const CharacterClass *, bool>> kSets = {
      {'d', {&kDigits, false}}, {'D', {&kDigits, true}},
      {'w', {&kWords, false}},  {'W', {&kWords, true}},
      {'s', {&kSpaces, false}}, {'S', {&kSpaces, true}}};
  static constexpr std::string_view kNames = "fnrtv", kMeanings = "\f\n\r\t\v";
  if (isAtEnd())
    return fail("a \\ at its end");
  char kind = peek();
  if (auto set = kSets.find(kind); set != kSets.end()) {
    auto [own, isNegative] = set->second;
    all = isNegative ? complementOf(*own) : *own;
    ++at;
    return true;
  }
  uint32_t character = 0;
  if (size_t number = kNames.find(kind); number != std::string_view::npos) {
    character = static_cast<uint8_t>(kMeanings[number]);
    ++at;
  } else if (kind == 'x' || kind == 'u') {
    ++at;
    if (!readHex(kind == 'x' ? 2 : 4, character))
      return false;
    uint32_t low = 0;
    if (character >= 0xD800 && character <= 0xDBFF && take("\\u")) {
      if (!readHex(4, low))
        return false;
      if (low >= 0xDC00 && low <= 0xDFFF)
        character = 0x10000 + ((character - 0xD800) << 10) + (low - 0xDC00);
    }
    if (has({kSurrogates}, character))
      return fail("a half of a surrogate pair");
  } else if (kind == 'b' && isInClass) {
    character = '\b';
    ++at;
  } else if ((kind >= '1' && kind <= '9') || kind == 'k') {
    return fail("a backreference, which no grammar has");
  } else if (kind == 'b' || kind == 'B') {
    return fail("a boundary of a word, which is not supported");
  } else if ((kind >= 'a' && kind <= 'z') || (kind >= 'A' && kind <= 'Z') ||
             kind == '0') {
    return fail(fmt::format("\\{}, which is not supported", kind));
  } else {
    character = takeCharacter();
  }
  all = {{character, character}};
  return true;
}

bool PatternParser::readClassAtom(CharacterClass &all) {
  if (take("\\"))
    return readEscape(all, /*isInClass=*/true);
  uint32_t character = takeCharacter();
  all = {{character, character}};
  return true;
}

/// After the bracket.
bool PatternParser::readClass(CharacterClass &all) {
  bool isNegative = take("^");
  while (!take("]")) {
    CharacterClass first, last;
    if (isAtEnd())
      return fail("a [ without a ]");
    if (!readClassAtom(first))
      return false;
    bool isRange = text.substr(at).starts_with('-') &&
                   !text.substr(at).starts_with("-]") && at + 1 < text.size();
    if (isRange) {
      ++at;
      if (!readClassAtom(last))
        return false;
      auto isOne = [](const CharacterClass &set) {
        return set.size() == 1 && set[0].first == set[0].last;
      };
      if (!isOne(first) || !isOne(last) || last[0].last < first[0].first)
        return fail("a range that has no first or no last character");
      first = {{first[0].first, last[0].last}};
    }
    all.insert(all.end(), first.begin(), first.end());
  }
  all = without(isNegative ? complementOf(all) : inOrder(all), {kSurrogates});
  return !all.empty() || fail("a class without a character");
}

std::optional<Part> PatternParser::group(size_t depth) {
  if (depth >= kMaxPatternGroups) {
    fail(fmt::format("more than {} groups within each other",
                     kMaxPatternGroups));
    return std::nullopt;
  }
  if (take("?") && !take(":")) {
    bool isName = take("<") && peek() != '=' && peek() != '!';
    size_t past = isName ? text.find('>', at) : std::string_view::npos;
    if (past == std::string_view::npos) {
      fail("a group that looks around, or has flags, which is not supported");
      return std::nullopt;
    }
    at = past + 1;
  }
  std::optional<Part> inner = alternatives(depth + 1);
  if (!inner)
    return std::nullopt;
  if (!take(")")) {
    fail("a ( without a )");
    return std::nullopt;
  }
  inner->text = "( " + inner->text + " )";
  return inner;
}

std::optional<Part> PatternParser::atom(size_t depth) {
  CharacterClass all;
  if (take("("))
    return group(depth);
  if (take("[")) {
    if (!readClass(all))
      return std::nullopt;
  } else if (take(".")) {
    all = complementOf(kLineEnds);
  } else if (take("\\")) {
    if (!readEscape(all, /*isInClass=*/false))
      return std::nullopt;
  } else if (std::string_view("*+?{}]").find(peek()) !=
             std::string_view::npos) {
    fail(fmt::format("a {} that stands for nothing", peek()));
    return std::nullopt;
  } else if (peek() == '^' || peek() == '$') {
    fail(fmt::format("a {} within it (it may stand at the ends of it, and of "
                     "its alternatives)",
                     peek()));
    return std::nullopt;
  } else {
    uint32_t character = takeCharacter();
    all = {{character, character}};
  }
  return oneOf(without(all, {kSurrogates}));
}

bool PatternParser::readCount(size_t &count) {
  if (peek() < '0' || peek() > '9')
    return fail("a { without a number");
  for (count = 0; peek() >= '0' && peek() <= '9'; ++at)
    count = std::min(count * 10 + size_t(peek() - '0'), kMaxGrammarSymbols + 1);
  return count <= kMaxGrammarSymbols ||
         fail(fmt::format("a number of repetitions above {}",
                          kMaxGrammarSymbols));
}

/// With the repetition that follows, if there is one. A lazy one finds the same
/// texts.
bool PatternParser::repeat(Part &part) {
  size_t least = 0;
  std::optional<size_t> most;
  if (take("*")) {
  } else if (take("+")) {
    least = 1;
  } else if (take("?")) {
    most = 1;
  } else if (take("{")) {
    if (!readCount(least))
      return false;
    most = least;
    if (take(",")) {
      most.reset();
      if (peek() != '}' && !readCount(most.emplace(0)))
        return false;
    }
    if (!take("}"))
      return fail("a { without a }");
  } else {
    return true;
  }
  take("?");
  if (most && *most < least)
    return fail(
        fmt::format("at least {} and at most {} repetitions", least, *most));
  if (!most && part.isNullable)
    return fail("a repetition without end of what may be empty");
  part.text += fmt::format("{{{},{}}}", least,
                           most ? std::to_string(*most) : std::string());
  part.isNullable |= least == 0;
  return true;
}

/// Of a whole pattern, with any text where it is not anchored.
std::optional<Part> PatternParser::sequence(size_t depth) {
  bool isWhole = depth == 0;
  std::vector<std::string> parts;
  Part all = {"", /*isNullable=*/true};
  if (isWhole && !take("^"))
    parts.push_back(any);
  bool isAnchored = false;
  while (!isAtEnd() && peek() != '|' && peek() != ')') {
    isAnchored = isWhole && peek() == '$' &&
                 (at + 1 == text.size() || text[at + 1] == '|');
    if (isAnchored) {
      ++at;
      break;
    }
    std::optional<Part> part = atom(depth);
    if (!part || !repeat(*part))
      return std::nullopt;
    all.isNullable &= part->isNullable;
    parts.push_back(std::move(part->text));
  }
  if (isWhole && !isAnchored)
    parts.push_back(any);
  all.text = parts.empty() ? R"("")" : fmt::format("{}", fmt::join(parts, " "));
  return all;
}

std::optional<Part> PatternParser::alternatives(size_t depth) {
  std::optional<Part> all = sequence(depth);
  while (all && take("|")) {
    std::optional<Part> next = sequence(depth);
    if (!next)
      return std::nullopt;
    all->text += " | " + next->text;
    all->isNullable |= next->isNullable;
  }
  return all;
}

Result<std::string> PatternParser::parse() {
  std::optional<Part> all = alternatives(/*depth=*/0);
  if (all && !isAtEnd())
    fail("a ) without a (");
  if (!problem.empty())
    return Status(Code::Usage, problem);
  return "( " + all->text + " )";
}

Result<std::string> vm::llm::gbnfOfPattern(
    std::string_view pattern,
    const std::function<std::string(const std::string &)> &rule,
    const std::string &character) {
  return PatternParser(pattern, rule, character).parse();
}
