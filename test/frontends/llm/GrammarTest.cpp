//===- GrammarTest.cpp - grammars of texts --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/grammar/TokenGrammar.h"
#include "test/frontends/llm/GrammarTesting.h"

#include <gtest/gtest.h>

using namespace vm;
using namespace vm::llm;

//===----------------------------------------------------------------------===//
// GBNF
//===----------------------------------------------------------------------===//

static void expectTexts(const std::string &gbnf,
                        std::initializer_list<const char *> good,
                        std::initializer_list<const char *> bad) {
  Result<Grammar> grammar = parseGbnf(gbnf);
  ASSERT_TRUE(grammar.ok()) << grammar.status().message();
  GrammarAutomaton automaton(*grammar);
  for (const char *text : good)
    EXPECT_TRUE(isTextOf(automaton, text)) << gbnf << " has not " << text;
  for (const char *text : bad)
    EXPECT_FALSE(isTextOf(automaton, text)) << gbnf << " has " << text;
}

TEST(LlmGrammar, SequencesAndAlternatives) {
  expectTexts("root ::= \"a\" b | \"c\"\nb ::= \"d\" | # nothing\n",
              {"ad", "a", "c"}, {"", "d", "cd", "add"});
  expectTexts("root ::= ( \"a\" |\n \"b\" )\n \n# the end", {"a", "b"}, {"ab"});
  expectTexts("root ::= \"a\"\nroot ::= \"b\"", {"b"}, {"a"});
  expectTexts("root ::= \"a\"\r\n\r\n", {"a"}, {});
}

TEST(LlmGrammar, Repetitions) {
  expectTexts("root ::= \"ab\"*", {"", "ab", "abab"}, {"a", "aba"});
  expectTexts("root ::= [ab]+ \"c\"?", {"a", "abac"}, {"", "c", "acc"});
  expectTexts("root ::= (\"a\" | \"b\"){2,3}", {"ab", "bab"}, {"a", "abab"});
  expectTexts("root ::= \"a\"{ 2 , }", {"aa", "aaaaa"}, {"a"});
  expectTexts("root ::= \"a\"{3}", {"aaa"}, {"aa", "aaaa"});
  expectTexts("root ::= \"a\"{0,0} \"b\"", {"b"}, {"ab"});
  // What may be empty, repeated.
  expectTexts("root ::= (\"a\"?)* \"b\"", {"b", "aab"}, {"a"});
}

TEST(LlmGrammar, Characters) {
  expectTexts("root ::= [^a-c\\]é]", {"d", "[", "漢", "\n"},
              {"b", "]", "é", "", "\xff", "\xc3"});
  expectTexts("root ::= [a-]+", {"-a-"}, {"b"});
  expectTexts(R"(root ::= "\x41\u00e9\U0001F600\t\"\\")", {"Aé😀\t\"\\"},
              {"A"});
  expectTexts("root ::= . [\\x00-\\x1F]", {"漢\x01"}, {"漢a", "\x01"});
  expectTexts("root ::= .", {"\xed\x9f\xbf", "\xee\x80\x80"},
              {"\xed\xa0\x80", "\xc0\x80", "\xe0\x80\x80", "\xf4\x90\x80\x80"});
}

TEST(LlmGrammar, RecursionThatDoesNotBeginARule) {
  expectTexts("root ::= \"(\" root \")\" root |", {"", "()", "(())()"},
              {"(", ")("});
  expectTexts("root ::= a | \"b\"\na ::= root", {"b"}, {"bb"});
}

TEST(LlmGrammar, SaysWhatIsWrong) {
  auto refusal = [](const std::string &text) {
    Result<Grammar> grammar = parseGbnf(text);
    EXPECT_FALSE(grammar.ok()) << text;
    return grammar.ok() ? "" : grammar.status().message();
  };
  EXPECT_EQ(refusal(""), "The grammar has no rule \"root\".");
  EXPECT_EQ(refusal("root ::= a"), "The grammar has no rule \"a\".");
  EXPECT_EQ(refusal("root ::= \"a\"\nb = \"c\""),
            "Line 2 of the grammar: \"::=\" is expected, not \"= \"c\"\".");
  EXPECT_EQ(refusal("root ::= \"a"),
            "Line 1 of the grammar: a \" has no other one that ends the text.");
  EXPECT_EQ(refusal("root ::= (\"a\""),
            "Line 1 of the grammar: the text ends where \")\" is expected.");
  EXPECT_EQ(refusal("root ::= [b-a]"),
            "Line 1 of the grammar: the range from 0x62 to 0x61 is empty.");
  EXPECT_EQ(
      refusal("root ::= \"\\q\""),
      "Line 1 of the grammar: one of x, u, U, t, r, n, \\, \", [, ] after "
      "\\ is expected, not \"q\"\".");
  EXPECT_EQ(refusal("root ::= \"a\"{3,2}"),
            "Line 1 of the grammar: at most 2 repetitions are fewer than at "
            "least 3.");
  EXPECT_EQ(refusal("root ::= \"a\"{99999999999}"),
            "Line 1 of the grammar: 4294967295 repetitions are too many (the "
            "limit is 262144).");
  EXPECT_EQ(refusal("root ::= \"a\"{0,262144}"),
            "Line 1 of the grammar: the grammar has more than 262144 symbols.");
  EXPECT_EQ(refusal("root ::= root \"a\" | \"b\""),
            "Rule \"root\" of the grammar may begin with itself.");
  EXPECT_EQ(refusal("root ::= \"a\"* b\nb ::= root \"c\" |"),
            "Rule \"b\" of the grammar may begin with itself.");
  EXPECT_EQ(refusal("root ::= \"\xff\""), "The grammar is not UTF-8.");
  EXPECT_EQ(refusal(std::string(kMaxGrammarBytes + 1, ' ')),
            "The grammar has 1048577 bytes (the limit is 1048576).");
}

TEST(LlmGrammar, AnyDepthIsRefusedOrHandled) {
  constexpr int kDepth = 60000;
  Result<Grammar> nested = parseGbnf("root ::= " + std::string(kDepth, '(') +
                                     "\"a\"" + std::string(kDepth, ')'));
  ASSERT_FALSE(nested.ok());
  EXPECT_EQ(nested.status().message(),
            "Line 1 of the grammar: more than 256 groups are nested.");

  std::string chain = "root ::= r0\n";
  for (int i = 0; i < kDepth; ++i)
    chain += "r" + std::to_string(i) + "::=r" + std::to_string(i + 1) + "\n";
  expectTexts(chain + "r60000::=\"a\"", {"a"}, {"b"});

  // A text of that depth.
  Result<Grammar> brackets = parseGbnf("root ::= \"[\" root \"]\" | \"a\"");
  ASSERT_TRUE(brackets.ok());
  GrammarAutomaton automaton(*brackets);
  std::string text = std::string(kDepth, '[') + "a" + std::string(kDepth, ']');
  int32_t state = automaton.start();
  for (size_t i = 0; i < text.size(); ++i) {
    automaton.beginToken();
    if (i % 1000 == 0)
      state = automaton.forget(state);
    state = automaton.step(state, uint8_t(text[i]));
  }
  EXPECT_TRUE(automaton.isFinished(state));
}

TEST(LlmGrammar, TooManyWaysAreGivenUp) {
  std::string text = "root ::= ";
  for (int i = 0; i < 20000; ++i)
    text += "\"a\" | ";
  Result<Grammar> grammar = parseGbnf(text);
  ASSERT_TRUE(grammar.ok()) << grammar.status().message();
  GrammarAutomaton automaton(*grammar);
  EXPECT_EQ(automaton.problem().message(),
            "The grammar has 20001 ways to go on at one place (the limit is "
            "16384).");
  EXPECT_EQ(automaton.start(), GrammarAutomaton::kDead);
}

TEST(LlmGrammar, TooLongATokenIsGivenUp) {
  // Each a may stand in any of the groups that are not over.
  std::string text = "root ::= ";
  for (int i = 0; i < 100; ++i)
    text += "\"a\"{0,100} ";
  Result<Grammar> grammar = parseGbnf(text);
  ASSERT_TRUE(grammar.ok()) << grammar.status().message();
  GrammarAutomaton automaton(*grammar);
  int32_t state = automaton.start();
  for (int i = 0; i < 1000 && automaton.problem().ok(); ++i)
    state = automaton.step(state, 'a');
  EXPECT_EQ(automaton.problem().message(),
            "The grammar takes more than 4194304 steps for one token.");
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

static std::vector<int32_t> allowedOf(TokenGrammar &text) {
  Result<const std::vector<bool> *> mask = text.allowed();
  EXPECT_TRUE(mask.ok());
  std::vector<int32_t> tokens;
  for (size_t token = 0; mask.ok() && token < (*mask)->size(); ++token)
    if ((**mask)[token])
      tokens.push_back(int32_t(token));
  return tokens;
}

TEST(LlmGrammar, TokensThatMayBeNext) {
  // Token 6 begins a character of which token 7 is the rest; 8 says nothing.
  std::vector<std::string> tokens = {"a",  "ab",   "b",    "abc", "c",
                                     "ab", "\xc3", "\xa9", "",    "é"};
  auto trie = std::make_shared<const TokenTrie>(tokens);
  Result<Grammar> grammar = parseGbnf("root ::= \"a\" \"b\"? \"é\"");
  ASSERT_TRUE(grammar.ok());
  TokenGrammar text(*grammar, trie);
  using Tokens = std::vector<int32_t>;
  EXPECT_EQ(allowedOf(text), (Tokens{0, 1, 5}));
  ASSERT_TRUE(text.accept(0));
  EXPECT_EQ(allowedOf(text), (Tokens{2, 6, 9}));
  ASSERT_TRUE(text.accept(6));
  EXPECT_EQ(allowedOf(text), (Tokens{7}));
  EXPECT_FALSE(text.mayEnd());
  ASSERT_TRUE(text.accept(7));
  EXPECT_EQ(allowedOf(text), (Tokens{}));
  EXPECT_TRUE(text.mayEnd());
  EXPECT_TRUE(text.mustEnd());
  EXPECT_FALSE(text.accept(0));
}
