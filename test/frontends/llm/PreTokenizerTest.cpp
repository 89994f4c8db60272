//===- PreTokenizerTest.cpp - how a text is split into words --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected are the words of Hugging Face's tokenizers.
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/tokenizer/PreTokenizer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace vm;
using namespace vm::llm;

/// Words, with | between them.
static std::string split(std::string_view name, std::string_view text) {
  Result<PreTokenizer> words = PreTokenizer::create(name);
  EXPECT_TRUE(words.ok()) << words.status().message();
  Result<std::vector<std::string_view>> parts = words->split(text);
  EXPECT_TRUE(parts.ok()) << parts.status().message();
  return fmt::format("{}", fmt::join(*parts, "|"));
}

TEST(LlmPreTokenizer, SplitsWordsNumbersAndSigns) {
  std::string_view text = "I'll be 1234 (ok)...";
  EXPECT_EQ(split("gpt-2", text), "I|'ll| be| 1234| (|ok|)...");
  EXPECT_EQ(split("smollm", text), "I|'ll| be| |1|2|3|4| (|ok|)...");
  EXPECT_EQ(split("llama-bpe", text), "I|'ll| be| |123|4| (|ok|)...");
  EXPECT_EQ(split("qwen2", text), "I|'ll| be| |1|2|3|4| (|ok|)...");
  EXPECT_EQ(split("falcon", text), "I|'|ll| be| |123|4| |(|ok|)...");
  EXPECT_EQ(split("deepseek-llm", text), "I|'|ll| be| |1|2|3|4| (|ok|)...");
}

TEST(LlmPreTokenizer, LeavesASpaceToTheNextWord) {
  EXPECT_EQ(split("gpt-2", "a   b  "), "a|  | b|  ");
  EXPECT_EQ(split("llama-bpe", "a \n\n  b"), "a| \n\n| | b");
  EXPECT_EQ(split("deepseek-llm", "a  b  "), "a| | b|  ");
}

TEST(LlmPreTokenizer, SplitsWhereSmallIsFollowedByCapital) {
  EXPECT_EQ(split("gpt-4o", "fooBar HTTPServer don't"),
            "foo|Bar| HTTPServer| don't");
  EXPECT_EQ(split("tekken", "fooBar don't"), "foo|Bar| don|'t");
}

TEST(LlmPreTokenizer, SpaceIsUnicodeWhiteSpace) {
  EXPECT_EQ(split("gpt-2", "a\xE3\x80\x80"
                           "b"),
            "a|\xE3\x80\x80|b");
  // U+180E is white space in PCRE2 alone.
  EXPECT_EQ(split("gpt-2", "a\xE1\xA0\x8E!"), "a|\xE1\xA0\x8E!");
}

TEST(LlmPreTokenizer, TakesLinearTime) {
  // What takes quadratic time takes minutes here.
  for (const char *name :
       {"default", "gpt-2", "smollm", "falcon", "llama-bpe", "qwen2", "qwen35",
        "tekken", "gpt-4o", "deepseek-llm", "deepseek-coder", "deepseek-v3"})
    for (char piece : {'A', ' ', '\n', '!'}) {
      std::string text = std::string(size_t(1) << 18, piece) + "x";
      Result<PreTokenizer> words = PreTokenizer::create(name);
      ASSERT_TRUE(words.ok());
      Result<std::vector<std::string_view>> parts = words->split(text);
      ASSERT_TRUE(parts.ok()) << parts.status().message();
      EXPECT_TRUE(parts->back().ends_with('x'));
    }
}

TEST(LlmPreTokenizer, RefusesANameItDoesNotKnow) {
  Result<PreTokenizer> words = PreTokenizer::create("gpt-2,phi-2");
  ASSERT_FALSE(words.ok());
  EXPECT_EQ(words.status().message(),
            "The pre-tokenizer \"gpt-2,phi-2\" is not known.");
}
