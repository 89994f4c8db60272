//===- TokenizerTest.cpp - texts to tokens, and back ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/tokenizer/Tokenizer.h"

#include "test/frontends/llm/TokenizerTesting.h"

#include <cmath>

using namespace vm;
using namespace vm::llm;
using namespace vm::llm::test;

using Merges = std::vector<std::pair<std::string, std::string>>;

//===--- Pairs of bytes ---------------------------------------------------===//

TEST(LlmTokenizer, MergesTheFirstOfTheListFirst) {
  Tokenizer tokenizer = makeTokenizer(
      byteVocabulary(Merges{{"b", "c"}, {"a", "b"}, {"a", "bc"}}));
  EXPECT_EQ(split(tokenizer, {{"abab abc"}}), "ab|ab|\xC4\xA0|abc");
}

TEST(LlmTokenizer, MergesTheLeftmostOfEqualPairsFirst) {
  Tokenizer tokenizer = makeTokenizer(byteVocabulary(Merges{{"a", "a"}}));
  EXPECT_EQ(split(tokenizer, {{"aaaaa"}}), "aa|aa|a");
}

TEST(LlmTokenizer, NoTokenCrossesTheEndOfAWord) {
  Tokenizer tokenizer =
      makeTokenizer(byteVocabulary(Merges{{"a", " "}, {" ", "b"}}));
  EXPECT_EQ(split(tokenizer, {{"a b"}}), "a|\xC4\xA0"
                                         "b");
}

TEST(LlmTokenizer, AWholeWordIsItsTokenWhereTheModelWantsIt) {
  Vocabulary vocabulary = byteVocabulary(Merges{{"a", "b"}});
  vocabulary.tokens.push_back("abc");
  vocabulary.types.push_back(TokenType::Normal);
  vocabulary.addBos = false;
  EXPECT_EQ(split(makeTokenizer(vocabulary), {{"abc"}}), "ab|c");
  vocabulary.preTokenizer = "llama-bpe";
  EXPECT_EQ(split(makeTokenizer(vocabulary), {{"abc"}}), "abc");
}

TEST(LlmTokenizer, ReplacesWhatIsNoUtf8) {
  Tokenizer tokenizer = makeTokenizer(byteVocabulary({}));
  Result<std::vector<int32_t>> tokens = tokenizer.encodeText("a\xE2\x82z\xFF");
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ(*tokens, (std::vector<int32_t>{'a', 0xEF, 0xBF, 0xBD, 'z', 0xEF,
                                           0xBF, 0xBD}));
  EXPECT_EQ(tokenizer.decode(*tokens), "a\xEF\xBF\xBDz\xEF\xBF\xBD");
}

TEST(LlmTokenizer, LeavesOutAByteWithoutAToken) {
  Vocabulary vocabulary = byteVocabulary({});
  vocabulary.tokens['b'] = "x-not-a-byte";
  EXPECT_EQ(split(makeTokenizer(vocabulary), {{"abc"}}), "a|c");
}

//===--- Control tokens ---------------------------------------------------===//

TEST(LlmTokenizer, OnlyATemplateMakesControlTokens) {
  Tokenizer tokenizer =
      makeTokenizer(byteVocabulary({{"|", ">"}}, {"<|end|>"}));
  EXPECT_EQ(split(tokenizer, {{"<|end|>", /*isTemplate=*/true},
                              {"<|end|>", /*isTemplate=*/false}}),
            "<|end|>|<|||e|n|d||>");
  // Nor do a template's text and a user's together.
  EXPECT_EQ(split(tokenizer, {{"<|e", true}, {"nd|>", false}}), "<|||e|n|d||>");
}

TEST(LlmTokenizer, PiecesAreOneText) {
  Tokenizer tokenizer = makeTokenizer(byteVocabulary({{"a", "b"}}));
  EXPECT_EQ(split(tokenizer, {{"a", true}, {"b", false}}), "ab");
}

TEST(LlmTokenizer, FindsUserDefinedTokensInAnyText) {
  Vocabulary vocabulary = byteVocabulary({});
  for (const char *name : {"abc", "<|end|>"}) {
    vocabulary.tokens.push_back(name);
    vocabulary.types.push_back(TokenType::UserDefined);
  }
  // But for one that looks like a control token.
  EXPECT_EQ(split(makeTokenizer(vocabulary), {{"xabc<|end|>"}}),
            "x|abc|<|||e|n|d|||>");
}

TEST(LlmTokenizer, BeginsWithBosOnce) {
  Vocabulary vocabulary = byteVocabulary({}, {"<s>", "</s>"});
  vocabulary.bos = 256;
  vocabulary.eos = 257;
  EXPECT_EQ(split(makeTokenizer(vocabulary), {{"a"}}), "a");
  vocabulary.addBos = vocabulary.addEos = true;
  Tokenizer tokenizer = makeTokenizer(vocabulary);
  EXPECT_EQ(split(tokenizer, {{"a"}}), "<s>|a|</s>");
  EXPECT_EQ(split(tokenizer, {{"<s>a", true}}), "<s>|a|</s>");
  EXPECT_EQ(split(tokenizer, {}), "<s>|</s>");
}

TEST(LlmTokenizer, KnowsWhatEndsAnAnswer) {
  Vocabulary vocabulary =
      byteVocabulary({}, {"<|endoftext|>", "<|im_end|>", "<|im_start|>"});
  vocabulary.eos = 256;
  Tokenizer tokenizer = makeTokenizer(vocabulary);
  EXPECT_TRUE(tokenizer.isEnd(256));
  EXPECT_TRUE(tokenizer.isEnd(257));
  EXPECT_FALSE(tokenizer.isEnd(258));
  EXPECT_FALSE(tokenizer.isEnd('a'));
}

//===--- Scores -----------------------------------------------------------===//

TEST(LlmTokenizer, MergesTheBestScoreFirst) {
  Tokenizer tokenizer = makeTokenizer(
      scoreVocabulary({"bc", "ab", "a", "b", "c", "\xE2\x96\x81"}));
  EXPECT_EQ(split(tokenizer, {{"abc"}}), "<s>|\xE2\x96\x81|a|bc");
}

TEST(LlmTokenizer, SaysInBytesWhatIsNoToken) {
  Tokenizer tokenizer = makeTokenizer(scoreVocabulary({"a", "\xE2\x96\x81"}));
  EXPECT_EQ(split(tokenizer, {{"a\xC3\xA9\n"}}),
            "<s>|\xE2\x96\x81|a|<0xC3>|<0xA9>|<0x0A>");
  Result<std::vector<int32_t>> tokens = tokenizer.encodeText("a\xC3\xA9\n");
  EXPECT_EQ(tokenizer.decode(*tokens), "a\xC3\xA9\n");
}

TEST(LlmTokenizer, ScoresMakeNoControlToken) {
  Tokenizer tokenizer =
      makeTokenizer(scoreVocabulary({"s>", "<", "s", ">", "\xE2\x96\x81"}));
  EXPECT_EQ(split(tokenizer, {{"<s>"}}), "<s>|\xE2\x96\x81|<|s>");
}

TEST(LlmTokenizer, PutsASpaceBeforeEachTextThatFollowsAControlToken) {
  Vocabulary vocabulary = scoreVocabulary({"a", "\xE2\x96\x81"});
  EXPECT_EQ(split(makeTokenizer(vocabulary), {{"a</s>", true}, {"a", false}}),
            "<s>|\xE2\x96\x81|a|</s>|\xE2\x96\x81|a");
  vocabulary.addSpacePrefix = false;
  EXPECT_EQ(split(makeTokenizer(vocabulary), {{"a</s>", true}, {"a", false}}),
            "<s>|a|</s>|a");
}

TEST(LlmTokenizer, TokensMayCrossSpacesWhereTheVocabularyHasSome) {
  std::string space = "\xE2\x96\x81";
  Tokenizer tokenizer = makeTokenizer(scoreVocabulary(
      {"a" + space, "a" + space + "a", space + "a", "a", space}));
  EXPECT_EQ(split(tokenizer, {{"a a"}}), "<s>|" + space + "|a" + space + "a");
}

TEST(LlmTokenizer, MergesWithinLines) {
  Vocabulary vocabulary = scoreVocabulary({"a", "\n", "\n\n", "a\n", "aa"});
  vocabulary.model = "gemma4";
  vocabulary.merges = {"\n \n", "a \n", "a a"};
  EXPECT_EQ(split(makeTokenizer(vocabulary), {{"aaa\n\n"}}), "<s>|aa|a|\n\n");
}

//===--- Work -------------------------------------------------------------===//

/// What takes quadratic time takes hours here.
static constexpr size_t kLong = size_t(1) << 20;

TEST(LlmTokenizer, TakesALongWord) {
  Merges merges;
  for (std::string part = "a"; part.size() < 64; part += part)
    merges.emplace_back(part, part);
  Tokenizer tokenizer = makeTokenizer(byteVocabulary(merges));
  Result<std::vector<int32_t>> tokens =
      tokenizer.encodeText(std::string(kLong, 'a'));
  ASSERT_TRUE(tokens.ok()) << tokens.status().message();
  EXPECT_EQ(tokens->size(), kLong / 64);
}

TEST(LlmTokenizer, TakesALongWordOfScores) {
  std::vector<std::string> names;
  for (std::string name = "a"; name.size() <= 64; name += name)
    names.push_back(name);
  Tokenizer tokenizer = makeTokenizer(scoreVocabulary(names));
  Result<std::vector<int32_t>> tokens =
      tokenizer.encodeText(std::string(kLong, 'a'));
  ASSERT_TRUE(tokens.ok()) << tokens.status().message();
  // The space before it has no token: its bytes have.
  EXPECT_EQ(tokens->size(), kLong / 64 + 3);
}

//===--- What does not fit ------------------------------------------------===//

static std::string refusal(Vocabulary vocabulary) {
  Result<Tokenizer> tokenizer = Tokenizer::create(std::move(vocabulary));
  EXPECT_FALSE(tokenizer.ok());
  EXPECT_EQ(tokenizer.status().code(), Code::BadInput);
  return tokenizer.ok() ? "" : tokenizer.status().message();
}

TEST(LlmTokenizer, RefusesWhatItDoesNotKnow) {
  Vocabulary vocabulary = byteVocabulary({});
  vocabulary.preTokenizer = "no-such-words";
  EXPECT_EQ(refusal(vocabulary),
            "The pre-tokenizer \"no-such-words\" is not known.");
  vocabulary.model = "bert";
  EXPECT_EQ(refusal(vocabulary),
            "The tokenizer is of type \"bert\", which is not known (\"gpt2\", "
            "\"llama\" and \"gemma4\" are).");
  vocabulary.model = "gpt2";
  vocabulary.tokens.clear();
  EXPECT_EQ(refusal(vocabulary),
            "The vocabulary has 0 tokens (1 to 2147483647 are allowed).");
}

TEST(LlmTokenizer, RefusesMergesOfWhatIsNotThere) {
  Vocabulary vocabulary = byteVocabulary({});
  vocabulary.merges = {"a b"};
  EXPECT_EQ(refusal(vocabulary), "Merge 0 (\"a b\") is of tokens that are not "
                                 "in the vocabulary.");
  vocabulary.merges = {"ab"};
  EXPECT_EQ(refusal(vocabulary),
            "Merge 0 (\"ab\") is not two tokens with a space between them.");
}

TEST(LlmTokenizer, RefusesNumbersThatDoNotFit) {
  Vocabulary vocabulary = byteVocabulary({});
  vocabulary.types.pop_back();
  EXPECT_EQ(refusal(vocabulary),
            "The vocabulary has 256 tokens and 255 types of tokens.");
  vocabulary = byteVocabulary({});
  vocabulary.eos = 256;
  EXPECT_EQ(refusal(vocabulary),
            "The EOS token is 256, and the vocabulary has 256 tokens.");
  vocabulary = byteVocabulary({});
  vocabulary.addBos = true;
  EXPECT_EQ(refusal(vocabulary),
            "Texts are to begin with a BOS token, and the vocabulary does not "
            "say which that is.");
  vocabulary = byteVocabulary({});
  vocabulary.tokens[7] = "b";
  EXPECT_EQ(refusal(vocabulary), "Tokens 7 and 98 have the same text \"b\".");
}

TEST(LlmTokenizer, RefusesScoresThatAreNone) {
  Vocabulary vocabulary = scoreVocabulary({"a"});
  vocabulary.scores.back() = NAN;
  EXPECT_EQ(refusal(vocabulary), "The score of token 259 is no number.");
  vocabulary.scores.pop_back();
  EXPECT_EQ(refusal(vocabulary),
            "The vocabulary has 260 tokens and 259 scores.");
}
