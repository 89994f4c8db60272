//===- ScanTextTest.cpp - patterns, zones and placeholders of a text ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/text/ScanText.h"

#include "frontends/token/text/Template.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>

using namespace vm;
using namespace vm::token;

namespace {

//===--- Patterns ---------------------------------------------------------===//

/// `begin:pattern` of each match.
std::string scanned(const std::vector<std::string> &patterns,
                    std::string_view text) {
  std::string result;
  for (const PatternMatch &match : PatternFinder(patterns).scan(text))
    result += fmt::format("{}{}:{}", result.empty() ? "" : " ", match.begin,
                          patterns[match.pattern]);
  return result;
}

TEST(PatternFinder, LeftmostComesBeforeLonger) {
  EXPECT_EQ(scanned({"bcde", "ab"}, "abcde"), "0:ab");
  EXPECT_EQ(scanned({"abcd", "bc"}, "abce"), "1:bc");
}

TEST(PatternFinder, LongestOfThoseThatBeginTogether) {
  EXPECT_EQ(scanned({"a", "abc", "ab"}, "abcabab"), "0:abc 3:ab 5:ab");
  EXPECT_EQ(scanned({"a", "abcd"}, "abc"), "0:a");
}

TEST(PatternFinder, GoesOnFromTheEndOfAMatch) {
  EXPECT_EQ(scanned({"aa"}, "aaaaa"), "0:aa 2:aa");
  EXPECT_EQ(scanned({"ab", "ba"}, "aba"), "0:ab");
}

TEST(PatternFinder, BytesBeyondAsciiAndZeros) {
  EXPECT_EQ(scanned({"\xC3\xA9", std::string("\0x", 2)},
                    std::string_view("a\xC3\xA9\0x", 5)),
            fmt::format("1:\xC3\xA9 3:{}", std::string("\0x", 2)));
  EXPECT_EQ(scanned({"\n"}, ""), "");
  EXPECT_EQ(scanned({}, "abc"), "");
}

/// The definition, word for word.
std::string scannedSlowly(const std::vector<std::string> &patterns,
                          std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    std::string longest;
    for (const std::string &pattern : patterns)
      if (text.substr(at).starts_with(pattern) &&
          pattern.size() > longest.size())
        longest = pattern;
    if (!longest.empty())
      result += fmt::format("{}{}:{}", result.empty() ? "" : " ", at, longest);
    at += std::max<size_t>(longest.size(), 1);
  }
  return result;
}

TEST(PatternFinder, EqualsTheDefinitionOnRandomTexts) {
  std::mt19937 random(7);
  auto word = [&](size_t most) {
    std::string text(1 + random() % most, 'a');
    for (char &c : text)
      c = char('a' + random() % 3);
    return text;
  };
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> patterns;
    for (size_t i = random() % 6; i-- > 0;)
      patterns.push_back(word(5));
    std::string text = word(40);
    ASSERT_EQ(scanned(patterns, text), scannedSlowly(patterns, text)) << text;
  }
}

TEST(PatternFinder, ForEachFindsAllOccurrences) {
  std::vector<std::string> patterns{"a", "aba", "b"};
  std::string found;
  PatternFinder(patterns).forEach("aba", [&](PatternMatch match) {
    found += fmt::format("{}:{} ", match.begin, patterns[match.pattern]);
    return true;
  });
  EXPECT_EQ(found, "2:a 1:b 0:aba 0:a ");
}

TEST(PatternFinder, ForEachStops) {
  int calls = 0;
  PatternFinder({"a"}).forEach("aaa", [&](PatternMatch) {
    ++calls;
    return false;
  });
  EXPECT_EQ(calls, 1);
}

//===--- Zones ------------------------------------------------------------===//

PromptConfig config() {
  PromptConfig config;
  config.zonePatterns = {"[P]", "[A]", "[E]"};
  config.requiredPatterns = {"[P]"};
  config.controlPattern = "[J]";
  config.escapeOpen = "[Esc]";
  config.escapeClose = "[End]";
  return config;
}

/// The zones with `|` between, or the codes of the errors; codes of warnings
/// follow.
std::string zonesOf(const PromptConfig &config, std::string_view text) {
  Diagnostics diagnostics;
  Place place{"f", {3, 7}};
  auto zones = TextScanner(config).scan(text, "Block 0 of sequence \"a\"",
                                        place, diagnostics);
  std::string result;
  for (size_t i = 0; zones && i < zones->size(); ++i)
    result += (i == 0 ? "" : "|") + (*zones)[i];
  EXPECT_EQ(diagnostics.hasErrors(), !zones.has_value());
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    EXPECT_EQ(diagnostic.place.where, (SourceLocation{3, 7}));
    EXPECT_TRUE(diagnostic.sentence.starts_with("Block 0 of sequence \"a\" "));
    result += (result.empty() ? "" : " ") + diagnostic.code;
  }
  return result;
}

std::string zonesOf(std::string_view text) { return zonesOf(config(), text); }

TEST(ScanText, TheReferenceCase) {
  PromptConfig reference = config();
  reference.zonePatterns = {"[Prompt]", "[Answer]", "[EOS]"};
  reference.requiredPatterns = {"[Prompt]", "[Answer]"};
  EXPECT_EQ(
      zonesOf(reference, "[Prompt] What is AI? [Answer] AI is intelligence."),
      "[Prompt]| What is AI? [Answer]| AI is intelligence.");
}

TEST(ScanText, ZonesEndWithTheirPatterns) {
  EXPECT_EQ(zonesOf("[P]a[A]b[E]"), "[P]|a[A]|b[E]");
  EXPECT_EQ(zonesOf("[P][A][E]"), "[P]|[A]|[E]");
}

TEST(ScanText, MissingPatternsLeaveTheTextOpen) {
  EXPECT_EQ(zonesOf("[P]a[A]b"), "[P]|a[A]|b");
  EXPECT_EQ(zonesOf("[P]a"), "[P]|a|");
  EXPECT_EQ(zonesOf("[P]"), "[P]||");
}

TEST(ScanText, WhatIsEscapedStaysAndDoesNotCount) {
  EXPECT_EQ(zonesOf("[P]x[Esc][A][E][End]y[A]z"),
            "[P]|x[Esc][A][E][End]y[A]|z");
  EXPECT_EQ(zonesOf("[P][Esc][Esc][A][End][A][End][A]"),
            "[P]|[Esc][Esc][A][End][A][End][A]|");
  // Before the first pattern escapes count too, and are dropped with it.
  EXPECT_EQ(zonesOf("[Esc][P][End][P]a"), "[P]|a| W04");
}

TEST(ScanText, TheLeftmostPatternHidesWhatBeginsInIt) {
  PromptConfig overlapping = config();
  overlapping.zonePatterns = {"<<", "<|", ">"};
  overlapping.requiredPatterns = {"<<"};
  // `<<|` is `<<` and a bar, not a `<` and `<|`.
  EXPECT_EQ(zonesOf(overlapping, "<<|x<|y>"), "<<||x<||y>");
}

TEST(ScanText, TheLongestPatternWins) {
  PromptConfig nested = config();
  nested.zonePatterns = {"\n", "\n\n", "\n\n\n"};
  nested.requiredPatterns = {"\n"};
  EXPECT_EQ(zonesOf(nested, "\na\n\nb\n\n\n"), "\n|a\n\n|b\n\n\n");
  EXPECT_EQ(zonesOf(nested, "\n\na"), "U35");
}

TEST(ScanText, BlankTextOutsideIsDroppedInSilence) {
  EXPECT_EQ(zonesOf("\n [P]a[A]b[E] \t\n"), "[P]|a[A]|b[E]");
  EXPECT_EQ(zonesOf("x[P]a[A]b[E] y"), "[P]|a[A]|b[E] W04 W05");
  // Of an open text the rest is kept.
  EXPECT_EQ(zonesOf("[P]a[A]b y"), "[P]|a[A]|b y");
}

TEST(ScanText, ErrorsHaveTheirCodes) {
  EXPECT_EQ(zonesOf("[P]a[End]"), "U30");
  EXPECT_EQ(zonesOf("[P]a[Esc]"), "U31");
  EXPECT_EQ(zonesOf("a"), "U33");
  EXPECT_EQ(zonesOf("[P][A][E][P]"), "U34");
  EXPECT_EQ(zonesOf("[P][E]"), "U35");
  EXPECT_EQ(zonesOf("[A]"), "U35");
  PromptConfig all = config();
  all.requiredPatterns = {"[E]", "[P]"};
  EXPECT_EQ(zonesOf(all, "[P][A]"), "U36");
}

TEST(ScanText, OnlyAnUnescapedControlPatternIsWarnedOf) {
  EXPECT_EQ(zonesOf("[P]a[J]b[J]"), "[P]|a[J]b[J]| W06");
  EXPECT_EQ(zonesOf("[P][Esc]a[J][End]"), "[P]|[Esc]a[J][End]|");
  EXPECT_EQ(zonesOf("[P][Esc][J][End][J]"), "[P]|[Esc][J][End][J]| W06");
  // A part of another pattern is the config's matter (W02).
  PromptConfig inside = config();
  inside.controlPattern = "A";
  EXPECT_EQ(zonesOf(inside, "[P]x[A]y"), "[P]|x[A]|y");
  EXPECT_EQ(zonesOf(inside, "[P]x[A]A"), "[P]|x[A]|A W06");
  inside.controlPattern = "[A";
  EXPECT_EQ(zonesOf(inside, "[P]x[A]y"), "[P]|x[A]|y");
  EXPECT_EQ(zonesOf(inside, "[P]x[A[A]"), "[P]|x[A[A]| W06");
  inside.controlPattern = "x[A";
  EXPECT_EQ(zonesOf(inside, "[P]x[A]y"), "[P]|x[A]|y W06");
  // What is dropped is not fed.
  EXPECT_EQ(zonesOf("[J][P][A][E]"), "[P]|[A]|[E] W04");
}

TEST(ScanText, TakesTimeLinearInTheText) {
  PromptConfig hostile = config();
  std::string as(1023, 'a');
  hostile.zonePatterns = {as + "b", as + "c", "[E]"};
  hostile.requiredPatterns = {"[E]"};
  std::string text(size_t(1) << 20, 'a');
  auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(zonesOf(hostile, text), "U33");
  EXPECT_EQ(zonesOf(hostile, text + "[Esc]"), "U31");
  std::string nested;
  for (int i = 0; i < 100000; ++i)
    nested += "[Esc]";
  EXPECT_EQ(zonesOf(hostile, nested), "U31");
  // A quadratic search takes minutes; this is a fraction of a second.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

//===--- Templates --------------------------------------------------------===//

/// Texts in quotes and numbers of placeholders, or what is malformed.
std::string parts(std::string_view text, PlaceholderKeys &keys) {
  std::vector<TemplatePart> parts;
  if (auto malformed = parseTemplate(text, keys, parts))
    return "malformed " + *malformed;
  std::string result;
  for (const TemplatePart &part : parts)
    result += part.placeholder < 0 ? "'" + part.text + "'"
                                   : fmt::format("{}", part.placeholder);
  return result;
}

std::string parts(std::string_view text) {
  PlaceholderKeys keys;
  return parts(text, keys);
}

TEST(Template, PlaceholdersAreNumberedInOrder) {
  PlaceholderKeys keys;
  EXPECT_EQ(parts("a{x}{_y1}b{x}", keys), "'a'01'b'0");
  EXPECT_EQ(parts("{z}{_y1}", keys), "21");
  EXPECT_EQ(keys.inOrder(), (std::vector<std::string>{"x", "_y1", "z"}));
  EXPECT_TRUE(keys.contains("z"));
  EXPECT_FALSE(keys.contains("y"));
}

TEST(Template, DoubledBracesAreBraces) {
  EXPECT_EQ(parts("{{x}}"), "'{x}'");
  EXPECT_EQ(parts("{{{x}}}"), "'{'0'}'");
  EXPECT_EQ(parts("}}{{"), "'}{'");
  EXPECT_EQ(parts("a{{b"), "'a{b'");
}

TEST(Template, TextWithoutBracesIsOnePart) {
  EXPECT_EQ(parts("a\nb"), "'a\nb'");
  EXPECT_EQ(parts(""), "");
}

TEST(Template, AnythingElseIsMalformed) {
  EXPECT_EQ(parts("a}b"), "malformed }");
  EXPECT_EQ(parts("a{b"), "malformed {b");
  EXPECT_EQ(parts("{}"), "malformed {}");
  EXPECT_EQ(parts("{1}"), "malformed {1}");
  EXPECT_EQ(parts("{a b}"), "malformed {a b}");
  EXPECT_EQ(parts("{a\n}"), "malformed {a");
  EXPECT_EQ(parts("{x:}"), "malformed {x:}");
  EXPECT_EQ(parts("{x}}"), "malformed }");
  EXPECT_EQ(parts("{{x}"), "malformed }");
  EXPECT_EQ(parts("{"), "malformed {");
}

} // namespace
