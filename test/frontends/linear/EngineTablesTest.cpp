//===- EngineTablesTest.cpp - a program as what the engine reads ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/modes/EngineTables.h"
#include "frontends/linear/text/Assembler.h"

#include <gtest/gtest.h>

using namespace vm;
using namespace vm::linear;

static Program assembled(const char *text) {
  Result<Program> program = assemble(text, "test.lvm");
  EXPECT_TRUE(program.ok()) << program.status().message();
  return program.ok() ? *program : Program();
}

static const char *const kTwoPhases = R"(
.buffer a 3 in
.buffer b 2 inout
.routine main
  ADD r0, r1, r2
  HALT
.phase one
  run main 2 r1=1.0
  run main 1
.phase two budget=7 spawn=4
  run main 1
)";

TEST(EngineTables, SizesAreThoseOfTheProgram) {
  EngineTables tables =
      buildEngineTables(assembled(kTwoPhases), Format::Csr, 0, true);
  EXPECT_EQ(tables.sizes.machines, 5u);
  EXPECT_EQ(tables.sizes.words, 5u);
  EXPECT_EQ(tables.sizes.stack, 1u) << "nothing is called";
  EXPECT_EQ(tables.sizes.instructions, 2u);
  EXPECT_EQ(tables.sizes.phases, 2u);
  EXPECT_EQ(tables.sizes.launches, 3u);
  EXPECT_EQ(tables.sizes.buffers, 2u);
  EXPECT_EQ(tables.sizes.nonzeros, 24u) << "those of one ADD";
  EXPECT_EQ(tables.sizes.rowPointers, 23u);
}

TEST(EngineTables, PhasesAndLaunches) {
  EngineTables tables =
      buildEngineTables(assembled(kTwoPhases), Format::Csr, 0, true);
  // First launch, launches, launched machines, machines, budget.
  std::vector<uint32_t> phases = {0, 2, 3, 3, 10000, 2, 1, 1, 5, 7};
  EXPECT_EQ(tables.find("phases").words, phases);
  const auto &launches = tables.find("launches").words;
  ASSERT_EQ(launches.size(), 3u * 22);
  EXPECT_EQ(launches[0], 0u);
  EXPECT_EQ(launches[3], 0x3f800000u) << "r1 of the first launch";
  EXPECT_EQ(launches[22], 2u) << "the second launch begins with machine 2";
  EXPECT_EQ(launches[25], 0u);
  std::vector<uint32_t> limits = {5, 1, 0, 2, 0};
  EXPECT_EQ(tables.find("limits").words, limits);
}

TEST(EngineTables, AccessKnowsInputs) {
  EngineTables tables =
      buildEngineTables(assembled(kTwoPhases), Format::Csr, 0, true);
  std::vector<uint32_t> bases = {0, 3};
  EXPECT_EQ(tables.find("buffers").words, bases);
  std::vector<uint32_t> access = {1, 3, 1, 3, 1, 3};
  EXPECT_EQ(tables.find("access").words, access);
}

TEST(EngineTables, WithoutMemoryThereIsNoAddress) {
  Program program = assembled(".routine main\n HALT\n.phase all\nrun main 1\n");
  EXPECT_EQ(program.sharedWords(), 0u);
  EXPECT_EQ(addressEnd(program), -1);
}

TEST(EngineTables, RoomIsRoundedUp) {
  EngineTables tables =
      buildEngineTables(assembled(kTwoPhases), Format::Csr, 0, true);
  Result<EngineSizes> room =
      parseRoom("machines=100,instructions=3", tables.sizes, Format::Csr);
  ASSERT_TRUE(room.ok()) << room.status().message();
  EXPECT_EQ(room->machines, 128u);
  EXPECT_EQ(room->instructions, 4u);
  EXPECT_EQ(room->words, 8u);
  EXPECT_EQ(room->nonzeros, 4u * 24);
  EXPECT_EQ(room->rowPointers, 4u * 23);
  EXPECT_EQ(room->denseElements, 1u);
  room = parseRoom("auto", tables.sizes, Format::Dense);
  ASSERT_TRUE(room.ok());
  EXPECT_EQ(room->machines, 8u);
  EXPECT_EQ(room->denseElements, 2u * 484);
  EXPECT_EQ(room->nonzeros, 1u);
}

TEST(EngineTables, RoomThatIsNoList) {
  for (const char *text : {"", "machines", "machines=", "machines=0",
                           "machines=16777217", "nonzeros=4", "machines=4,",
                           "machines=4 ", "machines=-1", "auto,machines=1"}) {
    Result<EngineSizes> room = parseRoom(text, {}, Format::Csr);
    EXPECT_EQ(room.status().code(), Code::Usage) << text;
  }
}

TEST(EngineTables, PaddedRowsAndColumns) {
  EngineTables tables =
      buildEngineTables(assembled(kTwoPhases), Format::Csr, 0, true);
  EngineSizes room = tables.sizes;
  room.launches = 4;
  room.buffers = 3;
  std::vector<uint32_t> access = {1, 3, 0, 1, 3, 0, 1, 3, 0, 0, 0, 0};
  EXPECT_EQ(padTable(tables.find("access"), room), access);
  // An address never is in a buffer that is not there.
  std::vector<uint32_t> bases = {0, 3, INT32_MAX};
  EXPECT_EQ(padTable(tables.find("buffers"), room), bases);
  std::vector<uint32_t> limits = {5, 1, 0, 2, 0};
  EXPECT_EQ(padTable(tables.find("limits"), room), limits);
}
