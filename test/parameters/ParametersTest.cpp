//===- ParametersTest.cpp - programs with named sizes ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "parameters/Parameters.h"
#include "parameters/Places.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

using namespace vm;

namespace {
struct Filled : FilledText {
  Filled(std::string_view written, const Settings &settings = {})
      : isGood(fillParameters(written, settings, *this, error)) {}

  /// `line:column: what is wrong`
  std::string complaint() const {
    return isGood ? ""
                  : fmt::format("{}:{}: {}", error.line, error.column,
                                error.message);
  }

  ParameterError error;
  bool isGood;
};
} // namespace

static const char *const kText =
    "gpuvm.parameter @lanes = 4096 in 1 to 65536 \"side by side\" // @lanes@\n"
    "gpuvm.parameter @words = @2 * lanes@\n"
    "gpuvm.parameter @rate = 0.5\n"
    "!w = tensor<@words@xi32>, tensor<@lanes@x@words@xf32> // @lanes@\n"
    "%c = arith.constant dense<@rate@> : f \"@lanes@\"\n"
    "gpuvm.load @x, @y : @z::@t\n";

TEST(Parameters, Defaults) {
  Filled filled(kText);
  EXPECT_EQ(filled.complaint(), "");
  EXPECT_EQ(filled.text,
            "gpuvm.parameter @lanes = 4096 in 1 to 65536 \"side by side\" // "
            "@lanes@\n"
            "gpuvm.parameter @words = 8192\n"
            "gpuvm.parameter @rate = 0.5\n"
            "!w = tensor<8192xi32>, tensor<4096x8192xf32> // @lanes@\n"
            "%c = arith.constant dense<0.5> : f \"@lanes@\"\n"
            "gpuvm.load @x, @y : @z::@t\n");
}

TEST(Parameters, Settings) {
  Filled filled(kText, {{"lanes", "8"}, {"rate", "2"}});
  EXPECT_EQ(filled.complaint(), "");
  EXPECT_EQ(
      filled.text,
      "gpuvm.parameter @lanes = 8 in 1 to 65536 \"side by side\" // @lanes@\n"
      "gpuvm.parameter @words = 16\n"
      "gpuvm.parameter @rate = 2.0\n"
      "!w = tensor<16xi32>, tensor<8x16xf32> // @lanes@\n"
      "%c = arith.constant dense<2.0> : f \"@lanes@\"\n"
      "gpuvm.load @x, @y : @z::@t\n");
  EXPECT_EQ(filled.valuesAt(4), "lanes = 8, words = 16, rate = 2.0");
  EXPECT_EQ(filled.valuesAt(6), "lanes = 8, rate = 2.0");
  EXPECT_EQ(Filled(kText).valuesAt(4), "lanes = 4096, words = 8192");
  EXPECT_EQ(Filled(kText).valuesAt(6), "");
}

TEST(Parameters, Columns) {
  Filled filled("gpuvm.parameter @n = 1234567\n"
                "a @n@ b @n * 10 - n@ c\n");
  EXPECT_EQ(filled.text, "gpuvm.parameter @n = 1234567\n"
                         "a 1234567 b 11111103 c\n");
  EXPECT_EQ(filled.columnInFile(2, 1), 1u);
  EXPECT_EQ(filled.columnInFile(2, 3), 3u);
  EXPECT_EQ(filled.columnInFile(2, 9), 3u);   // Within the first number.
  EXPECT_EQ(filled.columnInFile(2, 11), 7u);  // b
  EXPECT_EQ(filled.columnInFile(2, 13), 9u);  // The second number.
  EXPECT_EQ(filled.columnInFile(2, 22), 22u); // c
  EXPECT_EQ(filled.columnInText(2, 4), 3u);
  EXPECT_EQ(filled.columnInText(2, 7), 11u);
  EXPECT_EQ(filled.columnInText(2, 10), 13u);
  EXPECT_EQ(filled.columnInText(2, 22), 22u);
  EXPECT_EQ(filled.columnInFile(7, 5), 5u);
}

/// Everything that MLIR can write with an @ stays.
TEST(Parameters, WhatIsNoPlace) {
  std::string head = "gpuvm.parameter @n = 2\n";
  for (const char *line :
       {"@a::@b", "call @a(%x), @b(%y)", "[@a, @b]", "[@a,@b]", "@n, @a",
        "@\"n\"@", "\"@n@\"", "\"\\\"@n@\"", "// @n@", "@n @n", "@n", "@", "@@",
        "@ n@", "@n @", "loc(\"@n@\":1:2)", "x // \"@n@"})
    EXPECT_EQ(Filled(head + line).text, head + line);
  EXPECT_EQ(Filled(head + "@a @n@ @b").text, head + "@a 2 @b");
  EXPECT_EQ(Filled(head + "@2 * 3@").text, head + "6");
  EXPECT_EQ(Filled(head + "\"//\" @n@").text, head + "\"//\" 2");
  EXPECT_EQ(Filled(head + "\"\\\\\" @n@\r\n").text, head + "\"\\\\\" 2\r\n");
}

TEST(Parameters, Reference) {
  EXPECT_TRUE(mayHaveParameters(kText));
  EXPECT_FALSE(mayHaveParameters("gpuvm.program @n@"));
  EXPECT_EQ(Filled("").text, "");
  EXPECT_EQ(Filled("x @n@\n").text, "");
  EXPECT_EQ(Filled("x\n\ny").text, "x\n\ny");
  EXPECT_EQ(Filled("  gpuvm.parameter  @n=3{a}\n@n@").text,
            "  gpuvm.parameter  @n=3{a}\n3");
  EXPECT_EQ(Filled("// gpuvm.parameter @n = 3\n@a").text,
            "// gpuvm.parameter @n = 3\n@a");
  EXPECT_EQ(
      Filled("gpuvm.parameter @n = 3 in -1 to @2 * 8@ loc(x)\n").complaint(),
      "");
}

TEST(Parameters, WrongSettings) {
  auto complaint = [](Settings settings) {
    return Filled(kText, settings).complaint();
  };
  EXPECT_EQ(complaint({{"lane", "1"}}),
            "0:0: there is no parameter \"lane\" (did you mean \"lanes\"? "
            "parameters: lanes, words, rate)");
  EXPECT_EQ(Filled("module {}", {{"n", "1"}}).complaint(),
            "0:0: there is no parameter \"n\" (the text declares none)");
  EXPECT_EQ(complaint({{"lanes", "1"}, {"lanes", "1"}}),
            "0:0: the parameter \"lanes\" is set more than once");
  EXPECT_EQ(complaint({{"lanes", "0"}}),
            "1:17: \"lanes\" is 0, less than its least value (1)");
  EXPECT_EQ(complaint({{"lanes", "70000"}}),
            "1:17: \"lanes\" is 70000, more than its greatest value (65536)");
  for (std::string value :
       {"many", "", "1.0", "1e3", "0x8", "1 ", "9223372036854775808"})
    EXPECT_EQ(complaint({{"lanes", value}}),
              "1:17: \"lanes\" is set to \"" + value +
                  "\", which is no whole number of -2^63 to 2^63 - 1");
  EXPECT_EQ(complaint({{"rate", "fast"}}),
            "3:17: \"rate\" is set to \"fast\", which is no number");
  EXPECT_EQ(complaint({{"words", "3"}}),
            "2:17: \"words\" is computed from others and cannot be set");
  EXPECT_EQ(Filled("gpuvm.parameter @n = 3\n", {{"n", "4"}}).complaint(),
            "1:17: \"n\" is set, and no place of the text uses it");
}

TEST(Parameters, WrongDeclarations) {
  auto complaint = [](std::string_view text) {
    return Filled(text).complaint();
  };
  std::string form =
      "a parameter is declared in one line: gpuvm.parameter @NAME "
      "= NUMBER, perhaps with in LEAST to GREATEST after it";
  EXPECT_EQ(complaint("gpuvm.parameter n = 3"), "1:17: " + form);
  EXPECT_EQ(complaint("gpuvm.parameter @n 3"), "1:20: " + form);
  EXPECT_EQ(complaint("gpuvm.parameter @n ="), "1:21: " + form);
  EXPECT_EQ(complaint("gpuvm.parameter @n = 3 in 1"), "1:28: " + form);
  EXPECT_EQ(complaint("gpuvm.parameter @n = 3 in 1 to"), "1:29: " + form);
  EXPECT_EQ(
      complaint("gpuvm.parameter @2n = 3"),
      "1:17: \"2n\" is no name of a parameter (letters, digits, \"_\" and "
      "\".\", no word such as min)");
  EXPECT_EQ(complaint("gpuvm.parameter @min = 3").substr(0, 24),
            "1:17: \"min\" is no name o");
  EXPECT_EQ(complaint("gpuvm.parameter @n = x"),
            "1:22: \"x\" is no number (from -2^63 to 2^63 - 1; a float has a "
            "point)");
  EXPECT_EQ(complaint("gpuvm.parameter @n = @x"), "1:22: a place ends with @");
  EXPECT_EQ(complaint("gpuvm.parameter @n = 3\n gpuvm.parameter @n = 4"),
            "2:18: there is another parameter \"n\", in line 1");
  EXPECT_EQ(complaint("gpuvm.parameter @n = 3 in 4 to 5"),
            "1:17: \"n\" is 3, less than its least value (4)");
  EXPECT_EQ(
      complaint("gpuvm.parameter @a = @b@\ngpuvm.parameter @b = @a@"),
      "1:22: \"b\" is declared in line 2, and a parameter is computed from "
      "those before it");
  EXPECT_EQ(
      complaint("gpuvm.parameter @a = @a + 1@"),
      "1:22: \"a\" is declared in line 1, and a parameter is computed from "
      "those before it");
  EXPECT_EQ(complaint("gpuvm.parameter @a = @b@"),
            "1:22: there is no parameter \"b\" (parameters: a)");
}

TEST(Parameters, WrongPlaces) {
  auto complaint = [](std::string_view line) {
    return Filled(fmt::format("gpuvm.parameter @lanes = 4096\n{}", line))
        .complaint();
  };
  EXPECT_EQ(complaint("tensor<@lanes / 3@xi32>"),
            "2:8: in \"lanes / 3\": 4096 / 3 is no whole number (floordiv and "
            "ceildiv round it)");
  EXPECT_EQ(complaint("tensor<@lane@xi32>"),
            "2:8: there is no parameter \"lane\" (did you mean \"lanes\"? "
            "parameters: lanes)");
  EXPECT_EQ(complaint("@lanes *@"),
            "2:1: in \"lanes *\": a number or a name is "
            "missing at the end");
  EXPECT_EQ(complaint("@2 * (lanes@"),
            "2:1: in \"2 * (lanes\": a \")\" is missing at the end");
}

TEST(Places, Replace) {
  auto places = findPlaces(
      "a @x@ @y@x@", [](std::string_view content) { return content == "x"; });
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].begin, 2u);
  EXPECT_EQ(places[1].begin, 8u);
  std::string out = "> ";
  replace("a @x@ @y@x@", {{2, 3, "1"}, {8, 3, "22"}}, out);
  EXPECT_EQ(out, "> a 1 @y22");
}
