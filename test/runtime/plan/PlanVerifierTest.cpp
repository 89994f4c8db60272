//===- PlanVerifierTest.cpp - every structural rule of a plan -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each case breaks one thing in a valid plan and expects one sentence. The
// rules that a file can break are tried again in HostilePlanTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/PlanVerifier.h"

#include "runtime/plan/Limits.h"
#include "test/runtime/plan/TestPlans.h"

#include <gtest/gtest.h>

#include <functional>

using namespace vm;
using vm::test::op;

namespace {

/// The message for the sample plan after `change`.
std::string broken(const std::function<void(Plan &)> &change) {
  Plan plan = test::makeSamplePlan();
  change(plan);
  Status status = verifyPlan(plan);
  EXPECT_EQ(status.code(), Code::BadInput);
  return status.message();
}

TEST(PlanVerifier, AcceptsValidPlans) {
  EXPECT_EQ(verifyPlan(test::makeSamplePlan()).message(), "");
  EXPECT_EQ(verifyPlan(test::makeEmptyPlan()).message(), "");
}

TEST(PlanVerifier, Names) {
  EXPECT_EQ(broken([](Plan &p) { p.program = ""; }),
            "The name of the program is empty.");
  EXPECT_EQ(broken([](Plan &p) { p.program.assign(1025, 'a'); }),
            "The name of the program is 1025 bytes long (at most 1024 are "
            "allowed).");
  const std::string bad =
      "The name of the program holds a control character or is not UTF-8.";
  for (const char *name :
       {"a\nb", "a\x7f", "\x80", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80",
        "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF8", "\xE2\x82", "\xC3",
        // U+0080, U+009B (a terminal's CSI), U+061C, U+200F, U+2028, U+202E,
        // U+2066
        "\xC2\x80", "\xC2\x9B", "\xD8\x9C", "\xE2\x80\x8F", "\xE2\x80\xA8",
        "\xE2\x80\xAE", "\xE2\x81\xA6"})
    EXPECT_EQ(broken([&](Plan &p) { p.program = name; }), bad) << name;
  for (const char *name :
       {"q6", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
    Plan plan = test::makeSamplePlan();
    plan.program = name;
    EXPECT_TRUE(verifyPlan(plan).ok()) << name;
  }
}

TEST(PlanVerifier, NamesAreUnique) {
  EXPECT_EQ(broken([](Plan &p) { p.inputs[1].name = p.inputs[0].name; }),
            "Two inputs have the name \"x\".");
  EXPECT_EQ(broken([](Plan &p) { p.outputs.push_back(p.outputs[0]); }),
            "Two outputs have the name \"z\".");
  EXPECT_EQ(broken([](Plan &p) { p.symbols.push_back(p.symbols[0]); }),
            "Two symbols have the name \"total\".");
  EXPECT_EQ(broken([](Plan &p) { p.registers[1].name = "scale.out"; }),
            "Two registers have the name \"scale.out\".");
  EXPECT_EQ(broken([](Plan &p) { p.kernels[1].name = p.kernels[0].name; }),
            "Two kernels have the name \"scale\".");
  EXPECT_EQ(broken([](Plan &p) { p.stages[1].name = p.stages[0].name; }),
            "Two stages have the name \"first\".");
}

TEST(PlanVerifier, InvalidEnumerators) {
  EXPECT_EQ(broken([](Plan &p) { p.inputs[0].window.region = Region(9); }),
            "Input \"x\" lies in region 9 (there are 5).");
  EXPECT_EQ(broken([](Plan &p) { p.inputs[0].dtype = DType(77); }),
            "Input \"x\" has an unknown element type (77).");
  EXPECT_EQ(broken([](Plan &p) { p.inputs[0].residency = Residency(3); }),
            "Input \"x\" has an unknown residency (3).");
  EXPECT_EQ(broken([](Plan &p) { p.kernels[0].features = {Feature(99)}; }),
            "Kernel \"scale\" needs an unknown feature (99).");
  EXPECT_EQ(broken([](Plan &p) {
              op<Barrier>(p, 2).reasons[0].kind = HazardKind(5);
            }),
            "Reason 0 of barrier 2 has an unknown kind (5).");
}

TEST(PlanVerifier, Windows) {
  EXPECT_EQ(broken([](Plan &p) { p.outputs[0].window.length = 0; }),
            "Output \"z\" is empty (0 bytes at byte 512 of region registers).");
  EXPECT_EQ(broken([](Plan &p) { p.outputs[0].window.offset = 513; }),
            "Output \"z\" starts at byte 513 of region registers (a multiple "
            "of 256 is needed).");
  EXPECT_EQ(broken([](Plan &p) { p.outputs[0].window.length = 3585; }),
            "Output \"z\" ends at byte 4097 past the end of region registers "
            "(4096 bytes).");
  EXPECT_EQ(broken([](Plan &p) { p.outputs[0].window.length = UINT64_MAX; }),
            "Output \"z\" starts at byte 512 of region registers and its "
            "length (18446744073709551615 bytes) overflows 64 bits.");
}

TEST(PlanVerifier, Tensors) {
  EXPECT_EQ(broken([](Plan &p) { p.inputs[0].shape = {65}; }),
            "Input \"x\" (65xi32) needs 260 bytes and its window has 256.");
  EXPECT_EQ(broken([](Plan &p) { p.inputs[0].shape = {4, -1}; }),
            "Input \"x\" has dimension 1 of size -1 (at least 0 is needed).");
  EXPECT_EQ(
      broken([](Plan &p) { p.symbols[0].shape = {0}; }),
      "Symbol \"total\" has dimension 0 of size 0 (at least 1 is needed).");
  EXPECT_EQ(broken([](Plan &p) { p.inputs[0].shape.assign(33, 1); }),
            "Input \"x\" has 33 dimensions (at most 32 are allowed).");
  EXPECT_EQ(broken([](Plan &p) { p.inputs[0].shape = {INT64_MAX, 4}; }),
            "Input \"x\" (9223372036854775807x4xi32) has a size that overflows "
            "64 bits.");
}

TEST(PlanVerifier, Inputs) {
  EXPECT_EQ(
      broken([](Plan &p) { p.inputs[1].residency = Residency::Execution; }),
      "Input \"weights\" lies in region heap and is copied in every "
      "execution (heap is immutable: residency load is needed).");
  EXPECT_EQ(
      broken([](Plan &p) { p.inputs[1].window = {Region::Registers, 0, 64}; }),
      "Input \"weights\" overlaps input \"x\" at byte 0 of region "
      "registers.");
}

TEST(PlanVerifier, Registers) {
  EXPECT_EQ(broken([](Plan &p) { p.registers[0].instance = 2; }),
            "Register \"scale.out\" belongs to instance 2 (the plan has 2).");
  EXPECT_EQ(broken([](Plan &p) { p.registers[0].reg = 1 << 20; }),
            "Register \"scale.out\" is R1048576 (the last one there may be is "
            "R1048575).");
  EXPECT_EQ(broken([](Plan &p) {
              p.registers[0].window.region = Region::Globals;
              p.registers[0].window.offset = 0;
            }),
            "Register \"scale.out\" lies in region globals (registers is "
            "needed).");
  EXPECT_EQ(broken([](Plan &p) {
              p.registers[1].instance = 0;
              p.registers[1].reg = 30;
            }),
            "Register \"again.out\" is the second R30 of instance 0.");
}

TEST(PlanVerifier, Stages) {
  EXPECT_EQ(broken([](Plan &p) { p.stages[1].instance = 7; }),
            "Stage \"second\" is instance 7 (the plan has 2).");
  EXPECT_EQ(broken([](Plan &p) { p.stages[0].kernels = {2}; }),
            "Stage \"first\" uses kernel 2 (the plan has 2).");
  EXPECT_EQ(broken([](Plan &p) { p.stages[0].location += "\t"; }),
            "The location of stage \"first\" holds a control character or is "
            "not UTF-8.");
}

TEST(PlanVerifier, Kernels) {
  EXPECT_EQ(broken([](Plan &p) { p.kernels[0].entryPoint = ""; }),
            "The entry point of kernel \"scale\" is empty.");
  EXPECT_EQ(broken([](Plan &p) { p.kernels[0].localSize[1] = 0; }),
            "Kernel \"scale\" has local size 0 along axis 1 (1 to 1024 are "
            "allowed).");
  EXPECT_EQ(broken([](Plan &p) { p.kernels[0].localSize = {64, 17, 1}; }),
            "Kernel \"scale\" has 1088 invocations per workgroup (at most 1024 "
            "are allowed).");
  EXPECT_EQ(broken([](Plan &p) {
              p.kernels[0].features = {Feature::Int64, Feature::Int8};
            }),
            "The features of kernel \"scale\" are not sorted and unique "
            "(\"int8\" follows \"int64\").");
  EXPECT_EQ(broken([](Plan &p) { p.kernels[0].spirv.clear(); }),
            "The SPIR-V of kernel \"scale\" has 0 bytes (1 to 4194304 are "
            "allowed).");
}

/// The sample plan with a variant of kernel "scale" at its end.
Plan withVariant() {
  Plan plan = test::makeSamplePlan();
  Kernel variant = plan.kernels[0];
  variant.name = "fast";
  plan.kernels[0].variants = {2};
  plan.kernels.push_back(variant);
  return plan;
}

TEST(PlanVerifier, Variants) {
  EXPECT_EQ(verifyPlan(withVariant()).message(), "");
  auto brokenVariant = [](const std::function<void(Plan &)> &change) {
    Plan plan = withVariant();
    change(plan);
    return verifyPlan(plan).message();
  };
  EXPECT_EQ(brokenVariant([](Plan &p) { p.kernels[0].variants = {3}; }),
            "Kernel \"scale\" names the variant 3 (the plan has 3 kernels).");
  EXPECT_EQ(brokenVariant([](Plan &p) { p.kernels[0].variants = {1}; }),
            "Kernel \"scale\" has the variant \"sum\", which is not one of the "
            "last 1 kernels or is a variant already.");
  EXPECT_EQ(brokenVariant([](Plan &p) { p.kernels[0].variants = {2, 2}; }),
            "Kernel \"scale\" has the variant \"fast\", which is not one of "
            "the last 2 kernels or is a variant already.");
  EXPECT_EQ(
      brokenVariant([](Plan &p) { p.kernels[2].bindings[0].writes = true; }),
      "");
  EXPECT_EQ(brokenVariant([](Plan &p) {
              p.kernels[2].bindings.push_back({10, true, true});
            }),
            "Command 1 binds 2 windows (kernel \"scale\" has 3 bindings).");
  EXPECT_EQ(brokenVariant([](Plan &p) { p.kernels[2].bindings.pop_back(); }),
            "");
  EXPECT_EQ(brokenVariant([](Plan &p) {
              p.kernels[2].variants = {3};
              p.kernels.push_back(p.kernels[2]);
              p.kernels[3].name = "faster";
            }),
            "Kernel \"scale\" has the variant \"fast\", which has variants of "
            "its own.");
  EXPECT_EQ(brokenVariant([](Plan &p) {
              for (Command &command : p.commands)
                if (auto *dispatch = std::get_if<Dispatch>(&command.op);
                    dispatch && dispatch->kernel == 0)
                  dispatch->kernel = 2;
            }),
            "Command 1 dispatches a variant of a kernel (the device decides "
            "whether it runs).");
  EXPECT_EQ(brokenVariant([](Plan &p) { p.stages[0].kernels = {2}; }),
            "Stage \"first\" names a variant of a kernel.");
}

TEST(PlanVerifier, Unfinished) {
  // Binding 0 of "scale" is read, binding 5 written.
  Plan plan = test::makeSamplePlan();
  plan.kernels[0].unfinished = 5;
  EXPECT_EQ(verifyPlan(plan).message(), "");
  for (uint32_t binding : {0u, 10u})
    EXPECT_EQ(broken([&](Plan &p) { p.kernels[0].unfinished = binding; }),
              "Kernel \"scale\" says in binding " + std::to_string(binding) +
                  " whether a loop is unfinished, and does not write such a "
                  "binding.");
  EXPECT_EQ(
      broken([](Plan &p) {
        p.kernels[0].unfinished = 5;
        op<Dispatch>(p, 1).windows[1].window.length = 3;
      }),
      "Window 1 of command 1 has 3 bytes (kernel \"scale\" says in a word "
      "there whether a loop is unfinished).");
}

TEST(PlanVerifier, Bindings) {
  EXPECT_EQ(broken([](Plan &p) { p.kernels[0].bindings[1].binding = 0; }),
            "The bindings of kernel \"scale\" are not sorted and unique (0 "
            "follows 0).");
  EXPECT_EQ(broken([](Plan &p) { p.kernels[0].bindings[1].binding = 10; }),
            "Kernel \"scale\" binds window 2 of region registers at binding 10 "
            "(window 1 is next, at binding 5).");
  EXPECT_EQ(broken([](Plan &p) { p.kernels[1].bindings[2].writes = true; }),
            "Kernel \"sum\" writes binding 4 of region heap (heap is "
            "immutable).");
  EXPECT_EQ(
      broken([](Plan &p) { p.kernels[0].bindings.assign(257, Binding()); }),
      "The number of bindings of kernel \"scale\" (257) exceeds the "
      "limit (256).");
}

TEST(PlanVerifier, Data) {
  EXPECT_EQ(broken([](Plan &p) { p.initialData[1].offset = 128; }),
            "Data chunk 1 starts at byte 128 of region heap (a multiple of 256 "
            "is needed).");
  EXPECT_EQ(broken([](Plan &p) { p.initialData[1].bytes.clear(); }),
            "Data chunk 1 is empty (0 bytes at byte 256 of region heap).");
  EXPECT_EQ(broken([](Plan &p) { p.initialData[1].bytes.resize(2000); }),
            "Data chunk 1 ends at byte 2256 past the end of region heap (1024 "
            "bytes).");
  EXPECT_EQ(broken([](Plan &p) { p.initialData.push_back(p.initialData[1]); }),
            "Data chunk 2 overlaps data chunk 1 at byte 256 of region heap.");
  EXPECT_EQ(
      broken([](Plan &p) { std::swap(p.initialData[0], p.initialData[1]); }),
      "Data chunk 1 comes before data chunk 0 in memory (chunks are "
      "sorted by region and offset).");
}

TEST(PlanVerifier, Dispatches) {
  EXPECT_EQ(broken([](Plan &p) { op<Dispatch>(p, 1).kernel = 9; }),
            "Command 1 dispatches kernel 9 (the plan has 2).");
  EXPECT_EQ(broken([](Plan &p) { op<Dispatch>(p, 1).windows.pop_back(); }),
            "Command 1 binds 1 windows (kernel \"scale\" has 2 bindings).");
  EXPECT_EQ(broken([](Plan &p) { op<Dispatch>(p, 1).windows[1].binding = 3; }),
            "Window 1 of command 1 has binding 3 (binding 5 of kernel "
            "\"scale\" is next).");
  EXPECT_EQ(broken([](Plan &p) {
              op<Dispatch>(p, 1).windows[1].window = {Region::Globals, 0, 256};
            }),
            "Window 1 of command 1 lies in region globals (binding 5 belongs "
            "to region registers).");
  EXPECT_EQ(broken([](Plan &p) {
              op<Dispatch>(p, 1).windows[1].window.offset = 4096;
            }),
            "Window 1 of command 1 ends at byte 4352 past the end of region "
            "registers (4096 bytes).");
  EXPECT_EQ(broken([](Plan &p) { op<Dispatch>(p, 1).groups[2] = 0; }),
            "Command 1 has 0 workgroups along axis 2 (1 to 65535 are "
            "allowed).");
  EXPECT_EQ(broken([](Plan &p) { op<Dispatch>(p, 1).groups[0] = 65536; }),
            "Command 1 has 65536 workgroups along axis 0 (1 to 65535 are "
            "allowed).");
  EXPECT_EQ(broken([](Plan &p) {
              op<Dispatch>(p, 1).windows[1].window.offset = 0;
              op<Dispatch>(p, 1).windows[1].window.length = 512;
            }),
            "Windows 0 and 1 of command 1 overlap in part and kernel \"scale\" "
            "writes one of them.");
}

TEST(PlanVerifier, WindowsMayAliasForAnUpdateInPlace) {
  Plan plan = test::makeSamplePlan();
  op<Dispatch>(plan, 1).windows[1].window =
      op<Dispatch>(plan, 1).windows[0].window;
  EXPECT_EQ(verifyPlan(plan).message(), "");
}

TEST(PlanVerifier, IndirectDispatches) {
  EXPECT_EQ(
      broken([](Plan &p) { op<DispatchIndirect>(p, 4).controlOffset = 2; }),
      "The triplet of command 4 starts at byte 2 of region control (a "
      "multiple of 4 is needed).");
  EXPECT_EQ(
      broken([](Plan &p) { op<DispatchIndirect>(p, 4).controlOffset = 248; }),
      "The triplet of command 4 ends at byte 260 past the end of region "
      "control (256 bytes).");
  EXPECT_EQ(broken([](Plan &p) { op<DispatchIndirect>(p, 4).kernel = 2; }),
            "Command 4 dispatches kernel 2 (the plan has 2).");
}

TEST(PlanVerifier, Barriers) {
  EXPECT_EQ(broken([](Plan &p) { op<Barrier>(p, 2).reasons[0].first = 2; }),
            "Reason 0 of barrier 2 begins at command 2 (0 to 1 come before "
            "it).");
  EXPECT_EQ(broken([](Plan &p) { op<Barrier>(p, 2).reasons[1].second = 2; }),
            "Reason 1 of barrier 2 ends at command 2 (3 to 6 come after it).");
  EXPECT_EQ(broken([](Plan &p) { op<Barrier>(p, 2).reasons[1].second = 7; }),
            "Reason 1 of barrier 2 ends at command 7 (3 to 6 come after it).");
  EXPECT_EQ(broken([](Plan &p) { op<Barrier>(p, 2).reasons[1].second = 5; }),
            "Reason 1 of barrier 2 names command 5, which touches nothing.");
  EXPECT_EQ(broken([](Plan &p) {
              op<Barrier>(p, 2).reasons[1].window.length = 4000;
            }),
            "Reason 1 of barrier 2 ends at byte 4256 past the end of region "
            "registers (4096 bytes).");
}

TEST(PlanVerifier, Clocks) {
  auto withClock = [](Window window) {
    Plan plan = test::makeSamplePlan();
    plan.commands.push_back({Clock{window}});
    return verifyPlan(plan).message();
  };
  EXPECT_EQ(withClock({Region::Registers, 256, 24}), "");
  EXPECT_EQ(withClock({Region::Registers, 256, 32}),
            "Command 7 reads the clock to a window of 32 bytes (24 are "
            "needed).");
  EXPECT_EQ(withClock({Region::Heap, 256, 24}),
            "Command 7 writes region heap (heap is immutable).");
  EXPECT_EQ(withClock({Region::Metrics, 256, 24}),
            "The window of command 7 ends at byte 280 past the end of region "
            "metrics (256 bytes).");
}

TEST(PlanVerifier, ReasonsInARepeat) {
  auto withRepeat = [](uint32_t first, uint32_t second) {
    Plan plan = test::makeSamplePlan();
    Window all = {Region::Registers, 0, 256};
    plan.commands.resize(2);
    plan.commands.push_back({Repeat{3, 4}});
    plan.commands.push_back(
        {Barrier{{{HazardKind::WriteAfterWrite, first, second, all}}}});
    plan.commands.push_back(plan.commands[0]);
    plan.commands.push_back(plan.commands[0]);
    return verifyPlan(plan).message();
  };
  EXPECT_EQ(withRepeat(5, 4), "");
  EXPECT_EQ(withRepeat(4, 4), "");
  EXPECT_EQ(withRepeat(1, 4), "");
  EXPECT_EQ(withRepeat(1, 2), "Reason 0 of barrier 3 ends at command 2 (4 to "
                              "5 come after it).");
  EXPECT_EQ(withRepeat(2, 4), "Reason 0 of barrier 3 names command 2, which "
                              "touches nothing.");
  EXPECT_EQ(withRepeat(3, 4), "Reason 0 of barrier 3 begins at command 3 (0 "
                              "to 2 come before it).");
}

TEST(PlanVerifier, CopiesAndFills) {
  EXPECT_EQ(broken([](Plan &p) { op<Copy>(p, 6).source.length = 128; }),
            "Command 6 copies 128 bytes to a window of 256 bytes.");
  EXPECT_EQ(broken([](Plan &p) { op<Copy>(p, 6).source.length = 127; }),
            "The source of command 6 has 127 bytes (a multiple of 4 is "
            "needed).");
  EXPECT_EQ(broken([](Plan &p) { op<Copy>(p, 6).source.offset = 4; }),
            "The source of command 6 starts at byte 4 of region registers (a "
            "multiple of 256 is needed).");
  EXPECT_EQ(broken([](Plan &p) {
              op<Copy>(p, 6).source = op<Copy>(p, 6).destination;
            }),
            "The source and the destination of command 6 overlap at byte 0 of "
            "region globals.");
  EXPECT_EQ(
      broken([](Plan &p) { op<Copy>(p, 6).destination.region = Region::Heap; }),
      "Command 6 writes region heap (heap is immutable).");
  EXPECT_EQ(broken([](Plan &p) { op<Fill>(p, 0).window.length = 6; }),
            "The window of command 0 has 6 bytes (a multiple of 4 is needed).");
  EXPECT_EQ(
      broken([](Plan &p) { op<Fill>(p, 0).window.region = Region::Heap; }),
      "Command 0 writes region heap (heap is immutable).");
}

TEST(PlanVerifier, Limits) {
  EXPECT_EQ(
      broken([](Plan &p) { p.regionBytes[3] = limits::kMaxRegionBytes + 1; }),
      "Region control has 281474976710657 bytes (at most 281474976710656 "
      "are allowed).");
  EXPECT_EQ(broken([](Plan &p) { p.instances = 1048577; }),
            "The number of instances (1048577) exceeds the limit (1048576).");
  EXPECT_EQ(broken([](Plan &p) { p.commands.resize(1048577, p.commands[0]); }),
            "The number of commands (1048577) exceeds the limit (1048576).");
  EXPECT_EQ(broken([](Plan &p) { p.kernels.resize(16385, p.kernels[0]); }),
            "The number of kernels (16385) exceeds the limit (16384).");
  EXPECT_EQ(
      broken([](Plan &p) { p.initialData.resize(65537, p.initialData[0]); }),
      "The number of data chunks (65537) exceeds the limit (65536).");
}

TEST(PlanVerifier, Modules) {
  EXPECT_EQ(broken([](Plan &p) {
              p.module.assign(limits::kMaxModuleBytes + 1, 'a');
            }),
            "The module has 67108865 bytes (at most 67108864 are allowed).");
  for (std::string text :
       {std::string("a\0b", 3), std::string("a\n\x1b[2J\n"),
        std::string("a\r\n"), std::string("\xC3"), std::string("a\n\x80"),
        std::string("\xE2\x80\xAE\n")})
    EXPECT_EQ(broken([&](Plan &p) { p.module = text; }),
              "The module holds a control character or is not UTF-8.")
        << text;
  for (const char *text : {"\n", "\t", "a", "a\n\n\tb\n", "\xE2\x82\xAC"}) {
    Plan plan = test::makeSamplePlan();
    plan.module = text;
    EXPECT_EQ(verifyPlan(plan).message(), "") << text;
  }
}

} // namespace
