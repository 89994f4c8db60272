//===- TokenizerTest.cpp - adapters of tokenizers -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bad UTF-8 is that of table 3-8 and 3-11 of the Unicode standard, version 15,
// and what the rules of the WHATWG decoder lead to.
//
//===----------------------------------------------------------------------===//

#include "frontends/Utf8.h"
#include "frontends/token/machine/NamedTokenizer.h"
#include "test/frontends/token/WorkflowTesting.h"

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

namespace {

using Tokens = std::vector<int32_t>;

/// `?` for U+FFFD.
std::string decoded(const std::string &bytes) {
  std::string text = toUtf8(bytes);
  for (size_t at; (at = text.find("\xEF\xBF\xBD")) != text.npos;)
    text.replace(at, 3, "?");
  return text;
}

//===--- UTF-8 ------------------------------------------------------------===//

TEST(TokenUtf8, GoodTextStays) {
  for (const std::string &text :
       {std::string(""), std::string("abc"), std::string("\0\x7F", 2),
        std::string("\xC2\x80\xDF\xBF"),
        std::string("\xE0\xA0\x80\xEF\xBF\xBF"),
        std::string("\xED\x9F\xBF\xEE\x80\x80"),
        std::string("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"),
        std::string("\xEF\xBB\xBF"
                    "a")}) {
    EXPECT_EQ(toUtf8(text), text);
    EXPECT_TRUE(isUtf8(text));
  }
}

TEST(TokenUtf8, EachMaximalPartIsReplacedOnce) {
  EXPECT_EQ(decoded("\xE2\x82"), "?");
  EXPECT_EQ(decoded("\xE2\x82"
                    "A"),
            "?A");
  EXPECT_EQ(decoded("\xF0\x9F\x98"), "?");
  EXPECT_EQ(decoded("\xF0\x9F\x98\xF0\x9F"), "??");
  EXPECT_EQ(decoded("\x80\xBF"), "??");
  EXPECT_EQ(decoded("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64"),
            "a???b?c??d");
}

TEST(TokenUtf8, BytesThatBeginNoCharacterAreReplacedOneByOne) {
  EXPECT_EQ(decoded("\xC0\xAF"), "??");
  EXPECT_EQ(decoded("\xE0\x9F\x80"), "???");
  EXPECT_EQ(decoded("\xED\xA0\x80"), "???");
  EXPECT_EQ(decoded("\xF0\x8F\x80\x80"), "????");
  EXPECT_EQ(decoded("\xF4\x90\x80\x80"), "????");
  EXPECT_EQ(decoded("\xF5\xFF"), "??");
  EXPECT_FALSE(isUtf8("\xC0\xAF"));
  EXPECT_FALSE(isUtf8("a\xE2\x82"));
}

TEST(TokenUtf8, PiecesAreDecodedAsTheWhole) {
  std::string text =
      "a\xE2\x82\xAC\xF0\x9F\x98\x80\xE2\x82\xE2\xF1\x80z\xF0\x9F";
  for (size_t pieces = 1; pieces <= 4; ++pieces) {
    Utf8Stream stream;
    std::string decoded;
    for (size_t at = 0; at < text.size(); at += pieces) {
      decoded += stream.push(text.substr(at, pieces));
      EXPECT_TRUE(isUtf8(decoded));
    }
    EXPECT_EQ(decoded + stream.finish(), toUtf8(text));
    EXPECT_EQ(stream.finish(), "");
  }
}

TEST(TokenUtf8, HoldsACharacterThatMayGoOn) {
  Utf8Stream stream;
  EXPECT_EQ(stream.push("a\xE2\x82"), "a");
  EXPECT_EQ(stream.push("\xAC"), "\xE2\x82\xAC");
}

//===--- Bytes ------------------------------------------------------------===//

TEST(TokenTokenizer, Bytes) {
  auto bytes = makeByteTokenizer();
  EXPECT_EQ(bytes->vocabulary(), 257);
  EXPECT_EQ(bytes->padding(), 256);
  EXPECT_EQ(bytes->specialTokens(), Tokens{256});
  EXPECT_EQ(bytes->identity(), "bytes");
  EXPECT_EQ(bytes->encode("a\xC3\xA9"), (Tokens{97, 195, 169}));
  EXPECT_EQ(bytes->encode(""), Tokens());
}

TEST(TokenTokenizer, DecodeJoinsBytesAndSkipsPadding) {
  auto bytes = makeByteTokenizer();
  EXPECT_EQ(bytes->decode({0xE2, 256, 0x82, 0xAC}), "\xE2\x82\xAC");
  EXPECT_EQ(bytes->decode({0xE2, 0x82}), "\xEF\xBF\xBD");
  EXPECT_EQ(bytes->decode({256, 256}), "");
}

TEST(TokenTokenizer, NumbersWithoutTextAreReplaced) {
  auto bytes = makeByteTokenizer();
  EXPECT_EQ(bytes->decode({97, 257, 98}), "a\xEF\xBF\xBD"
                                          "b");
  EXPECT_EQ(bytes->decode({-1}), "\xEF\xBF\xBD");
  EXPECT_EQ(bytes->decode({INT32_MAX, INT32_MIN}), "\xEF\xBF\xBD\xEF\xBF\xBD");
  // They end the character before.
  EXPECT_EQ(bytes->decode({0xE2, 300, 0x82}),
            "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

//===--- Pieces -----------------------------------------------------------===//

TEST(TokenTokenizer, GreedyTakesTheLongestAtEachByte) {
  auto greedy = makeGreedyTokenizer({"ab", "abc", "bcd", "d"});
  EXPECT_EQ(greedy->vocabulary(), 261);
  EXPECT_EQ(greedy->encode("abcd"), (Tokens{258, 260}));
  EXPECT_EQ(greedy->encode("abxbcd"), (Tokens{257, 120, 259}));
  EXPECT_EQ(greedy->encode("aabab"), (Tokens{97, 257, 257}));
}

TEST(TokenTokenizer, GreedyDecodes) {
  auto greedy = makeGreedyTokenizer({"ab", "\xE2\x82"});
  EXPECT_EQ(greedy->decode({257, 120, 258, 0xAC, 256}), "abx\xE2\x82\xAC");
  EXPECT_EQ(greedy->decode({258, 97, 259}), "\xEF\xBF\xBD"
                                            "a\xEF\xBF\xBD");
}

TEST(TokenTokenizer, LongTextsTakeLinearTime) {
  auto greedy = makeGreedyTokenizer({std::string(1024, 'a') + "b"});
  std::string text(1 << 21, 'a');
  EXPECT_EQ(greedy->encode(text).size(), text.size());
}

TEST(TokenTokenizer, IdentityIsOfThePieces) {
  auto one = makeGreedyTokenizer({"ab", "c"});
  EXPECT_EQ(one->identity(), makeGreedyTokenizer({"ab", "c"})->identity());
  EXPECT_NE(one->identity(), makeGreedyTokenizer({"c", "ab"})->identity());
  EXPECT_NE(one->identity(), makeGreedyTokenizer({"a", "bc"})->identity());
  EXPECT_EQ(makeGreedyTokenizer({})->identity(), "bytes");
}

//===--- By name ----------------------------------------------------------===//

/// `CODE FILE:LINE` of the one error.
std::string errorOf(const std::string &name, const std::string &folder) {
  Diagnostics diagnostics;
  Place place{"w.toml", {3, 13}};
  auto tokenizer = makeTokenizer(name, folder, place, diagnostics);
  EXPECT_EQ(tokenizer == nullptr, diagnostics.hasErrors());
  if (diagnostics.all().size() != 1)
    return fmt::format("{} errors", diagnostics.all().size());
  const Diagnostic &found = diagnostics.all()[0];
  return fmt::format(
      "{} {}:{}", found.code,
      std::filesystem::path(found.place.file).filename().string(),
      found.place.where.line);
}

TEST(TokenTokenizer, MakesThoseItKnows) {
  TemporaryFolder folder;
  std::string path = folder.write("p.toml", "pieces = [\"ab\", \"é\"]\n");
  std::string parent = std::filesystem::path(path).parent_path();
  Diagnostics diagnostics;
  auto bytes = makeTokenizer("bytes", "", {}, diagnostics);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->vocabulary(), 257);
  for (const auto &[name, from] :
       {std::pair(std::string("greedy:p.toml"), parent),
        std::pair("greedy:" + path, std::string())}) {
    auto greedy = makeTokenizer(name, from, {}, diagnostics);
    ASSERT_TRUE(greedy) << diagnostics.status().message();
    EXPECT_EQ(greedy->encode("abé"), (Tokens{257, 258}));
  }
}

TEST(TokenTokenizer, RefusesOtherNames) {
  for (const char *name : {"", "byte", "greedy", "greedy:", "Bytes"})
    EXPECT_EQ(errorOf(name, ""), "P03 w.toml:3") << name;
}

TEST(TokenTokenizer, RefusesFilesOfOtherPieces) {
  TemporaryFolder folder;
  auto error = [&](const std::string &text) {
    return errorOf("greedy:" + folder.write("p.toml", text), "");
  };
  EXPECT_EQ(errorOf("greedy:/none/p.toml", ""), "P02 p.toml:0");
  EXPECT_EQ(error("\n\npieces = ?\n"), "P02 p.toml:3");
  EXPECT_EQ(error("other = 1\npieces = []\n"), "P03 p.toml:1");
  EXPECT_EQ(error("\npieces = \"ab\"\n"), "P03 p.toml:2");
  EXPECT_EQ(error("\npieces = [\"a\", 1]\n"), "P03 p.toml:2");
  EXPECT_EQ(error("\npieces = [\"a\", \"\"]\n"), "P03 p.toml:2");
  EXPECT_EQ(error("\npieces = [\"a\", \"b\", \"a\"]\n"), "P03 p.toml:2");
  EXPECT_EQ(error("\npieces = [\"" + std::string(1025, 'a') + "\"]\n"),
            "P03 p.toml:2");
  EXPECT_EQ(error("pieces = [\"" + std::string(1024, 'a') + "\"]\n"),
            "0 errors");
}

} // namespace
