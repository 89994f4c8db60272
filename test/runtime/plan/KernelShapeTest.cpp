//===- KernelShapeTest.cpp - what becomes large in a driver ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/KernelShape.h"

#include "runtime/plan/KernelCheck.h"
#include "test/runtime/plan/ModuleWords.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace vm;
using test::ModuleWords;

namespace {

std::string check(const ModuleWords &m) {
  return checkKernel(m.kernel("k")).message();
}

TEST(KernelShape, BoundsHowDeepConstructsNest) {
  for (auto nest : {test::nestSelections, test::nestLoops}) {
    ModuleWords deep, deeper;
    nest(deep, 3 * 64, 64); // Three, side by side.
    EXPECT_EQ(check(deep), "");
    nest(deeper, 65, 65);
    EXPECT_EQ(check(deeper), "Kernel \"k\" nests selections and loops 65 deep "
                             "(at most 64 are allowed).");
  }
}

/// Functions of which each calls the one before it twice, and main the last.
ModuleWords doublings(uint32_t levels) {
  ModuleWords m;
  uint32_t id = addFunction(m);
  for (uint32_t i = 1; i < levels; ++i)
    id = addFunction(m, {id, id});
  m.body.add(SpvOpFunctionCall, {m.voidType, m.id(), id});
  return m;
}

TEST(KernelShape, CountsInstructionsInThePlacesOfCalls) {
  EXPECT_EQ(check(doublings(13)), "");
  // Function i has 6 2^i - 4 instructions, and main as many as the last and 3.
  EXPECT_EQ(check(doublings(16)),
            "Kernel \"k\" has 589753 instructions with its functions in the "
            "places of their calls (at most 131072 are allowed).");
  // Too many for 64 bits.
  EXPECT_NE(check(doublings(63)).find("in the places of their calls"),
            std::string::npos);
}

TEST(KernelShape, RefusesDeepCallsAndRecursion) {
  ModuleWords deep;
  uint32_t id = addFunction(deep);
  for (int i = 1; i < 64; ++i)
    id = addFunction(deep, {id});
  deep.body.add(SpvOpFunctionCall, {deep.voidType, deep.id(), id});
  EXPECT_EQ(check(deep),
            "Kernel \"k\" calls functions in functions 65 deep (at "
            "most 64 are allowed).");
  ModuleWords recursive;
  uint32_t a = recursive.id(), b = recursive.id();
  addFunction(recursive, a, {b});
  addFunction(recursive, b, {a});
  EXPECT_EQ(check(recursive), "Kernel \"k\" has a function that calls itself.");
}

/// A variable of main, and one of a function that main calls `calls` times.
std::string checkVariables(uint32_t ofMain, uint32_t ofCallee, uint32_t calls) {
  ModuleWords m;
  auto makePointer = [&](uint32_t words) {
    uint32_t array = m.id(), pointer = m.id(), length = m.constant(words);
    m.types.add(SpvOpTypeArray, {array, m.u32, length});
    m.types.add(SpvOpTypePointer, {pointer, SpvStorageClassFunction, array});
    return pointer;
  };
  m.body.add(SpvOpVariable,
             {makePointer(ofMain), m.id(), SpvStorageClassFunction});
  uint32_t callee = m.id();
  m.functions.add(SpvOpFunction, {m.voidType, callee, 0, m.function});
  m.functions.add(SpvOpLabel, {m.id()});
  m.functions.add(SpvOpVariable,
                  {makePointer(ofCallee), m.id(), SpvStorageClassFunction});
  m.functions.add(SpvOpReturn, {});
  m.functions.add(SpvOpFunctionEnd, {});
  for (uint32_t i = 0; i < calls; ++i)
    m.body.add(SpvOpFunctionCall, {m.voidType, m.id(), callee});
  return check(m);
}

TEST(KernelShape, BoundsTheVariablesOfAnInvocation) {
  EXPECT_EQ(checkVariables(8192, 4096, 2), "");
  EXPECT_EQ(checkVariables(8193, 4096, 2),
            "Kernel \"k\" has 65540 bytes of variables for each invocation (at "
            "most 65536 are allowed).");
  EXPECT_EQ(checkVariables(1, 1u << 31, 4000)
                .find("Kernel \"k\" has 1099511627776 bytes of variables"),
            0u);
}

} // namespace
