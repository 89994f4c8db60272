//===- DisassemblerTest.cpp - texts that assemble to the same -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/executable/Disassembler.h"

#include "frontends/SourceText.h"
#include "frontends/linear/text/Literal.h"
#include "test/frontends/linear/LinearTesting.h"

#include <random>
#include <sstream>

using namespace vm;
using namespace vm::linear;
using namespace vm::linear::test;

/// Tokens of a text, a line each with its number; comments, definitions of
/// constants and empty lines left out.
static std::string essence(const std::string &text) {
  std::string result;
  std::istringstream in(text);
  size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::string kept;
    for (std::string word; words >> word;)
      kept += " " + word;
    if (!kept.empty() && !kept.starts_with(" .const"))
      result += std::to_string(number) + kept + "\n";
  }
  return result;
}

static void expectSame(const Program &a, const Program &b) {
  EXPECT_EQ(a.instructions, b.instructions);
  EXPECT_EQ(a.lines, b.lines);
  EXPECT_EQ(a.settingLines, b.settingLines);
  EXPECT_EQ(disassemble(a), disassemble(b));
}

TEST(Disassembler, AllOfItComesBack) {
  Program program = mustAssemble(kAllOfIt);
  std::string text = disassemble(program);
  expectSame(program, mustAssemble(text));
}

TEST(Disassembler, DiffersInBlanksCommentsAndConstantsOnly) {
  std::string source = ".program p\n"
                       "# A comment\n"
                       ".stack   5\n"
                       ".const HALF 0.5\n"
                       ".buffer b 4 out\n"
                       ".routine main\n"
                       "top:\n"
                       "mid:   SETI r0,  HALF # half\n"
                       "  BRANCH_GT r0, mid\n"
                       "\n"
                       "  CALL other\n"
                       "  RETURN r1, r2\n"
                       ".routine other\n"
                       "  RETURN\n"
                       ".phase p1 spawn=2 budget=7 independent\n"
                       "  run main 3 r0=-1.5 m2=nan reads=b writes=b\n"
                       ".flow f\n"
                       "  run main 1 reads=b\n";
  std::string text = disassemble(mustAssemble(source));
  std::string expected = essence(source);
  expected.replace(expected.find("HALF"), 4, "0.5");
  // A blank may stand after the comma or not.
  std::erase(expected, ' ');
  std::string actual = essence(text);
  std::erase(actual, ' ');
  EXPECT_EQ(actual, expected);
}

TEST(Disassembler, ExamplesComeBack) {
  for (const std::string &path : examplePaths()) {
    Result<Program> program = assembleFile(path);
    ASSERT_TRUE(program.ok());
    expectSame(*program, mustAssemble(disassemble(*program)));
  }
}

TEST(Disassembler, TargetsAreLabelsRoutinesOrNumbers) {
  Program program = mustAssemble(".routine a\n  VMID r0\nx: HALT\n"
                                 ".routine b\n  CALL 0\n  CALL 1\n  CALL 2\n"
                                 "  CALL 3\n  SPAWN 0, r1\ny: JUMP 3\n"
                                 "  JUMP 7\n"
                                 ".phase p\n  run b 1\n");
  const char *texts[] = {"VMID r0", "HALT",        "CALL a", "CALL 1", "CALL b",
                         "CALL 3",  "SPAWN a, r1", "JUMP 3", "JUMP y"};
  for (uint32_t i = 0; i < std::size(texts); ++i)
    EXPECT_EQ(instructionText(program, i), texts[i]);
}

TEST(Disassembler, ValuesComeBackBitByBit) {
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    uint32_t bits = random();
    if (!isValueBits(bits))
      bits = kNanBits;
    EXPECT_EQ(toBits(valueText(bits)), bits) << valueText(bits);
  }
}
