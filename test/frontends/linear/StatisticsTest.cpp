//===- StatisticsTest.cpp - what a program of the linear VM takes -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/matrices/Statistics.h"

#include "test/frontends/linear/LinearTesting.h"

#include <nlohmann/json.hpp>

using namespace vm;
using namespace vm::linear;
using test::mustAssemble;
using test::wrap;

namespace {

const char *const kLines = R"(SETI r0, 3
  MUL r0, r0, r0
  ADD r1, r0, r2
  SUB r1, r1, r1
  SCALE r3, r1, nan
  STORE r3, m15
  ADD r0, r0, r0)";

TEST(LinearStatistics, CountBytesOfEachFormat) {
  Program program = mustAssemble(wrap(kLines));
  Statistics s = countStatistics(program);
  EXPECT_EQ(s.instructions, 8u);
  EXPECT_EQ(s.linear, 6u);
  EXPECT_EQ(s.oracle, 1u);
  EXPECT_EQ(s.io, 1u);
  EXPECT_EQ(s.branch, 0u);
  EXPECT_EQ(s.matrices, 6u);
  EXPECT_EQ(s.nonZeros, 138u);
  EXPECT_EQ(s.matrixBytes, 8 * 138u + 6 * 92);
  EXPECT_EQ(s.allDenseBytes, 6 * 1936u);
  // 1, 3, NaN and 2 are its values.
  EXPECT_EQ(s.allDictionaryBytes, 4 * 138u + 6 * 92 + 4 * 4);
  EXPECT_EQ(countStatistics(program, Format::Dictionary, 0.15).matrixBytes,
            s.allDictionaryBytes);
  EXPECT_EQ(countStatistics(program, Format::Dense, 0.15).matrixBytes,
            s.allDenseBytes);
  EXPECT_EQ(s.meanNonZeros(), 23.0);
}

TEST(LinearStatistics, RoundHalfUpToOneDecimal) {
  Statistics s;
  EXPECT_EQ(s.savedPercent(), 0);
  EXPECT_EQ(s.meanNonZeros(), 0);
  s.matrices = 20;
  s.nonZeros = 461; // 23.05
  EXPECT_EQ(s.meanNonZeros(), 23.1);
  s.nonZeros = 460;
  EXPECT_EQ(s.meanNonZeros(), 23.0);
  s.allDenseBytes = 2000;
  s.matrixBytes = 999; // 50.05 %
  EXPECT_EQ(s.savedPercent(), 50.1);
  s.matrixBytes = 2001; // -0.05 %
  EXPECT_EQ(s.savedPercent(), 0.0);
  s.matrixBytes = 2002; // -0.1 %
  EXPECT_EQ(s.savedPercent(), -0.1);
}

TEST(LinearStatistics, AreAnObjectAndATable) {
  Statistics s = countStatistics(mustAssemble(wrap(kLines)));
  s.modes = {{"p", "faithful", "it has collisions"}, {"q", "compiled", ""}};
  nlohmann::json json = nlohmann::json::parse(s.toJson());
  EXPECT_EQ(json["nonzeros"], 138);
  EXPECT_EQ(json["threshold"], 0.15);
  EXPECT_EQ(json["first_dense_nonzeros"], 73);
  EXPECT_EQ(json["saved_percent"], 85.7);
  EXPECT_EQ(json["modes"]["p"]["mode"], "faithful");
  EXPECT_EQ(json["modes"]["p"]["reason"], "it has collisions");
  EXPECT_FALSE(json["modes"]["q"].contains("reason"));
  EXPECT_EQ(json["formats"].size(), 6u);
  EXPECT_EQ(json["formats"][1], (nlohmann::json{2, 24, "csr"}));
  std::string table = s.toTable();
  EXPECT_NE(table.find("nonzeros                         138\n"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("p                     faithful (it has collisions)\n"),
            std::string::npos)
      << table;
}

} // namespace
