//===- TextAutomatonTest.cpp - patterns in the text that tokens say -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/TextAutomaton.h"

#include <gtest/gtest.h>

#include <random>

using namespace vm;

using Texts = std::vector<std::string>;

TEST(TextAutomaton, HearsAPatternInAnyTokens) {
  Texts tokens = {"s", "t", "o", "p", "st", "op", "stop", "astops", "sto"};
  Result<TextAutomaton> automaton = buildTextAutomaton(Texts{"stop"}, tokens);
  ASSERT_TRUE(automaton.ok());
  EXPECT_EQ(automaton->step(0, 7), (TextStep{0, 0, 5}));
  int32_t state = automaton->step(0, 4).state;
  EXPECT_EQ(automaton->step(state, 5), (TextStep{4, 0, 2}));
  EXPECT_EQ(automaton->step(state, 4).state, state); // "stst"
  EXPECT_EQ(automaton->step(state, 2).pattern, -1);
}

TEST(TextAutomaton, TokensThatDoTheSameShareAClass) {
  Result<TextAutomaton> automaton =
      buildTextAutomaton(Texts{"ab"}, Texts{"x", "yz", "a", "xa", ""});
  ASSERT_TRUE(automaton.ok());
  EXPECT_EQ(automaton->classOf, (std::vector<int32_t>{0, 0, 1, 1, 2}));
}

/// The first end of a pattern in `text` past `from`, and the longest there.
static std::pair<size_t, int32_t> search(const Texts &patterns,
                                         std::string_view text, size_t from) {
  for (size_t end = from + 1; end <= text.size(); ++end) {
    int32_t best = -1;
    for (size_t i = 0; i < patterns.size(); ++i)
      if (text.substr(0, end).ends_with(patterns[i]) &&
          (best < 0 || patterns[i].size() > patterns[size_t(best)].size()))
        best = int32_t(i);
    if (best >= 0)
      return {end - from, best};
  }
  return {0, -1};
}

TEST(TextAutomaton, EqualsTheDefinitionOnRandomTexts) {
  std::mt19937 random(48);
  auto word = [&](size_t longest) {
    std::string text;
    for (size_t n = 1 + random() % longest; n > 0; --n)
      text += char('a' + random() % 2);
    return text;
  };
  for (int round = 0; round < 200; ++round) {
    Texts patterns, tokens;
    for (int i = 0; i < 3; ++i)
      patterns.push_back(word(5));
    for (int i = 0; i < 6; ++i)
      tokens.push_back(word(4));
    Result<TextAutomaton> automaton = buildTextAutomaton(patterns, tokens);
    ASSERT_TRUE(automaton.ok());
    std::string text;
    int32_t state = 0;
    for (int i = 0; i < 20; ++i) {
      auto token = int32_t(random() % tokens.size());
      size_t before = text.size();
      text += tokens[size_t(token)];
      const TextStep &step = automaton->step(state, token);
      auto [end, pattern] = search(patterns, text, before);
      EXPECT_EQ(size_t(step.end), end);
      EXPECT_EQ(step.pattern < 0, pattern < 0);
      if (pattern >= 0) {
        EXPECT_EQ(patterns[size_t(step.pattern)], patterns[size_t(pattern)]);
      }
      state = step.state;
      if (end > 0 && before + end < text.size())
        text.clear(); // The rest of the token is not listened to.
    }
  }
}

TEST(TextAutomaton, RefusesWhatIsNoPattern) {
  EXPECT_EQ(buildTextAutomaton(Texts{""}, Texts{}).status().message(),
            "A pattern in a text has 0 bytes (1 is the least).");
  EXPECT_EQ(buildTextAutomaton(Texts{std::string(1024, 'a')}, Texts{})
                .status()
                .message(),
            "The patterns in a text have 1024 bytes (the limit is 1023).");
}
