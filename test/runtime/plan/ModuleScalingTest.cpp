//===- ModuleScalingTest.cpp - checking a module takes linear time --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that a module can repeat is repeated n and 4 n times. What is
// checked may be invalid: being refused must not take longer either. Where only
// a limit keeps the time linear, 4 n is above the limit, and a second test
// bounds the time of what is just below.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/KernelCheck.h"
#include "test/runtime/plan/ModuleWords.h"
#include "test/runtime/plan/Scaling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

using namespace vm;
using test::Measured;
using test::ModuleWords;
using test::Section;
using test::workDone;

namespace {

using Fill = std::function<void(ModuleWords &m, uint32_t n)>;

Measured measureModule(const Fill &fill, uint32_t n) {
  ModuleWords m;
  fill(m, n);
  Kernel kernel = m.kernel("k");
  double start = workDone();
  Status status = checkKernel(kernel);
  return {workDone() - start, status.message()};
}

/// A switch whose cases end at a block with a phi of all of them.
void switchOfCases(ModuleWords &m, uint32_t n) {
  uint32_t merge = m.id();
  std::vector<uint32_t> cases, phi;
  for (uint32_t i = 0; i < n; ++i)
    cases.insert(cases.end(), {i, m.id()});
  m.body.add(SpvOpSelectionMerge, {merge, 0});
  m.body.add(SpvOpSwitch, {m.one, merge}, cases);
  phi = {m.one, m.entry};
  for (uint32_t i = 0; i < n; ++i) {
    m.beginBlock(cases[2 * i + 1]);
    m.body.add(SpvOpBranch, {merge});
    phi.insert(phi.end(), {m.one, cases[2 * i + 1]});
  }
  m.beginBlock(merge);
  m.body.add(SpvOpPhi, {m.u32, m.id()}, phi);
}

/// Blocks that branch to any other: `target(i)`, or on.
void jumpAround(ModuleWords &m, uint32_t n, bool merges,
                const std::function<uint32_t(uint32_t)> &target) {
  std::vector<uint32_t> labels;
  for (uint32_t i = 0; i <= n; ++i)
    labels.push_back(m.id());
  m.body.add(SpvOpBranch, {labels[0]});
  for (uint32_t i = 0; i < n; ++i) {
    m.beginBlock(labels[i]);
    if (merges)
      m.body.add(SpvOpSelectionMerge, {labels[target(i) % (n + 1)], 0});
    m.body.add(SpvOpBranchConditional,
               {m.yes, labels[target(i) % (n + 1)], labels[i + 1]});
  }
  m.beginBlock(labels[n]);
}

/// Functions of `n` parameters, and a call of each.
void parameters(ModuleWords &m, uint32_t n) {
  uint32_t type = m.id(), id = m.id();
  m.types.add(SpvOpTypeFunction, {type, m.voidType},
              std::vector<uint32_t>(n, m.u32));
  m.functions.add(SpvOpFunction, {m.voidType, id, 0, type});
  for (uint32_t i = 0; i < n; ++i)
    m.functions.add(SpvOpFunctionParameter, {m.u32, m.id()});
  m.functions.add(SpvOpLabel, {m.id()});
  m.functions.add(SpvOpReturn, {});
  m.functions.add(SpvOpFunctionEnd, {});
  m.body.add(SpvOpFunctionCall, {m.voidType, m.id(), id},
             std::vector<uint32_t>(n, m.one));
}

/// `variables` storage buffers of one block with `members` members.
void buffers(ModuleWords &m, uint32_t variables, uint32_t members) {
  uint32_t block = m.id(), pointer = m.id();
  m.preamble.add(SpvOpExtension, {},
                 test::literal("SPV_KHR_storage_buffer_storage_class"));
  m.types.add(SpvOpTypeStruct, {block}, std::vector<uint32_t>(members, m.u32));
  m.types.add(SpvOpTypePointer, {pointer, SpvStorageClassStorageBuffer, block});
  m.marks.add(SpvOpDecorate, {block, SpvDecorationBlock});
  for (uint32_t i = 0; i < members; ++i) {
    m.marks.add(SpvOpMemberDecorate, {block, i, SpvDecorationOffset, 4 * i});
    m.marks.add(SpvOpMemberDecorate, {block, i, SpvDecorationNonWritable});
  }
  for (uint32_t i = 0; i < variables; ++i) {
    uint32_t variable = m.id();
    m.marks.add(SpvOpDecorate, {variable, SpvDecorationDescriptorSet, 0});
    m.marks.add(SpvOpDecorate, {variable, SpvDecorationBinding, 5 * i});
    m.types.add(SpvOpVariable,
                {pointer, variable, SpvStorageClassStorageBuffer});
  }
}

uint32_t addVariable(ModuleWords &m, uint32_t type, SpvStorageClass storage) {
  uint32_t pointer = m.id(), variable = m.id();
  m.types.add(SpvOpTypePointer, {pointer, uint32_t(storage), type});
  Section &section = storage == SpvStorageClassFunction ? m.body : m.types;
  section.add(SpvOpVariable, {pointer, variable, uint32_t(storage)});
  return variable;
}

/// Decorations of a group, for as many ids.
void groupDecorations(ModuleWords &m, uint32_t n) {
  uint32_t group = m.id();
  std::vector<uint32_t> targets;
  for (uint32_t i = 0; i < n; ++i)
    m.marks.add(SpvOpDecorate, {group, SpvDecorationBinding, i});
  for (uint32_t i = 0; i < n; ++i)
    targets.push_back(m.constant(i));
  m.marks.add(SpvOpDecorationGroup, {group});
  for (uint32_t i = 0; i < n; i += 1000)
    m.marks.add(SpvOpGroupDecorate, {group},
                {targets.begin() + i, targets.begin() + std::min(n, i + 1000)});
}

struct Case {
  const char *name;
  uint32_t n;
  Fill fill;
  uint32_t below = 0; ///< So many are just below a limit; 0 if there is none.
};

#define EACH(statement)                                                        \
  [](ModuleWords &m, uint32_t n) {                                             \
    for (uint32_t i = 0; i < n; ++i) {                                         \
      statement;                                                               \
    }                                                                          \
  }

const Case kModules[] = {
    {"additions", 8000, EACH(m.compute(SpvOpIAdd, {m.one, m.one}))},
    {"lines", 40000, EACH(m.body.add(SpvOpNoLine, {}))},
    {"undefined values", 8000, EACH(m.compute(SpvOpUndef, {}))},
    {"blocks", 4000,
     EACH(uint32_t next = m.id(); m.body.add(SpvOpBranch, {next});
          m.beginBlock(next)),
     4000},
    {"selections", 2000,
     [](ModuleWords &m, uint32_t n) { nestSelections(m, n, 1); }, 2000},
    {"nested selections", 2000,
     [](ModuleWords &m, uint32_t n) { nestSelections(m, n, 64); }, 2000},
    {"one nest of selections", 1000,
     [](ModuleWords &m, uint32_t n) { nestSelections(m, n, n); }},
    {"loops", 1000, [](ModuleWords &m, uint32_t n) { nestLoops(m, n, 1); },
     1000},
    {"nested loops", 1000,
     [](ModuleWords &m, uint32_t n) { nestLoops(m, n, 64); }, 1000},
    {"one nest of loops", 1000,
     [](ModuleWords &m, uint32_t n) { nestLoops(m, n, n); }},
    {"cases of a switch", 4000, switchOfCases, 4000},
    {"branches to the end", 2000,
     [](ModuleWords &m, uint32_t n) {
       jumpAround(m, n, false, [&](uint32_t) { return n; });
     },
     4000},
    {"branches to the mirrored place", 2000,
     [](ModuleWords &m, uint32_t n) {
       jumpAround(m, n, false, [&](uint32_t i) { return n - i; });
     },
     4000},
    {"branches back", 2000,
     [](ModuleWords &m, uint32_t n) {
       jumpAround(m, n, false, [&](uint32_t i) { return i / 2; });
     },
     4000},
    {"merges at the end", 2000,
     [](ModuleWords &m, uint32_t n) {
       jumpAround(m, n, true, [&](uint32_t) { return n; });
     }},
    {"merges at the mirrored place", 2000,
     [](ModuleWords &m, uint32_t n) {
       jumpAround(m, n, true, [&](uint32_t i) { return n - i; });
     }},
    {"merges ahead", 2000,
     [](ModuleWords &m, uint32_t n) {
       jumpAround(m, n, true, [&](uint32_t i) { return i + n / 2; });
     }},
    {"functions", 250, EACH(addFunction(m)), 1000},
    {"calls", 8000,
     [](ModuleWords &m, uint32_t n) {
       uint32_t callee = addFunction(m);
       for (uint32_t i = 0; i < n; ++i)
         m.body.add(SpvOpFunctionCall, {m.voidType, m.id(), callee});
     }},
    {"parameters", 4000, parameters},
    {"types", 8000, EACH(m.types.add(SpvOpTypeArray, {m.id(), m.u32, m.one})),
     1000},
    {"nested types", 8000,
     [](ModuleWords &m, uint32_t n) {
       for (uint32_t i = 0, type = m.u32; i < n; ++i) {
         uint32_t outer = m.id();
         m.types.add(SpvOpTypeArray, {outer, i % 60 ? type : m.u32, m.one});
         type = outer;
       }
     },
     1000},
    {"members", 4000, [](ModuleWords &m, uint32_t n) { buffers(m, 1, n); }},
    {"buffers", 4000, [](ModuleWords &m, uint32_t n) { buffers(m, n, 1); },
     500},
    {"buffers of members", 1000,
     [](ModuleWords &m, uint32_t n) { buffers(m, n, n); }, 500},
    {"constants", 16000, EACH(m.constant(i))},
    {"constituents", 8000,
     [](ModuleWords &m, uint32_t n) {
       uint32_t type = m.id(), count = m.constant(n);
       m.types.add(SpvOpTypeArray, {type, m.u32, count});
       m.types.add(SpvOpConstantComposite, {type, m.id()},
                   std::vector<uint32_t>(n, m.one));
     }},
    {"decorations of one", 8000,
     EACH(m.marks.add(SpvOpDecorate, {m.one, SpvDecorationBinding, i}))},
    {"decorations of each", 8000,
     EACH(m.marks.add(SpvOpDecorate,
                      {m.constant(i), SpvDecorationRelaxedPrecision}))},
    {"decorations of a group", 1000, groupDecorations},
    {"names", 8000, EACH(m.debug.add(SpvOpName, {m.one}, test::literal("a")))},
    {"strings", 8000,
     EACH(m.debug.add(SpvOpString, {m.id()}, test::literal("a")))},
    {"extensions", 8000,
     EACH(m.preamble.add(SpvOpExtension, {},
                         test::literal("SPV_KHR_8bit_storage")))},
    {"capabilities", 16000,
     EACH(m.preamble.add(SpvOpCapability, {SpvCapabilityShader}))},
    {"imports", 4000,
     EACH(m.preamble.add(SpvOpExtInstImport, {m.id()},
                         test::literal("GLSL.std.450")))},
    {"execution modes", 8000,
     EACH(m.modes.add(SpvOpExecutionMode,
                      {m.main, SpvExecutionModeLocalSize, 1, 1, 1}))},
    {"entry points", 2000,
     EACH(m.modes.add(SpvOpEntryPoint, {SpvExecutionModelGLCompute, m.main},
                      test::literal("a")))},
    {"interface", 8000,
     EACH(
         m.interface.push_back(addVariable(m, m.u32, SpvStorageClassPrivate)))},
    {"interface of one", 16000, EACH(m.interface.push_back(m.one))},
    {"workgroup variables", 4000,
     EACH(addVariable(m, m.u32, SpvStorageClassWorkgroup)), 1000},
    {"private variables", 3000,
     EACH(addVariable(m, m.u32, SpvStorageClassPrivate)), 1000},
    {"variables of one type", 4000,
     [](ModuleWords &m, uint32_t n) {
       uint32_t pointer = m.id();
       m.types.add(SpvOpTypePointer, {pointer, SpvStorageClassPrivate, m.u32});
       for (uint32_t i = 0; i < n; ++i)
         m.types.add(SpvOpVariable, {pointer, m.id(), SpvStorageClassPrivate});
     }},
    {"variables of a function", 3000,
     EACH(addVariable(m, m.u32, SpvStorageClassFunction)), 1000},
};

TEST(ModuleScaling, ChecksTakeLinearTime) {
  for (const Case &c : kModules)
    EXPECT_EQ(test::findSuperlinear(
                  [&](uint32_t n) { return measureModule(c.fill, n); }, c.n),
              "")
        << c.name;
}

/// What is just below a limit takes 0.3 s on an idle machine; a limit four
/// times as high would let through what takes 5 s. The shortest of a few tries
/// counts, since other work on the machine makes each longer. Time, since what
/// is not linear is in libraries, whose work is not counted.
TEST(ModuleScaling, LimitsBoundWhatIsNotLinear) {
  constexpr double kMost = 4;
  for (const Case &c : kModules) {
    if (c.below == 0)
      continue;
    double seconds = kMost;
    std::string note;
    for (int tries = 0; tries < 4 && seconds >= kMost; ++tries) {
      double start = test::cpuSeconds();
      note = measureModule(c.fill, c.below).note;
      seconds = test::cpuSeconds() - start;
    }
    EXPECT_LT(seconds, kMost) << c.name << ": " << note;
    EXPECT_EQ(note.find("more than"), std::string::npos)
        << c.name << " is above a limit: " << note;
  }
}

} // namespace
