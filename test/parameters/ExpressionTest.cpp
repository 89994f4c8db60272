//===- ExpressionTest.cpp - numbers computed in texts ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "parameters/Expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

using namespace vm;

/// The value as text, or what is wrong.
static std::string valueOf(const std::string &expression) {
  static const std::map<std::string, Number, std::less<>> names = {
      {"lanes", int64_t(4096)}, {"games", int64_t(16)}, {"rate", 0.5},
      {"most", INT64_MAX},      {"a.b_1", int64_t(7)},  {"none", int64_t(0)}};
  Result<Number> value =
      evaluate(expression, [](std::string_view name) -> const Number * {
        auto found = names.find(name);
        return found == names.end() ? nullptr : &found->second;
      });
  return value.ok() ? toText(*value) : value.status().message();
}

TEST(Expression, Arithmetic) {
  EXPECT_EQ(valueOf("lanes"), "4096");
  EXPECT_EQ(valueOf("2 * lanes + 1"), "8193");
  EXPECT_EQ(valueOf("2*(lanes+1)"), "8194");
  EXPECT_EQ(valueOf("1 - 2 - 3"), "-4");
  EXPECT_EQ(valueOf("- -3 - -2"), "5");
  EXPECT_EQ(valueOf("100 / 5 / 2"), "10");
  EXPECT_EQ(valueOf("min(games, lanes, 3) + max(-1, games)"), "19");
  EXPECT_EQ(valueOf("a.b_1 * a.b_1"), "49");
}

/// floordiv, ceildiv and mod against what they mean.
TEST(Expression, Quotients) {
  for (int64_t x = -9; x <= 9; ++x)
    for (int64_t y = -4; y <= 4; ++y) {
      if (y == 0)
        continue;
      std::string a = std::to_string(x), b = std::to_string(y);
      auto quotient = double(x) / double(y);
      EXPECT_EQ(valueOf(a + " floordiv " + b),
                std::to_string(int64_t(std::floor(quotient))));
      EXPECT_EQ(valueOf(a + " ceildiv " + b),
                std::to_string(int64_t(std::ceil(quotient))));
      if (y > 0)
        EXPECT_EQ(valueOf(a + " mod " + b), std::to_string(((x % y) + y) % y));
    }
}

TEST(Expression, Floats) {
  EXPECT_EQ(valueOf("rate"), "0.5");
  EXPECT_EQ(valueOf("rate * 4"), "2.0");
  EXPECT_EQ(valueOf("1.0e-07 / 3"), toText(Number(1e-7 / 3)));
  EXPECT_EQ(valueOf("1.0 / 100000"), "1.0e-05");
  EXPECT_EQ(valueOf("max(rate, 1)"), "1");
  EXPECT_EQ(valueOf("rate mod 2"), "0.5 mod 2.0 is for whole numbers");
  EXPECT_EQ(valueOf("rate / none"), "0.5 / 0.0 is no finite number");
}

TEST(Expression, WrongValues) {
  EXPECT_EQ(valueOf("lanes / 3"),
            "4096 / 3 is no whole number (floordiv and ceildiv round it)");
  for (const char *op : {"/", "mod", "floordiv", "ceildiv"})
    EXPECT_EQ(valueOf(std::string("lanes ") + op + " none"),
              std::string("4096 ") + op + " 0 divides by 0");
  EXPECT_EQ(valueOf("lanes mod -3"), "4096 mod -3 has a negative modulus");
  std::string range = " is out of range (-2^63 to 2^63 - 1)";
  EXPECT_EQ(valueOf("most + 1"), "9223372036854775807 + 1" + range);
  EXPECT_EQ(valueOf("most * 2"), "9223372036854775807 * 2" + range);
  EXPECT_EQ(valueOf("-most - 2"), "-9223372036854775807 - 2" + range);
  EXPECT_EQ(valueOf("-(-most - 1)"), "0 - -9223372036854775808" + range);
  EXPECT_EQ(valueOf("(-most - 1) / -1"), "-9223372036854775808 / -1" + range);
  EXPECT_EQ(valueOf("9223372036854775808"), "9223372036854775808" + range);
}

TEST(Expression, WrongTexts) {
  for (const char *text : {"",         "lanes +",     "* lanes", "-",
                           "2 * ",     "lanes games", "min",     "min(",
                           "min()",    "min 3",       "(lanes",  "lanes)",
                           "(lanes))", "min(lanes,)", "2 ** 3",  "lanes % 2",
                           "mod",      "3 mod",       "4096x",   ".5",
                           "lanes,"}) {
    EXPECT_FALSE(isWellFormed(text)) << text;
    EXPECT_FALSE(valueOf(text).empty()) << text;
  }
  EXPECT_EQ(valueOf("lanes +"), "a number or a name is missing at the end");
  EXPECT_EQ(valueOf("(lanes"), "a \")\" is missing at the end");
  EXPECT_EQ(valueOf("lanes games"), "\"games\" does not belong there");
  EXPECT_EQ(valueOf("lane"), "there is no parameter \"lane\"");
  EXPECT_TRUE(isWellFormed("lane"));
}

TEST(Expression, Nesting) {
  auto nested = [](int depth) {
    return std::string(depth, '(') + "lanes" + std::string(depth, ')');
  };
  EXPECT_EQ(valueOf(nested(60)), "4096");
  EXPECT_EQ(valueOf(nested(100000)),
            "more than 64 parentheses or signs are in one another");
  EXPECT_EQ(valueOf(std::string(100000, '-') + "1"),
            "more than 64 parentheses or signs are in one another");
}

TEST(Expression, Names) {
  for (const char *name : {"n", "_x", "a.b", "Lanes2", "modulus", "in", "to"})
    EXPECT_TRUE(isParameterName(name)) << name;
  for (const char *name :
       {"", "2n", "a-b", "a b", "mod", "min", "max", "ceildiv", ".a", "a$"})
    EXPECT_FALSE(isParameterName(name)) << name;
  std::vector<std::string> seen;
  EXPECT_TRUE(visitNames("min(a, b.c) + 2 * a", [&](std::string_view name) {
    seen.emplace_back(name);
  }));
  EXPECT_EQ(seen, (std::vector<std::string>{"a", "b.c", "a"}));
  EXPECT_FALSE(visitNames("a : b", [](std::string_view) {}));
}

TEST(Expression, Numbers) {
  for (const char *text : {"0", "-1", "4096", "-9223372036854775808", "0.5",
                           "-2.0", "1.0e-05", "1.5e+300"})
    EXPECT_EQ(toText(parseNumber(text).value()), text);
  for (const char *text :
       {"", "-", "x", "1x", "1 ", " 1", "+1", "0x10", "inf", "nan", "1.0e999",
        "9223372036854775808", ".5", "--1"})
    EXPECT_FALSE(parseNumber(text)) << text;
}
