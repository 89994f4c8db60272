//===- TomlFileTest.cpp - TOML with places --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/ground/TomlFile.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace vm;
using namespace vm::token;

namespace {

std::string at(const Place &place) {
  return fmt::format("{}:{}:{}", place.file, place.where.line,
                     place.where.column);
}

/// The only diagnostic as `CODE FILE:LINE:COL`, its sentence to `sentence`.
std::string only(const Diagnostics &diagnostics, std::string *sentence = {}) {
  if (diagnostics.all().size() != 1)
    return fmt::format("{} diagnostics", diagnostics.all().size());
  const Diagnostic &diagnostic = diagnostics.all()[0];
  if (sentence)
    *sentence = diagnostic.sentence;
  return fmt::format("{} {}", diagnostic.code, at(diagnostic.place));
}

std::unique_ptr<TomlFile> parsed(std::string text) {
  Diagnostics diagnostics;
  auto file = TomlFile::parse(std::move(text), "f", diagnostics);
  EXPECT_TRUE(file) << diagnostics.status().message();
  return file;
}

/// What is said about a text that is refused.
std::string refusal(std::string text, std::string *sentence = {}) {
  Diagnostics diagnostics;
  EXPECT_FALSE(TomlFile::parse(std::move(text), "f", diagnostics));
  return only(diagnostics, sentence);
}

//===--- Places -----------------------------------------------------------===//

TEST(TomlPlaces, OfKeysValuesAndTables) {
  auto file = parsed("[config]\n  list = [ 1, 2 ]\n[[seq]]\n[seq.p]\nn = 'x'\n"
                     "[[ seq ]]\n");
  const toml::table &root = file->root();
  EXPECT_EQ(at(file->whole()), "f:0:0");
  EXPECT_EQ(at(file->placeOf(root, "config")), "f:1:2");
  EXPECT_EQ(at(file->placeOf(*root["config"].node())), "f:1:1");
  EXPECT_EQ(at(file->placeOf(*root["config"].as_table(), "list")), "f:2:3");
  EXPECT_EQ(at(file->placeOf(*root["config"]["list"].node())), "f:2:10");
  EXPECT_EQ(at(file->placeOf(*root["config"]["list"][1].node())), "f:2:15");
  EXPECT_EQ(at(file->placeOf(*root["seq"][0].node())), "f:3:1");
  EXPECT_EQ(at(file->placeOf(*root["seq"][1].node())), "f:6:1");
  EXPECT_EQ(at(file->placeOf(*root["seq"][0]["p"].node())), "f:4:1");
}

TEST(TomlPlaces, OfAKeyThatIsNotThereIsTheTable) {
  auto file = parsed("\n [a]\nb = 1\n");
  EXPECT_EQ(at(file->placeOf(*file->root()["a"].as_table(), "c")), "f:2:2");
}

TEST(TomlPlaces, ColumnsAreBytes) {
  // Two bytes, three and four before the key, in code points 1 each.
  auto file = parsed("a = {\"\xC3\xA9\" = 1, \"\xE2\x82\xAC\" = 2, "
                     "\"\xF0\x9F\x90\xB3\" = 3, z = 4}\n");
  const toml::table &table = *file->root()["a"].as_table();
  EXPECT_EQ(at(file->placeOf(table, "\xC3\xA9")), "f:1:6");
  EXPECT_EQ(at(file->placeOf(table, "\xE2\x82\xAC")), "f:1:16");
  EXPECT_EQ(at(file->placeOf(table, "\xF0\x9F\x90\xB3")), "f:1:27");
  EXPECT_EQ(at(file->placeOf(table, "z")), "f:1:39");
}

TEST(TomlPlaces, InALongLineAreBytes) {
  std::string umlauts;
  for (int i = 0; i < 3000; ++i)
    umlauts += "\xC3\xA9";
  auto file = parsed("x = 1\na = {b = '" + umlauts + "', z = 4}\n");
  // a = {b = ' has 10 bytes, then 6000, then ', and a blank.
  EXPECT_EQ(at(file->placeOf(*file->root()["a"].as_table(), "z")), "f:2:6014");
}

TEST(TomlPlaces, AByteOrderMarkIsNoText) {
  auto file = parsed("\xEF\xBB\xBF"
                     "key = 1\n");
  EXPECT_EQ(at(file->placeOf(file->root(), "key")), "f:1:1");
}

TEST(TomlPlaces, CarriageReturnsAreBytesOfTheirLine) {
  auto file = parsed("a = 1\r\nb = 2\r\n");
  EXPECT_EQ(at(file->placeOf(file->root(), "b")), "f:2:1");
}

//===--- What is no TOML --------------------------------------------------===//

TEST(TomlRefusals, HaveThePlaceAndTheReason) {
  std::string sentence;
  EXPECT_EQ(refusal("a = 1\nb = ]\n", &sentence), "U01 f:2:5");
  EXPECT_NE(sentence.find("expected value, saw ']'"), std::string::npos);
  // Before the bracket are two quotes, two bytes, ` = `.
  EXPECT_EQ(refusal("# \xC3\xA9\na = 1\n'\xC3\xA9' = ]\n"), "U01 f:3:8");
  EXPECT_EQ(refusal("a = 1\nb = \xC3\xA9\n"), "U01 f:2:5");
  EXPECT_EQ(refusal("a = 1 \xC2\xA0\n"), "U01 f:1:7");
  EXPECT_EQ(refusal("a = \"\xFF\"\n").substr(0, 7), "U01 f:1");
}

TEST(TomlRefusals, WhatTheLibraryWouldAssert) {
  EXPECT_EQ(refusal("[[\4]]\n"), "U01 f:1:3");
  EXPECT_EQ(refusal("[=]\n"), "U01 f:1:2");
}

TEST(TomlRefusals, HaveTheCallersCode) {
  Diagnostics diagnostics;
  TomlCodes codes{"P02", "P99"};
  EXPECT_FALSE(TomlFile::parse("=", "w", diagnostics, codes));
  EXPECT_FALSE(TomlFile::read("/nonexistent/w", diagnostics, codes));
  ASSERT_EQ(diagnostics.all().size(), 2u);
  EXPECT_EQ(diagnostics.all()[0].code, "P02");
  EXPECT_EQ(diagnostics.all()[1].code, "P99");
  EXPECT_EQ(at(diagnostics.all()[1].place), "/nonexistent/w:0:0");
}

TEST(TomlRefusals, FoldersAndLongFiles) {
  Diagnostics diagnostics;
  EXPECT_FALSE(TomlFile::read(GPUVM_TOKEN_TESTS, diagnostics));
  EXPECT_EQ(only(diagnostics), "U02 " GPUVM_TOKEN_TESTS ":0:0");
  std::string comment = "#" + std::string(kMaxTomlBytes - 1, 'x');
  EXPECT_TRUE(parsed(comment));
  EXPECT_EQ(refusal(comment + "x"), "U02 f:0:0");
}

std::string parts(size_t count) {
  std::string key = "a";
  for (size_t i = 1; i < count; ++i)
    key += ".a";
  return key;
}

TEST(TomlRefusals, KeysOfManyParts) {
  EXPECT_TRUE(parsed(parts(kMaxKeyParts) + " = 1\n"));
  EXPECT_TRUE(parsed("[" + parts(kMaxKeyParts) + "]\n"));
  // The limit's point is the byte 2 * kMaxKeyParts of the key.
  EXPECT_EQ(refusal(parts(kMaxKeyParts + 1) + " = 1\n"), "U01 f:1:64");
  EXPECT_EQ(refusal("b = 1\n[" + parts(400000) + "]\n"), "U01 f:2:65");
  EXPECT_EQ(refusal("b = {" + parts(400000) + " = 1}\n"), "U01 f:1:69");
}

TEST(TomlRefusals, ManyPointsThatAreNoKey) {
  std::string points(100, '.');
  EXPECT_TRUE(parsed("a = '" + points + "'\nb = \"\\\"" + points + "\"\n" + //
                     "c = '''\n'" + points + "'''\nd = \"\"\"\n\"\\\"" +
                     points + "\"\"\"\n# " + points + "\n'" + points +
                     "' = [1.5, 1.5]\n"));
}

TEST(TomlRefusals, DeepNestingOfEachKind) {
  std::string open;
  for (int i = 0; i < 200000; ++i)
    open += "[";
  EXPECT_EQ(refusal("a = " + open).substr(0, 6), "U01 f:");
  std::string tables;
  for (int i = 0; i < 100000; ++i)
    tables += "{a=";
  EXPECT_EQ(refusal("a = " + tables).substr(0, 6), "U01 f:");
}

TEST(TomlRefusals, TheDeepestThatIsReadIsDestroyed) {
  // Each value nests by a key of the most parts.
  std::string text = parts(kMaxKeyParts) + " = ";
  for (int i = 0; i < 120; ++i)
    text += "{" + parts(kMaxKeyParts) + " = ";
  EXPECT_TRUE(parsed(text + "1" + std::string(120, '}') + "\n"));
}

//===--- Tables -----------------------------------------------------------===//

TEST(TomlTables, GiveValuesByType) {
  auto file = parsed("s = 'x'\ni = -3\nb = true\nl = ['a', 'b']\nt = {}\n");
  Diagnostics diagnostics;
  TableReader reader(*file, file->root(), "Table", {}, diagnostics);
  EXPECT_EQ(reader.string("s"), "x");
  EXPECT_EQ(reader.integer("i"), -3);
  EXPECT_EQ(reader.boolean("b"), true);
  EXPECT_EQ(reader.strings("l"), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(reader.table("t"));
  EXPECT_TRUE(reader.array("l"));
  EXPECT_FALSE(reader.string("absent"));
  reader.refuseOthers();
  EXPECT_TRUE(diagnostics.all().empty());
}

TEST(TomlTables, ABooleanIsNoIntegerNorAFraction) {
  auto file = parsed("b = true\nf = 1.0\ni = 1\nl = [1]\n");
  Diagnostics diagnostics;
  TableReader reader(*file, file->root(), "Table", {}, diagnostics);
  EXPECT_FALSE(reader.integer("b"));
  EXPECT_FALSE(reader.integer("f"));
  EXPECT_FALSE(reader.boolean("i"));
  EXPECT_FALSE(reader.strings("l"));
  ASSERT_EQ(diagnostics.all().size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(diagnostics.all()[i].code, "U07");
    EXPECT_EQ(at(diagnostics.all()[i].place), fmt::format("f:{}:1", i + 1));
  }
  EXPECT_EQ(diagnostics.all()[0].sentence,
            "Key \"b\" of Table is a boolean (an integer is wanted).");
}

TEST(TomlTables, UnknownAndMissingKeys) {
  auto file = parsed("\n[t]\nnmae = 1\n");
  Diagnostics diagnostics;
  TableReader reader(*file, *file->root()["t"].as_table(), "[t]",
                     {"P01", "P04", "P12"}, diagnostics);
  EXPECT_FALSE(reader.string("name", Need::Required));
  reader.refuseOthers();
  ASSERT_EQ(diagnostics.all().size(), 2u);
  EXPECT_EQ(toText(diagnostics.all()[0]),
            "f:2:1: error: [t] has no key \"name\". [P04]");
  EXPECT_EQ(toText(diagnostics.all()[1]),
            "f:3:1: error: [t] has an unknown key \"nmae\" (did you mean "
            "\"name\"?). [P01]");
}

//===--- JSON -------------------------------------------------------------===//

std::optional<nlohmann::ordered_json> jsonOfV(const std::string &text,
                                              Diagnostics &diagnostics) {
  auto file = parsed(text);
  return toJson(*file->root()["v"].node(), "U45",
                file->placeOf(file->root(), "v"), "V", diagnostics);
}

TEST(TomlToJson, KeepsTypesAndTheOrderOfTheText) {
  Diagnostics diagnostics;
  auto json = jsonOfV("[v]\nz = 1\na = [true, 2.5, 'x', {k = -1, b = []}]\n"
                      "[v.m]\n",
                      diagnostics);
  ASSERT_TRUE(json);
  EXPECT_EQ(json->dump(),
            R"({"z":1,"a":[true,2.5,"x",{"k":-1,"b":[]}],"m":{}})");
  EXPECT_TRUE((*json)["z"].is_number_integer());
  EXPECT_TRUE((*json)["a"][1].is_number_float());
}

TEST(TomlToJson, RefusesDates) {
  Diagnostics diagnostics;
  EXPECT_FALSE(jsonOfV(" v = [1, {a = 2024-02-29}]\n", diagnostics));
  std::string sentence;
  EXPECT_EQ(only(diagnostics, &sentence), "U45 f:1:2");
  EXPECT_EQ(sentence, "V holds a date or a time.");
}

TEST(TomlToJson, LimitsNesting) {
  auto nested = [](int depth) {
    return "v = " + std::string(size_t(depth), '[') +
           std::string(size_t(depth), ']') + "\n";
  };
  Diagnostics diagnostics;
  EXPECT_TRUE(jsonOfV(nested(kMaxCarriedNesting), diagnostics));
  EXPECT_FALSE(jsonOfV(nested(kMaxCarriedNesting + 1), diagnostics));
  std::string sentence;
  EXPECT_EQ(only(diagnostics, &sentence), "U45 f:1:1");
  EXPECT_NE(sentence.find("48"), std::string::npos);
}

//===--- Words ------------------------------------------------------------===//

TEST(TomlWords, InQuotesIsOneSafeLine) {
  EXPECT_EQ(inQuotes("a\n\tb"), "\"a\\n\\tb\"");
  EXPECT_EQ(inQuotes("gr\xC3\xBC\xC3\x9F"), "\"gr\xC3\xBC\xC3\x9F\"");
  EXPECT_EQ(inQuotes("\x1B[31m"), "\"?[31m\"");
  EXPECT_EQ(inQuotes(std::string(61, 'a')),
            "\"" + std::string(60, 'a') + "...\"");
  // The 60th byte would cut the character.
  EXPECT_EQ(inQuotes(std::string(59, 'a') + "\xC3\xBC"),
            "\"" + std::string(59, 'a') + "...\"");
}

} // namespace
