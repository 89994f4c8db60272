//===- BoundedKernelTest.cpp - what is bounded in a kernel, and how -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every module that is made here is validated before and after.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/BoundedKernel.h"
#include "runtime/plan/SpirvDefinitions.h"
#include "runtime/plan/SpirvTools.h"

#include "test/runtime/plan/TestKernels.h"

#include <spirv_cross/GLSL.std.450.h>
#include <spirv_cross/spirv.h>

#include <gtest/gtest.h>

#include <map>

using namespace vm;

namespace {

/// Types, constants and variables that the bodies below use.
const char *const kTypes = "%i32 = OpTypeInt 32 1\n"
                           "%u64 = OpTypeInt 64 0\n"
                           "%i16 = OpTypeInt 16 1\n"
                           "%u16 = OpTypeInt 16 0\n"
                           "%f32 = OpTypeFloat 32\n"
                           "%v4 = OpTypeVector %u32 4\n"
                           "%v3 = OpTypeVector %f32 3\n"
                           "%m23 = OpTypeMatrix %v3 2\n"
                           "%five = OpConstant %u32 5\n"
                           "%sixteen = OpConstant %u32 16\n"
                           "%minus = OpConstant %i32 -1\n"
                           "%a16 = OpTypeArray %u32 %sixteen\n"
                           "%a5x16 = OpTypeArray %a16 %five\n"
                           "%v4x5 = OpTypeArray %v4 %five\n"
                           "%s = OpTypeStruct %u32 %m23 %v4x5\n"
                           "%shared16 = OpTypePointer Workgroup %a16\n"
                           "%shared5x16 = OpTypePointer Workgroup %a5x16\n"
                           "%sharedS = OpTypePointer Workgroup %s\n"
                           "%sharedWord = OpTypePointer Workgroup %u32\n"
                           "%sharedFloat = OpTypePointer Workgroup %f32\n"
                           "%privateS = OpTypePointer Private %s\n"
                           "%privateWord = OpTypePointer Private %u32\n"
                           "%functionWord = OpTypePointer Function %u32\n"
                           "%function16 = OpTypePointer Function %a16\n"
                           "%takes16 = OpTypeFunction %void %shared16 %u32\n"
                           "%functionV4 = OpTypePointer Function %v4\n"
                           "%three = OpConstant %u32 3\n"
                           "%bool = OpTypeBool\n"
                           "%yes = OpConstantTrue %bool\n"
                           "%fiveSigned = OpConstant %i32 5\n"
                           "%inputV3 = OpTypePointer Input %v3u\n"
                           "%inputWord = OpTypePointer Input %u32\n"
                           "%lane = OpVariable %inputV3 Input\n"
                           "%w16 = OpVariable %shared16 Workgroup\n"
                           "%w5x16 = OpVariable %shared5x16 Workgroup\n"
                           "%ws = OpVariable %sharedS Workgroup\n"
                           "%ps = OpVariable %privateS Private\n";

struct Facts {
  std::vector<uint64_t> bounds; ///< The constants of UMin, in order.
  size_t undefined = 0, withoutInitializer = 0, conversions = 0;
};

class BoundedKernelTest : public testing::Test {
protected:
  static Kernel makeKernel(const std::string &body,
                           const std::string &variables = "",
                           const std::string &functions = "",
                           const std::string &types = "") {
    test::TestKernel test;
    test.buffers = {{0, true, true}};
    test.capabilities = "OpCapability Int64\nOpCapability Int16\n";
    test.decorations = "OpDecorate %lane BuiltIn LocalInvocationId\n";
    test.types = "%v3u = OpTypeVector %u32 3\n" + std::string(kTypes) + types;
    test.body = "%any = OpBitwiseXor %u32 %v0 %one\n" + body;
    std::string text = test::assemblyOf(test);
    std::string main = "GLCompute %main \"main\"";
    text.replace(text.find(main), main.size(), main + " %lane");
    text.insert(text.find("%entry = OpLabel\n") + 17, variables);
    text += functions;
    Kernel kernel = test::makeKernel("k", test::copyKernel());
    kernel.spirv = test::assemble(text, test.environment);
    EXPECT_EQ(problemOf(kernel.spirv), "") << text;
    return kernel;
  }

  static std::string problemOf(const std::vector<uint32_t> &spirv) {
    SpirvContext context(SPV_ENV_VULKAN_1_3);
    SpirvDiagnostic diagnostic;
    spv_const_binary_t binary = {spirv.data(), spirv.size()};
    return spvValidate(context.get(), &binary, diagnostic.out()) == SPV_SUCCESS
               ? ""
               : diagnostic.firstLine();
  }

  static Facts factsOf(const std::vector<uint32_t> &spirv) {
    Facts facts;
    SpirvDefinitions definitions(spirv);
    forEachSpirvInstruction(spirv, [&](uint16_t opcode, SpirvWords words) {
      if (opcode == SpvOpExtInst && words[4] == GLSLstd450UMin)
        facts.bounds.push_back(definitions.constant(words[6]).value_or(999));
      facts.undefined += opcode == SpvOpUndef;
      facts.conversions += opcode == SpvOpUConvert || opcode == SpvOpSConvert;
      facts.withoutInitializer += opcode == SpvOpVariable &&
                                  words.size() == 4 &&
                                  words[3] != SpvStorageClassInput &&
                                  words[3] != SpvStorageClassStorageBuffer;
    });
    return facts;
  }

  /// What is in the kernel of `body` when it is bounded and cleared.
  static Facts bound(const std::string &body, const std::string &variables = "",
                     const std::string &functions = "") {
    auto words = boundKernel(makeKernel(body, variables, functions));
    EXPECT_TRUE(words.ok()) << words.status().message();
    if (!words.ok())
      return {};
    EXPECT_EQ(problemOf(*words), "") << body;
    std::vector<uint32_t> cleared = withClearedWorkgroup(*words);
    EXPECT_EQ(problemOf(cleared), "") << body;
    return factsOf(cleared);
  }

  static std::string messageOf(const std::string &body,
                               const std::string &variables = "",
                               const std::string &functions = "") {
    return boundKernel(makeKernel(body, variables, functions))
        .status()
        .message();
  }
};

using Bounds = std::vector<uint64_t>;

TEST_F(BoundedKernelTest, BoundsEveryLevelOfAChain) {
  EXPECT_EQ(bound("%p = OpAccessChain %sharedWord %w16 %any\n").bounds,
            (Bounds{15}));
  EXPECT_EQ(
      bound("%p = OpInBoundsAccessChain %sharedWord %w5x16 %any %any\n").bounds,
      (Bounds{4, 15}));
  EXPECT_EQ(
      bound("%p = OpAccessChain %sharedFloat %ws %one %any %any\n").bounds,
      (Bounds{1, 2}))
      << "a matrix in a struct";
  EXPECT_EQ(bound("%two = OpIAdd %u32 %one %one\n"
                  "%p = OpAccessChain %shared16 %w5x16 %any\n"
                  "%q = OpAccessChain %sharedWord %p %any\n")
                .bounds,
            (Bounds{4, 15}))
      << "a chain of a chain";
  EXPECT_EQ(bound("%p = OpAccessChain %functionWord %f16 %any\n",
                  "%f16 = OpVariable %function16 Function\n")
                .bounds,
            (Bounds{15}));
  EXPECT_EQ(bound("%x = OpLoad %v4 %vp\n"
                  "%y = OpVectorExtractDynamic %u32 %x %any\n"
                  "%z = OpVectorInsertDynamic %v4 %x %one %any\n",
                  "%vp = OpVariable %functionV4 Function\n")
                .bounds,
            (Bounds{3, 3}));
}

TEST_F(BoundedKernelTest, BoundsPointersThatFunctionsGet) {
  EXPECT_EQ(bound("%r = OpFunctionCall %void %callee %w16 %any\n", "",
                  "%callee = OpFunction %void None %takes16\n"
                  "%array16 = OpFunctionParameter %shared16\n"
                  "%index = OpFunctionParameter %u32\n"
                  "%begin = OpLabel\n"
                  "%own = OpVariable %functionV4 Function\n"
                  "%p = OpAccessChain %sharedWord %array16 %index\n"
                  "%q = OpAccessChain %functionWord %own %index\n"
                  "OpReturn\nOpFunctionEnd\n")
                .bounds,
            (Bounds{15, 3}));
}

TEST_F(BoundedKernelTest, LeavesStorageBuffersToTheDevice) {
  EXPECT_TRUE(
      bound("%p = OpAccessChain %elementPtr %b0 %zero %any\n").bounds.empty());
}

TEST_F(BoundedKernelTest, BoundsIndicesOfEveryType) {
  EXPECT_EQ(bound("%wide = OpUConvert %u64 %any\n"
                  "%more = OpIMul %u64 %wide %wide\n"
                  "%p = OpAccessChain %sharedWord %w16 %more\n")
                .bounds,
            (Bounds{15}));
  EXPECT_EQ(bound("%signed = OpBitcast %i32 %any\n"
                  "%p = OpAccessChain %sharedWord %w16 %signed\n")
                .bounds,
            (Bounds{15}));
  for (const char *type : {"%i16", "%u16"}) {
    Facts facts = bound("%narrow = OpUConvert %u16 %any\n"
                        "%cast = OpBitcast " +
                        std::string(type) +
                        " %narrow\n"
                        "%p = OpAccessChain %sharedWord %w16 %cast\n");
    EXPECT_EQ(facts.bounds, (Bounds{15})) << type;
    EXPECT_EQ(facts.conversions, 2u) << type;
  }
}

/// Constants need no instruction: they become others.
TEST_F(BoundedKernelTest, BoundsConstants) {
  for (const char *index : {"%five", "%sixteen", "%minus"}) {
    auto words = boundKernel(makeKernel("%p = OpAccessChain %sharedWord %w16 " +
                                        std::string(index) + "\n"));
    ASSERT_TRUE(words.ok());
    SpirvDefinitions definitions(*words);
    forEachSpirvInstruction(*words, [&](uint16_t opcode, SpirvWords chain) {
      if (opcode == SpvOpAccessChain && chain.size() == 5) {
        EXPECT_EQ(definitions.constant(chain[4]),
                  std::string(index) == "%five" ? 5u : 15u)
            << index;
      }
    });
  }
}

TEST_F(BoundedKernelTest, LeavesWhatIsKnownToBeInRange) {
  for (const char *index :
       {"%i = OpUMod %u32 %any %sixteen\n",
        "%i = OpBitwiseAnd %u32 %any %five\n", "%i = OpUDiv %u32 %x %five\n",
        "%i = OpShiftRightLogical %u32 %x %five\n",
        "%y = OpUMod %u32 %any %five\n%i = OpIMul %u32 %y %three\n",
        "%y = OpUMod %u32 %any %five\n%i = OpIAdd %u32 %y %three\n",
        "%y = OpUMod %u32 %any %three\n%i = OpISub %u32 %five %y\n",
        "%y = OpUMod %u32 %any %five\n%i = OpBitwiseOr %u32 %y %three\n",
        "%y = OpUMod %u32 %any %five\n%i = OpBitwiseXor %u32 %y %three\n",
        "%y = OpUMod %u32 %any %five\n%i = OpShiftLeftLogical %u32 %y %one\n",
        "%y = OpAccessChain %inputWord %lane %one\n%i = OpLoad %u32 %y\n",
        "%y = OpBitcast %i32 %x\n%i = OpSDiv %i32 %y %fiveSigned\n",
        "%y = OpBitcast %i32 %x\n%i = OpSRem %i32 %y %fiveSigned\n",
        "%y = OpBitcast %i32 %x\n%i = OpShiftRightArithmetic %i32 %y %five\n",
        "%i = OpSelect %u32 %yes %one %five\n"})
    EXPECT_TRUE(bound("%id = OpLoad %v3u %lane\n"
                      "%x = OpCompositeExtract %u32 %id 0\n" +
                      std::string(index) +
                      "%p = OpAccessChain %sharedWord %w16 %i\n")
                    .bounds.empty())
        << index;
  for (const char *index :
       {"%i = OpIAdd %u32 %x %zero\n", "%i = OpISub %u32 %zero %one\n",
        "%i = OpUMod %u32 %any %zero\n", "%i = OpBitwiseOr %u32 %any %one\n",
        "%i = OpShiftLeftLogical %u32 %any %one\n",
        "%i = OpShiftLeftLogical %u32 %one %any\n",
        "%i = OpShiftRightLogical %u32 %any %one\n",
        "%i = OpIMul %u32 %any %one\n",
        "%i = OpSelect %u32 %yes %sixteen %one\n"})
    EXPECT_EQ(bound("%id = OpLoad %v3u %lane\n"
                    "%x = OpCompositeExtract %u32 %id 0\n" +
                    std::string(index) +
                    "%p = OpAccessChain %sharedWord %w16 %i\n")
                  .bounds,
              (Bounds{15}))
        << index;
}

TEST_F(BoundedKernelTest, LeavesNothingUndefined) {
  Facts facts = bound("%u = OpUndef %u32\n%v = OpUndef %s\n"
                      "%p = OpAccessChain %sharedWord %w16 %u\n",
                      "%f16 = OpVariable %function16 Function\n");
  EXPECT_EQ(facts.undefined, 0u);
  EXPECT_EQ(facts.withoutInitializer, 0u);
}

/// The types of large variables, one in the module, and a body that branches.
const char *const kLarge = "%count = OpConstant %u32 COUNT\n"
                           "%large = OpTypeArray %v4 %count\n"
                           "%rows = OpTypeArray %large %three\n"
                           "%mixed = OpTypeStruct %u32 %rows %a16\n"
                           "%functionMixed = OpTypePointer Function %mixed\n"
                           "%functionLarge = OpTypePointer Function %large\n"
                           "%privateLarge = OpTypePointer Private %large\n"
                           "%pl = OpVariable %privateLarge Private\n";
const char *const kBranch = "OpSelectionMerge %after None\n"
                            "OpBranchConditional %yes %then %after\n"
                            "%then = OpLabel\nOpBranch %after\n"
                            "%after = OpLabel\n"
                            "%phi = OpPhi %u32 %one %then %five %entry\n";

/// How many instructions with each opcode there are.
std::map<uint16_t, size_t> countOpcodes(const std::vector<uint32_t> &spirv) {
  std::map<uint16_t, size_t> counts;
  forEachSpirvInstruction(
      spirv, [&](uint16_t opcode, SpirvWords) { ++counts[opcode]; });
  return counts;
}

TEST_F(BoundedKernelTest, ClearsLargeVariablesInLoops) {
  std::map<uint16_t, size_t> first;
  for (uint32_t count : {8, 100, 104, 1000}) {
    std::string types = kLarge;
    types.replace(types.find("COUNT"), 5, std::to_string(count));
    auto words = boundKernel(
        makeKernel(kBranch + std::string("%r = OpFunctionCall %void %callee\n"),
                   "%fm = OpVariable %functionMixed Function\n"
                   "%fw = OpVariable %functionWord Function\n",
                   "%callee = OpFunction %void None %function\n"
                   "%begin = OpLabel\n"
                   "%fl = OpVariable %functionLarge Function\n"
                   "OpReturn\nOpFunctionEnd\n",
                   types));
    ASSERT_TRUE(words.ok()) << words.status().message();
    EXPECT_EQ(problemOf(*words), "") << count;
    std::map<uint16_t, size_t> counts = countOpcodes(*words);
    if (count == 8) { // Only the struct has more than 64 scalars.
      EXPECT_EQ(counts[SpvOpLoopMerge], 2u);
      EXPECT_EQ(factsOf(*words).withoutInitializer, 4u) << "3 are Workgroup";
      continue;
    }
    EXPECT_EQ(counts[SpvOpLoopMerge], 4u);
    EXPECT_EQ(factsOf(*words).withoutInitializer, 6u);
    if (first.empty())
      first = counts;
    EXPECT_EQ(counts, first) << "not more code for more elements";
  }
}

TEST_F(BoundedKernelTest, ClearsElementsOfNoScalars) {
  auto words = boundKernel(
      makeKernel("", "%fb = OpVariable %functionBoth Function\n", "",
                 "%count = OpConstant %u32 1000\n"
                 "%large = OpTypeArray %v4 %count\n%empty = OpTypeStruct\n"
                 "%empties = OpTypeArray %empty %count\n"
                 "%both = OpTypeStruct %large %empties\n"
                 "%functionBoth = OpTypePointer Function %both\n"));
  ASSERT_TRUE(words.ok()) << words.status().message();
  EXPECT_EQ(problemOf(*words), "");
}

TEST_F(BoundedKernelTest, RefusesPointersThatComeFromNoVariable) {
  EXPECT_EQ(messageOf("%u = OpUndef %shared16\n"
                      "%p = OpAccessChain %sharedWord %u %any\n"),
            "Kernel \"k\" makes a pointer with instruction 1 (access chains "
            "from variables can be bounded).");
}

} // namespace
