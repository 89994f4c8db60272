//===- ExecutableTest.cpp - programs as files, sound and hostile ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hash guards the file, so the tests of its fields put it right again.
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/executable/Executable.h"

#include "frontends/linear/executable/Disassembler.h"
#include "frontends/linear/executable/ExecutableFields.h"
#include "test/frontends/linear/LinearTesting.h"

#include <xxhash.h>

#include <cstring>
#include <functional>
#include <random>

using namespace vm;
using namespace vm::linear;
using namespace vm::linear::test;

using Bytes = std::vector<uint8_t>;

constexpr size_t kHeaderBytes = 32;

/// Length and hash of a file that has been changed.
static void seal(Bytes &bytes) {
  uint64_t size = bytes.size();
  uint64_t hash = XXH3_64bits(bytes.data() + kHeaderBytes, size - kHeaderBytes);
  std::memcpy(&bytes[16], &size, 8);
  std::memcpy(&bytes[24], &hash, 8);
}

/// A program that is small and has everything.
static Program smallProgram() {
  return mustAssemble(".program p\n.threshold 0.048\n.buffer a 2 in\n"
                      ".routine main\nx: ADD r0, r1, r2\nSETI r1, 1.5\n"
                      "CALL leaf\nBRANCH_EQ r0, x\nHALT\n"
                      ".routine leaf\nRETURN r1\n"
                      ".phase one spawn=2 budget=9\nrun main 2 m3=0.5\n"
                      ".flow f independent\nrun leaf 1 reads=a\n");
}

static void expectRefused(const Bytes &bytes, const std::string &part) {
  Result<Program> program = readExecutable(bytes, "x.gvlx");
  ASSERT_FALSE(program.ok()) << part;
  EXPECT_EQ(program.status().code(), Code::BadInput);
  const std::string &message = program.status().message();
  EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_TRUE(message.ends_with(" - while reading \"x.gvlx\".")) << message;
}

/// Whatever the bytes are, they are refused or are what their program is
/// written as. True if they are a program.
static bool judge(const Bytes &bytes) {
  Result<Program> program = readExecutable(bytes, "x.gvlx");
  if (!program.ok()) {
    EXPECT_EQ(program.status().code(), Code::BadInput);
    return false;
  }
  EXPECT_TRUE(checkProgram(*program).ok());
  EXPECT_EQ(writeExecutable(*program), bytes);
  return true;
}

//===--- Sound files ------------------------------------------------------===//

static void expectRoundTrip(const Program &program) {
  Bytes bytes = writeExecutable(program);
  EXPECT_TRUE(isExecutable(bytes));
  Result<Program> back = readExecutable(bytes, "x.gvlx");
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(back->file, "x.gvlx");
  EXPECT_EQ(back->instructions, program.instructions);
  std::string text = disassemble(program);
  EXPECT_EQ(disassemble(*back), text);
  EXPECT_EQ(writeExecutable(mustAssemble(text)), bytes);
}

TEST(Executable, ComesBack) {
  expectRoundTrip(smallProgram());
  expectRoundTrip(mustAssemble(kAllOfIt));
}

TEST(Executable, ExamplesComeBack) {
  for (const std::string &path : examplePaths()) {
    Result<Program> program = assembleFile(path);
    ASSERT_TRUE(program.ok());
    expectRoundTrip(*program);
  }
}

TEST(Executable, DoesNotDependOnTheNameOfTheText) {
  Program program = smallProgram();
  Bytes bytes = writeExecutable(program);
  program.file = "another.lvm";
  EXPECT_EQ(writeExecutable(program), bytes);
}

//===--- Files that are cut or changed ------------------------------------===//

TEST(Executable, EveryCutIsRefused) {
  Bytes bytes = writeExecutable(smallProgram());
  for (size_t size = 0; size < bytes.size(); ++size) {
    Bytes cut(bytes.begin(), bytes.begin() + size);
    EXPECT_FALSE(judge(cut)) << size;
    if (size < kHeaderBytes)
      continue;
    seal(cut);
    EXPECT_FALSE(judge(cut)) << size;
  }
}

TEST(Executable, AnyByteBehindTheEndIsRefused) {
  Bytes bytes = writeExecutable(smallProgram());
  bytes.push_back(0);
  expectRefused(bytes, "field \"bytes\"");
  seal(bytes);
  EXPECT_FALSE(judge(bytes));
}

TEST(Executable, EveryChangedByteIsRefusedByTheHash) {
  Bytes bytes = writeExecutable(smallProgram());
  for (size_t i = 0; i < bytes.size(); ++i) {
    Bytes changed = bytes;
    changed[i] ^= 1u << (i % 8);
    EXPECT_FALSE(judge(changed)) << i;
  }
}

TEST(Executable, EveryChangedByteIsRefusedOrAnotherProgram) {
  Bytes bytes = writeExecutable(smallProgram());
  size_t programs = 0;
  for (size_t i = kHeaderBytes; i < bytes.size(); ++i)
    for (unsigned value : {0, 1, 2, 7, 64, 127, 128, 254, 255}) {
      if (bytes[i] == value)
        continue;
      Bytes changed = bytes;
      changed[i] = static_cast<uint8_t>(value);
      seal(changed);
      programs += judge(changed);
    }
  EXPECT_GT(programs, 20u); // Other line numbers, names without a consequence.
}

TEST(Executable, RandomChangesAreRefusedOrAnotherProgram) {
  Bytes bytes = writeExecutable(mustAssemble(kAllOfIt));
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) {
    Bytes changed = bytes;
    for (unsigned j = 0; j <= random() % 3; ++j)
      changed[kHeaderBytes + random() % (bytes.size() - kHeaderBytes)] =
          static_cast<uint8_t>(random() % 3 ? random() % 32 : random());
    seal(changed);
    judge(changed);
  }
}

TEST(Executable, HeadersThatLieAreNamed) {
  Bytes bytes = writeExecutable(smallProgram());
  auto change = [&](size_t at, uint8_t value) {
    Bytes changed = bytes;
    changed[at] = value;
    return changed;
  };
  expectRefused({}, "Byte 0, field \"magic\"");
  expectRefused(change(0, 0x88), "Byte 0, field \"magic\"");
  expectRefused(change(8, 2), "Byte 8, field \"version\": the version is 2");
  expectRefused(change(12, 2), "Byte 12, field \"unused\"");
  expectRefused(change(16, 0), "Byte 16, field \"bytes\"");
  expectRefused(change(24, static_cast<uint8_t>(bytes[24] + 1)),
                "Byte 24, field \"hash\"");
  expectRefused(Bytes(bytes.begin(), bytes.begin() + 20),
                "Byte 20, field \"header\"");
}

//===--- Fields that lie --------------------------------------------------===//

struct Lie {
  const char *part; ///< Of the message.
  std::function<void(Program &)> tell;
};

class ExecutableLie : public testing::TestWithParam<Lie> {};

static const Lie kLies[] = {
    {"program", [](Program &p) { p.name = "r0"; }},
    {"program", [](Program &p) { p.name = "a b"; }},
    {"The stack has 257 frames", [](Program &p) { p.stack = 257; }},
    {"The stack has 0 frames", [](Program &p) { p.stack = 0; }},
    {"The budget is 0", [](Program &p) { p.budget = 0; }},
    {"The budget is 2147483648", [](Program &p) { p.budget = 1u << 31; }},
    {".budget", [](Program &p) { p.budget = 5; }},
    {".state", [](Program &p) { p.f16State = true; }},
    {"tolerance", [](Program &p) { p.toleranceBits = 0x80000000; }},
    {"tolerance", [](Program &p) { p.toleranceBits = 1; }},
    {"tolerance", [](Program &p) { p.toleranceBits = 0x7f800000; }},
    {"The threshold is -1", [](Program &p) { p.threshold = -1; }},
    {"The threshold is 1e-50", [](Program &p) { p.threshold = 1e-50; }},
    {"threshold", [](Program &p) { p.threshold.reset(); }},
    {"name of buffer \"state\"",
     [](Program &p) { p.buffers[0].name = "state"; }},
    {"no name of a buffer", [](Program &p) { p.buffers[0].name = "1"; }},
    {"has 0 words", [](Program &p) { p.buffers[0].size = 0; }},
    {"has 16777217 words", [](Program &p) { p.buffers[0].size = 16777217; }},
    {"begins at address 1", [](Program &p) { p.buffers[0].base = 1; }},
    {"opcode 24", [](Program &p) { p.instructions[0].opcode = Opcode(24); }},
    {"opcode 4294967295",
     [](Program &p) { p.instructions[0].opcode = Opcode(UINT32_MAX); }},
    {"register 4", [](Program &p) { p.instructions[0].operands[2] = 4; }},
    {"has 1 as operand 3",
     [](Program &p) { p.instructions[0].operands[3] = 1; }},
    {"subnormal", [](Program &p) { p.instructions[1].operands[1] = 1; }},
    {"another NaN",
     [](Program &p) { p.instructions[1].operands[1] = 0x7fc00001; }},
    {"target 6", [](Program &p) { p.instructions[2].operands[0] = 6; }},
    {"target 5", [](Program &p) { p.instructions[3].operands[1] = 5; }},
    {"can be run out of",
     [](Program &p) {
       p.instructions[5].opcode = Opcode::Yield,
       p.instructions[5].operands = {};
     }},
    {"mask of registers 16",
     [](Program &p) { p.instructions[5].operands[0] = 16; }},
    {"5 lines", [](Program &p) { p.lines.pop_back(); }},
    {"belong to no routine", [](Program &p) { p.routines.pop_back(); }},
    {"Routine \"leaf\" has 2", [](Program &p) { p.routines[1].count = 2; }},
    {"Routine \"main\" has 0", [](Program &p) { p.routines[0].count = 0; }},
    {"from number 4 on", [](Program &p) { p.routines[1].first = 4; }},
    {"name of routine \"main\"",
     [](Program &p) { p.routines[1].name = "main"; }},
    {"name of label \"leaf\"", [](Program &p) { p.labels[0].name = "leaf"; }},
    {"at instruction 6", [](Program &p) { p.labels[0].instruction = 6; }},
    {"no phase", [](Program &p) { p.phases.clear(); }},
    {"name of phase \"a\"", [](Program &p) { p.phases[0].name = "a"; }},
    {"other levels", [](Program &p) { p.phases[1].name = "f.1"; }},
    {"other levels", [](Program &p) { p.phases[1].name = "f."; }},
    {"not like level 0", [](Program &p) { p.phases[1].spawn = 1; }},
    {"0 runs", [](Program &p) { p.phases[0].launches.clear(); }},
    {"16777218 machines", [](Program &p) { p.phases[0].spawn = 1u << 24; }},
    {"has the budget 0", [](Program &p) { p.phases[0].budget = 0; }},
    {"launches routine 2, of 2",
     [](Program &p) { p.phases[0].launches[0].routine = 2; }},
    {"launches 0 machines",
     [](Program &p) { p.phases[0].launches[0].count = 0; }},
    {"sets element 0",
     [](Program &p) { p.phases[0].launches[0].initial[0].element = 0; }},
    {"sets element 21",
     [](Program &p) { p.phases[0].launches[0].initial[0].element = 21; }},
    {"to 0x00000001",
     [](Program &p) { p.phases[0].launches[0].initial[0].bits = 1; }},
    {"names buffer 1, of 1",
     [](Program &p) { p.phases[1].launches[0].reads->at(0) = 1; }},
    {"do not ascend",
     [](Program &p) { p.phases[1].launches[0].reads = {{0, 0}}; }},
    {"without buffers",
     [](Program &p) { p.phases[1].launches[0].reads->clear(); }},
    {"has no clause",
     [](Program &p) { p.phases[1].launches[0].reads.reset(); }},
    {"in line 0", [](Program &p) { p.lines[0] = 0; }},
    {"in line 6", [](Program &p) { p.lines[2] = 6; }},
    {"in line 4294967295", [](Program &p) { p.lines[5] = UINT32_MAX; }},
    {"Label \"x\" is in line 4", [](Program &p) { p.labels[0].line = 4; }},
    {"two statements", [](Program &p) { p.buffers[0].line = 1; }},
    {"A phase is in line 13", [](Program &p) { p.phases[1].line = 13; }},
    {"A run is in line 12",
     [](Program &p) { p.phases[0].launches[0].line = 12; }},
};

/// The program's fields of a file, and nothing after them: what they are is
/// looked at first.
static Bytes writeFields(const Program &program) {
  ArchiveWriter archive;
  archive.bytes().resize(kHeaderBytes);
  transferProgram(archive, program);
  Bytes right = writeExecutable(smallProgram());
  std::copy_n(right.begin(), kHeaderBytes, archive.bytes().begin());
  seal(archive.bytes());
  return std::move(archive.bytes());
}

TEST_P(ExecutableLie, IsRefused) {
  Program program = smallProgram();
  GetParam().tell(program);
  EXPECT_FALSE(checkProgram(program).ok());
  expectRefused(writeFields(program), GetParam().part);
}

INSTANTIATE_TEST_SUITE_P(All, ExecutableLie, testing::ValuesIn(kLies));

TEST(Executable, WhatFollowsFromTheProgramIsCompared) {
  Program program = smallProgram();
  expectRefused(writeFields(program), "section \"facts\"");
  Bytes right = writeExecutable(program);
  size_t at = writeFields(program).size();
  for (const char *name : {"facts", "metadata", "dense", "values", "columns",
                           "row pointers", "statistics"}) {
    uint64_t size = 0;
    std::memcpy(&size, &right[at], 8);
    Bytes changed = right;
    changed[at + 8 + size - 1] ^= 1;
    seal(changed);
    expectRefused(changed, std::string("section \"") + name + "\"");
    at += 8 + size;
  }
  EXPECT_EQ(at, right.size());
}
