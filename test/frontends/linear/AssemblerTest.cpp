//===- AssemblerTest.cpp - what a text means ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a text with a mistake is told is in bad/, a file each.
//
//===----------------------------------------------------------------------===//

#include "frontends/SourceText.h"
#include "test/frontends/linear/LinearTesting.h"

#include <bit>
#include <sstream>

using namespace vm;
using namespace vm::linear;
using namespace vm::linear::test;

using Words = std::array<uint32_t, 5>;

static Words wordsOf(const Instruction &instruction) {
  const auto &operands = instruction.operands;
  return {static_cast<uint32_t>(instruction.opcode), operands[0], operands[1],
          operands[2], operands[3]};
}

static std::vector<Words> encode(const std::string &lines) {
  Program program = mustAssemble(wrap(lines));
  std::vector<Words> words;
  for (const Instruction &instruction : program.instructions)
    words.push_back(wordsOf(instruction));
  EXPECT_FALSE(words.empty());
  words.pop_back(); // The HALT of wrap.
  return words;
}

//===--- Instructions -----------------------------------------------------===//

TEST(Assembler, EveryInstructionIsFiveWords) {
  const std::pair<const char *, Words> cases[] = {
      {"ADD r1, r2, r3", {0, 1, 2, 3, 0}},
      {"SUB r1, r2, r3", {1, 1, 2, 3, 0}},
      {"MOV r1, r2", {2, 1, 2, 0, 0}},
      {"SETI r1, 1", {3, 1, 0x3f800000, 0, 0}},
      {"LOAD r1, m9", {4, 1, 9, 0, 0}},
      {"STORE r1, 15", {5, 1, 15, 0, 0}},
      {"COPY m3, 4", {6, 3, 4, 0, 0}},
      {"CLEAR r3", {7, 3, 0, 0, 0}},
      {"NEG r1, r2", {8, 1, 2, 0, 0}},
      {"SCALE r1, r2, 2", {9, 1, 2, 0x40000000, 0}},
      {"MUL r1, r2, r3", {10, 1, 2, 3, 0}},
      {"DIV r1, r2, r3", {11, 1, 2, 3, 0}},
      {"MOD r1, r2, r3", {12, 1, 2, 3, 0}},
      {"CMP r1, r2, r3", {13, 1, 2, 3, 0}},
      {"MIN r1, r2, r3", {14, 1, 2, 3, 0}},
      {"MAX r1, r2, r3", {15, 1, 2, 3, 0}},
      {"ABS r1, r2", {16, 1, 2, 0, 0}},
      {"SQRT r1, r2", {17, 1, 2, 0, 0}},
      {"SIN r1, r2", {18, 1, 2, 0, 0}},
      {"COS r1, r2", {19, 1, 2, 0, 0}},
      {"MULI r1, r2, -1", {20, 1, 2, 0xbf800000, 0}},
      {"DIVI r1, r2, 1", {21, 1, 2, 0x3f800000, 0}},
      {"MODI r1, r2, 1", {22, 1, 2, 0x3f800000, 0}},
      {"CMPI r1, r2, 1", {23, 1, 2, 0x3f800000, 0}},
      {"READ r1, r2", {30, 1, 2, 0, 0}},
      {"WRITE r1, r2", {31, 1, 2, 0, 0}},
      {"VMID r1", {32, 1, 0, 0, 0}},
      {"YIELD", {33, 0, 0, 0, 0}},
      {"HALT", {34, 0, 0, 0, 0}},
      {"WAIT r1, r2", {35, 1, 2, 0, 0}},
      {"SPAWN main, r2", {36, 0, 2, 0, 0}},
      {"KILL", {37, 0, 0, 0, 0}},
      {"BRANCH_EQ r1, 1", {50, 1, 1, 0, 0}},
      {"BRANCH_NE r1, 1", {51, 1, 1, 0, 0}},
      {"BRANCH_LT r1, 1", {52, 1, 1, 0, 0}},
      {"BRANCH_GT r1, 1", {53, 1, 1, 0, 0}},
      {"BRANCH_LE r1, 1", {54, 1, 1, 0, 0}},
      {"BRANCH_GE r1, 1", {55, 1, 1, 0, 0}},
      {"JUMP 1", {56, 1, 0, 0, 0}},
      {"CALL 1", {60, 1, 0, 0, 0}},
      {"RETURN", {61, 0, 0, 0, 0}},
      {"RETURN r0", {61, 1, 0, 0, 0}},
      {"RETURN r3, r1", {61, 10, 0, 0, 0}},
      {"RETURN r0, r1, r2, r3", {61, 15, 0, 0, 0}},
  };
  for (const auto &[text, words] : cases)
    EXPECT_EQ(encode(text), std::vector<Words>{words}) << text;
}

TEST(Assembler, MnemonicsHaveEitherCaseAndIoAPrefix) {
  auto expected = encode("READ r1, r2\nWAIT r0, r1\nADD r0, r0, r0");
  EXPECT_EQ(encode("read r1, r2\nwait r0, r1\nadd r0, r0, r0"), expected);
  EXPECT_EQ(encode("SYSCALL_READ r1, r2\nsyscall_wait r0, r1\nADD r0, r0, r0"),
            expected);
}

TEST(Assembler, BlanksOnlySeparate) {
  EXPECT_EQ(encode("\tx :ADD r0,r1 ,\tr2#comment\r"), encode("ADD r0, r1, r2"));
  EXPECT_EQ(encode("# nothing\n\n  \t\nSETI r0,base( b )\n.buffer b 1 in"),
            encode("SETI r0, 0"));
}

TEST(Assembler, ACommentMayHoldAnything) {
  std::string comment = "ADD r0, r1, r2 # \"';$%";
  comment += std::string("\0\xff\xc3(", 4);
  EXPECT_EQ(encode(comment), encode("ADD r0, r1, r2"));
}

//===--- Numbers ----------------------------------------------------------===//

static uint32_t bitsOf(const std::string &literal) {
  return encode("SETI r0, " + literal).at(0)[2];
}

TEST(Assembler, LiteralsAreRoundedOnceToNearestEven) {
  const std::pair<const char *, uint32_t> cases[] = {
      {"0", 0},
      {"-0", 0x80000000},
      {"-0.0e99", 0x80000000},
      {"0e999999999999999999999", 0},
      {"1", 0x3f800000},
      {"+1", 0x3f800000},
      {"1.", 0x3f800000},
      {".5", 0x3f000000},
      {"-.5E0", 0xbf000000},
      {"5e-1", 0x3f000000},
      {"0.1", 0x3dcccccd},
      {"16777217", 0x4b800000}, // A tie, to even.
      {"16777219", 0x4b800002}, // A tie, to even.
      {"16777217.0000000000000000000000000000000000000001", 0x4b800001},
      {"1.17549435e-38", 0x00800000},
      {"3.4028234663852886e38", 0x7f7fffff},
      {"3.4028235677973366e+38", 0x7f7fffff}, // Just below the tie.
      // Twice rounded, by way of a binary64, it is 0x3f800001.
      {"1.000000059604644775390625000000000000000000000001", 0x3f800001},
      {"1.00000005960464477539062500000000000000000000000", 0x3f800000},
      {"1.000000178813934326171874999999999999999999999999", 0x3f800001},
      {"inf", 0x7f800000},
      {"+inf", 0x7f800000},
      {"-inf", 0xff800000},
      {"nan", 0x7fc00000},
      {"00000000000000000000000000000000000000000001", 0x3f800000},
      {"100000000000000000000000000000000000000000e-41", 0x3f800000},
  };
  for (const auto &[text, bits] : cases)
    EXPECT_EQ(bitsOf(text), bits) << text;
}

TEST(Assembler, LiteralsOutOfRangeAreRefused) {
  for (const char *text :
       {"3.4028235677973367e38", "1e39", "-1e9999999999999999999",
        "1.17549427e-38", "1e-45", "1e-46", "-1e-999999999999999999999",
        "0.000000000000000000000000000000000000000000000001"}) {
    Result<Program> program =
        assemble(wrap(std::string("SETI r0, ") + text), "t");
    ASSERT_FALSE(program.ok()) << text;
    EXPECT_NE(program.status().message().find("t:2:10: error: \""),
              std::string::npos);
    EXPECT_NE(program.status().message().find("range"), std::string::npos);
  }
}

TEST(Assembler, ConstantsAreExactIntegersWhereOneIsWanted) {
  Program program = mustAssemble(".budget N\n.stack S\n.const N 2147483647\n"
                                 ".const S 2.56e2\n" +
                                 wrap("SETI r0, N\nSETI r1, S"));
  EXPECT_EQ(program.budget, 2147483647u);
  EXPECT_EQ(program.stack, 256u);
  EXPECT_EQ(program.instructions[0].operands[1], 0x4f000000u);
  EXPECT_EQ(program.instructions[1].operands[1], 0x43800000u);
}

//===--- Directives -------------------------------------------------------===//

TEST(Assembler, DefaultsAreThoseOfTheSpecification) {
  Program program = mustAssemble(wrap(""));
  EXPECT_EQ(program.name, "");
  EXPECT_FALSE(program.f16State);
  EXPECT_EQ(program.stack, kDefaultStack);
  EXPECT_EQ(program.budget, 10000u);
  EXPECT_EQ(program.toleranceBits, 0u);
  EXPECT_FALSE(program.threshold);
}

TEST(Assembler, DirectivesAreRead) {
  Program program = mustAssemble(kAllOfIt);
  EXPECT_EQ(program.name, "everything");
  EXPECT_TRUE(program.f16State);
  EXPECT_EQ(program.stack, 200u);
  EXPECT_EQ(program.budget, 2147483647u);
  EXPECT_EQ(program.toleranceBits, std::bit_cast<uint32_t>(1e-4f));
  EXPECT_EQ(program.threshold, 0.12);
  EXPECT_EQ(program.maxMachines(), 12u);
  EXPECT_EQ(program.lines.front(), 13u);
}

TEST(Assembler, InputsComeFirstInSharedMemory) {
  Program program = mustAssemble(kAllOfIt);
  ASSERT_EQ(program.buffers.size(), 4u);
  const uint32_t bases[] = {3, 0, 8, 10};
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(program.buffers[i].base, bases[i]) << program.buffers[i].name;
  EXPECT_EQ(program.sharedWords(), 11u);
}

TEST(Assembler, LabelsBelongToTheirRoutine) {
  Program program = mustAssemble(".const x 5\n"
                                 ".routine a\nx: JUMP x\n"
                                 ".routine b\nCALL x\nx: JUMP x\n"
                                 ".routine c\nCALL a\nSETI r0, x\nHALT\n"
                                 ".phase p\nrun c 1\n");
  EXPECT_EQ(program.instructions[0].operands[0], 0u);
  EXPECT_EQ(program.instructions[1].operands[0], 2u);
  EXPECT_EQ(program.instructions[2].operands[0], 2u);
  EXPECT_EQ(program.instructions[3].operands[0], 0u);
  EXPECT_EQ(program.instructions[4].operands[1], 0x40a00000u);
}

TEST(Assembler, RoutinesGoOnBehindOtherDirectives) {
  Program program = mustAssemble(".phase p\n.routine main\nrun main 1\n"
                                 ".const A 1\nSETI r0, A\n.stack 3\nHALT\n");
  EXPECT_EQ(program.instructions.size(), 2u);
  EXPECT_EQ(program.routines[0].count, 2u);
}

//===--- Launches ---------------------------------------------------------===//

TEST(Assembler, LaunchesAreRead) {
  Program program = mustAssemble(kAllOfIt);
  const Phase &phase = program.phases.at(0);
  EXPECT_EQ(phase.name, "one");
  EXPECT_EQ(phase.spawn, 7u);
  EXPECT_EQ(phase.budget, 4000u);
  EXPECT_TRUE(phase.independent);
  const Launch &launch = phase.launches.at(0);
  EXPECT_EQ(launch.routine, 1u);
  EXPECT_EQ(launch.count, 3u);
  ASSERT_EQ(launch.initial.size(), 3u);
  const std::pair<uint32_t, float> initial[] = {{3, 1.5f}, {5, 3}, {12, 3}};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(launch.initial[i].element, initial[i].first);
    EXPECT_EQ(launch.initial[i].bits,
              std::bit_cast<uint32_t>(initial[i].second));
  }
  EXPECT_FALSE(launch.reads || launch.writes);
}

TEST(Assembler, AFlowBecomesAPhaseALevel) {
  Program program = mustAssemble(kAllOfIt);
  ASSERT_EQ(program.phases.size(), 5u);
  EXPECT_EQ(program.phases[1].name, "two.0");
  EXPECT_EQ(program.phases[2].name, "two.1");
  EXPECT_EQ(program.phases[3].name, "two.2");
  EXPECT_EQ(program.phases[1].launches.size(), 2u);
  EXPECT_EQ(program.phases[2].launches.size(), 1u);
  EXPECT_EQ(program.phases[3].launches.size(), 1u);
  EXPECT_EQ(program.phases[3].budget, 9u);
  using List = std::vector<uint32_t>;
  EXPECT_EQ(program.phases[2].launches[0].reads, (List{0, 1}));
}

TEST(Assembler, FlowLevelsFollowAllThreeDependences) {
  Program program = mustAssemble(".buffer a 1 inout\n.buffer b 1 inout\n"
                                 ".routine m\nHALT\n.flow f\n"
                                 "run m 1 reads=a\n"  // 0
                                 "run m 2 writes=a\n" // 1: read before
                                 "run m 3 writes=a\n" // 2: written
                                 "run m 4 reads=b\n"  // 0
                                 "run m 5 reads=a writes=b\n"); // 3
  ASSERT_EQ(program.phases.size(), 4u);
  EXPECT_EQ(program.phases[0].machines(), 5u);
  EXPECT_EQ(program.phases[1].machines(), 2u);
  EXPECT_EQ(program.phases[2].machines(), 3u);
  EXPECT_EQ(program.phases[3].machines(), 5u);
}

//===--- Mistakes ---------------------------------------------------------===//

static std::vector<std::string> errorsOf(const std::string &text) {
  Result<Program> program = assemble(text, "t.lvm");
  EXPECT_FALSE(program.ok());
  EXPECT_EQ(program.status().code(), Code::BadInput);
  std::vector<std::string> lines;
  std::istringstream in(program.status().message());
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

TEST(Assembler, SeveralMistakesAreSaidInTheOrderOfTheText) {
  auto errors =
      errorsOf(".stack 0\n" + wrap("ADD r0\nSETI r0, A") + ".buffer b 0 in\n");
  ASSERT_EQ(errors.size(), 4u);
  const char *starts[] = {
      "t.lvm:1:8:", "t.lvm:3:1:", "t.lvm:4:10:", "t.lvm:8:11:"};
  for (size_t i = 0; i < 4; ++i)
    EXPECT_TRUE(errors[i].starts_with(starts[i])) << errors[i];
}

TEST(Assembler, OnlyTheFirstMistakesAreSaid) {
  std::string text = wrap("");
  for (int i = 0; i < 1000; ++i)
    text = "!\n" + text;
  auto errors = errorsOf(text);
  EXPECT_EQ(errors.size(), SourceErrors::kMaxErrors);
  EXPECT_TRUE(errors.front().starts_with("t.lvm:1:1:"));
  EXPECT_TRUE(errors.back().starts_with("t.lvm:20:1:"));
}

TEST(Assembler, WhatIsQuotedIsShortAndPrintable) {
  std::string name(100000, 'x');
  auto errors = errorsOf(wrap("SETI r0, " + name + "\nSETI r0, \x1b[31m"));
  ASSERT_EQ(errors.size(), 2u);
  for (const std::string &error : errors) {
    EXPECT_LT(error.size(), 200u);
    EXPECT_EQ(error.find('\x1b'), std::string::npos);
  }
}

TEST(Assembler, AnEmptyTextHasNoPhase) {
  EXPECT_TRUE(errorsOf("").at(0).starts_with("t.lvm:1:1: error: "));
  EXPECT_TRUE(errorsOf("\n\n\n").at(0).starts_with("t.lvm:3:1: error: "));
  EXPECT_TRUE(errorsOf("\n#").at(0).starts_with("t.lvm:2:1: error: "));
}

TEST(Assembler, ExamplesAssemble) {
  for (const std::string &path : examplePaths()) {
    Result<Program> program = assembleFile(path);
    ASSERT_TRUE(program.ok()) << program.status().message();
    EXPECT_TRUE(checkProgram(*program).ok()) << path;
  }
}
