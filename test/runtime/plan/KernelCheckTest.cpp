//===- KernelCheckTest.cpp - modules against their declarations -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/KernelCheck.h"

#include "runtime/plan/KernelReflection.h"
#include "test/runtime/plan/TestKernels.h"

#include <gtest/gtest.h>

using namespace vm;
using test::copyKernel;
using test::TestKernel;

namespace {

std::string check(const Kernel &kernel) {
  return checkKernel(kernel).message();
}

TEST(KernelCheck, AcceptsMatchingKernels) {
  EXPECT_EQ(check(test::makeKernel("k", copyKernel())), "");
  EXPECT_EQ(check(test::makeKernel("k", {0, 4}, {1, 0})), "");
  EXPECT_EQ(check(test::makeKernel("k", {}, {})), "");
}

TEST(KernelCheck, AcceptsSeveralViewsOfOneBinding) {
  TestKernel kernel;
  kernel.buffers = {{0, true, false, true}, {0, true, false, true}};
  kernel.decorations = "OpDecorate %b0 Aliased\nOpDecorate %b1 Aliased\n";
  EXPECT_EQ(check(test::makeKernel("k", kernel)), "");
}

TEST(KernelCheck, AcceptsNonWritableOnAllMembers) {
  TestKernel kernel = copyKernel();
  kernel.buffers[0].nonWritable = false;
  kernel.buffers.pop_back();
  kernel.decorations = "OpMemberDecorate %block 0 NonWritable\n";
  EXPECT_EQ(check(test::makeKernel("k", kernel)), "");
}

TEST(KernelCheck, RefusesWhatIsNotSpirv) {
  Kernel kernel = test::makeKernel("k", copyKernel());
  kernel.spirv[0] = 1;
  EXPECT_EQ(check(kernel),
            "Kernel \"k\" is not SPIR-V (Invalid SPIR-V magic number "
            "'1').");
  kernel.spirv = {0x07230203};
  EXPECT_EQ(check(kernel),
            "Kernel \"k\" is not SPIR-V (Module has incomplete header: only 1 "
            "words instead of 5).");
}

TEST(KernelCheck, RefusesInvalidSpirv) {
  TestKernel kernel = copyKernel();
  kernel.body = "%bad = OpIAdd %u32 %void %one\n";
  EXPECT_EQ(check(test::makeKernel("k", kernel)),
            "Kernel \"k\" is not valid SPIR-V (Operand '6[%void]' cannot be a "
            "type).");
}

TEST(KernelCheck, RefusesNewerSpirv) {
  TestKernel kernel = copyKernel();
  kernel.environment = SPV_ENV_UNIVERSAL_1_6;
  EXPECT_EQ(check(test::makeKernel("k", kernel)),
            "Kernel \"k\" is not valid SPIR-V (Invalid SPIR-V binary version "
            "1.6 for target environment SPIR-V 1.5 (under Vulkan 1.2 "
            "semantics)).");
}

TEST(KernelCheck, RefusesAnotherEntryPoint) {
  TestKernel kernel = copyKernel();
  kernel.entryPoint = "run";
  EXPECT_EQ(check(test::makeKernel("k", kernel)),
            "Kernel \"k\" has entry point \"run\" and declares \"main\".");
}

TEST(KernelCheck, RefusesOtherShaders) {
  std::string text = test::assemblyOf(copyKernel());
  text.replace(text.find("GLCompute"), 9, "Vertex");
  size_t mode = text.find("OpExecutionMode");
  text.erase(mode, text.find('\n', mode) - mode);
  Kernel declared = test::makeKernel("k", copyKernel());
  declared.spirv = test::assemble(text, SPV_ENV_UNIVERSAL_1_3);
  EXPECT_EQ(check(declared), "Kernel \"k\" has an entry point that is not a "
                             "compute shader (GLCompute is needed).");
}

TEST(KernelCheck, RefusesTwoEntryPoints) {
  TestKernel kernel = copyKernel();
  kernel.modes = "OpExecutionMode %other LocalSize 1 1 1\n";
  std::string text = test::assemblyOf(kernel);
  text.insert(text.find("OpExecutionMode"),
              "OpEntryPoint GLCompute %other \"other\"\n");
  text += "%other = OpFunction %void None %function\n%label = OpLabel\n"
          "OpReturn\nOpFunctionEnd\n";
  Kernel declared = test::makeKernel("k", copyKernel());
  declared.spirv = test::assemble(text, SPV_ENV_UNIVERSAL_1_3);
  EXPECT_EQ(check(declared), "Kernel \"k\" has 2 entry points (1 is needed).");
}

TEST(KernelCheck, RefusesAnotherLocalSize) {
  TestKernel kernel = copyKernel();
  kernel.localSize = "32 2 1";
  EXPECT_EQ(check(test::makeKernel("k", kernel)),
            "Kernel \"k\" has local size 32x2x1 and declares 64x1x1.");
}

TEST(KernelCheck, TheWorkgroupSizeConstantOverridesTheLocalSize) {
  TestKernel kernel = copyKernel();
  kernel.decorations = "OpDecorate %size BuiltIn WorkgroupSize\n";
  kernel.types = "%u32x3 = OpTypeVector %u32 3\n"
                 "%many = OpConstant %u32 128\n"
                 "%size = OpConstantComposite %u32x3 %many %one %one\n";
  EXPECT_EQ(check(test::makeKernel("k", kernel)),
            "Kernel \"k\" has local size 128x1x1 and declares 64x1x1.");
}

/// With an Input variable %in of a type and with decorations.
std::string messageOfBuiltIn(const std::string &type,
                             const std::string &decorations) {
  test::TestKernel kernel = test::copyKernel();
  kernel.decorations = decorations;
  kernel.types = "%v3 = OpTypeVector %u32 3\n"
                 "%pointer = OpTypePointer Input " +
                 type + "\n%in = OpVariable %pointer Input\n";
  std::string text = test::assemblyOf(kernel);
  text.insert(text.find("\"main\"") + 6, " %in");
  Kernel made = test::makeKernel("k", test::copyKernel());
  made.spirv = test::assemble(text, kernel.environment);
  return checkKernel(made).message();
}

TEST(KernelCheck, RefusesBuiltInsOfOtherTypes) {
  EXPECT_EQ(
      messageOfBuiltIn("%u32", "OpDecorate %in BuiltIn LocalInvocationIndex\n"),
      "");
  EXPECT_EQ(
      messageOfBuiltIn("%v3", "OpDecorate %in BuiltIn LocalInvocationIndex\n"),
      "Kernel \"k\" has built-in 29 in another type than an Input "
      "variable of 1 32-bit integers.");
  EXPECT_EQ(messageOfBuiltIn("%v3", "OpDecorate %in BuiltIn LocalInvocationId\n"
                                    "OpDecorate %in BuiltIn WorkgroupId\n"),
            "Kernel \"k\" has a variable that is two built-ins.");
}

TEST(KernelCheck, RefusesUndeclaredBindings) {
  Kernel kernel = test::makeKernel("k", copyKernel());
  kernel.bindings.pop_back();
  EXPECT_EQ(check(kernel),
            "Kernel \"k\" uses binding 5 and does not declare it.");
}

TEST(KernelCheck, RefusesBindingsWithoutVariable) {
  Kernel kernel = test::makeKernel("k", copyKernel());
  kernel.bindings.push_back({10, true, false});
  EXPECT_EQ(check(kernel),
            "Kernel \"k\" declares binding 10 and has no variable for it.");
}

TEST(KernelCheck, RefusesOtherSets) {
  TestKernel kernel = copyKernel();
  kernel.buffers[1].set = 1;
  EXPECT_EQ(check(test::makeKernel("k", kernel)),
            "Kernel \"k\" has binding 5 in descriptor set 1 (0 is needed).");
}

TEST(KernelCheck, RefusesUndeclaredWrites) {
  Kernel kernel = test::makeKernel("k", copyKernel());
  kernel.bindings[1].writes = false;
  EXPECT_EQ(check(kernel), "Kernel \"k\" declares that it does not write "
                           "binding 5, and a variable of it is not "
                           "NonWritable.");
}

TEST(KernelCheck, RefusesAStoreThroughOneOfSeveralViews) {
  TestKernel kernel;
  kernel.buffers = {{0, true, false, true}, {0, false, true, false}};
  Kernel declared = test::makeKernel("k", kernel);
  declared.bindings[0].writes = false;
  EXPECT_EQ(check(declared), "Kernel \"k\" declares that it does not write "
                             "binding 0, and a variable of it is not "
                             "NonWritable.");
}

TEST(KernelCheck, RefusesAStoreToANonWritableVariable) {
  TestKernel kernel = copyKernel();
  kernel.buffers[0].stores = true;
  Kernel declared = test::makeKernel("k", kernel);
  EXPECT_EQ(check(declared),
            "Kernel \"k\" writes binding 0, which is declared read-only.");
}

TEST(KernelCheck, RefusesAWriteThatCannotHappen) {
  TestKernel kernel = copyKernel();
  kernel.buffers[1].stores = false;
  kernel.buffers[1].nonWritable = true;
  Kernel declared = test::makeKernel("k", kernel);
  declared.bindings[1].writes = true;
  EXPECT_EQ(check(declared), "Kernel \"k\" declares that it writes binding 5, "
                             "and all variables of it are NonWritable.");
}

TEST(KernelCheck, RefusesUndeclaredReads) {
  Kernel kernel = test::makeKernel("k", copyKernel());
  kernel.bindings[0].reads = false;
  EXPECT_EQ(check(kernel),
            "Kernel \"k\" reads binding 0 and declares that it does not.");
}

TEST(KernelCheck, AtomicsReadAndWrite) {
  TestKernel kernel;
  kernel.buffers = {{0, false, true, false}};
  kernel.body = "%old = OpAtomicIAdd %u32 %p0 %one %zero %one\n";
  EXPECT_EQ(check(test::makeKernel("k", kernel)),
            "Kernel \"k\" reads binding 0 and declares that it does not.");
}

TEST(KernelCheck, CopiesThroughMemoryAreSeen) {
  TestKernel kernel;
  kernel.buffers = {{0, false, true, false}, {5, false, true, false}};
  kernel.body = "OpCopyMemory %p1 %p0\n";
  EXPECT_EQ(check(test::makeKernel("k", kernel)),
            "Kernel \"k\" reads binding 0 and declares that it does not.");
}

TEST(KernelCheck, RefusesPushConstants) {
  TestKernel kernel = copyKernel();
  kernel.decorations = "OpDecorate %push Block\n"
                       "OpMemberDecorate %push 0 Offset 0\n";
  kernel.types = "%push = OpTypeStruct %u32\n"
                 "%pushPtr = OpTypePointer PushConstant %push\n"
                 "%pushed = OpVariable %pushPtr PushConstant\n";
  EXPECT_EQ(check(test::makeKernel("k", kernel)),
            "Kernel \"k\" has 1 push constant block (only storage buffers are "
            "allowed).");
}

TEST(KernelCheck, RefusesUniformBuffers) {
  TestKernel kernel = copyKernel();
  kernel.decorations = "OpDecorate %uni Block\n"
                       "OpMemberDecorate %uni 0 Offset 0\n"
                       "OpDecorate %u DescriptorSet 0\n"
                       "OpDecorate %u Binding 10\n";
  kernel.types = "%uni = OpTypeStruct %u32\n"
                 "%uniPtr = OpTypePointer Uniform %uni\n"
                 "%u = OpVariable %uniPtr Uniform\n";
  EXPECT_EQ(check(test::makeKernel("k", kernel)),
            "Kernel \"k\" has 1 uniform buffer (only storage buffers are "
            "allowed).");
}

TEST(KernelCheck, RefusesLegacyBufferBlocks) {
  TestKernel kernel = copyKernel();
  kernel.decorations = "OpDecorate %old BufferBlock\n"
                       "OpMemberDecorate %old 0 Offset 0\n"
                       "OpDecorate %o DescriptorSet 0\n"
                       "OpDecorate %o Binding 10\n";
  kernel.types = "%old = OpTypeStruct %u32\n"
                 "%oldPtr = OpTypePointer Uniform %old\n"
                 "%o = OpVariable %oldPtr Uniform\n";
  EXPECT_EQ(check(test::makeKernel("k", kernel)),
            "Kernel \"k\" has binding 10 in storage class Uniform "
            "(StorageBuffer is needed).");
}

TEST(KernelCheck, RefusesDescriptorArrays) {
  TestKernel kernel = copyKernel();
  kernel.decorations = "OpDecorate %a DescriptorSet 0\n"
                       "OpDecorate %a Binding 10\n";
  kernel.types = "%blocks = OpTypeArray %block %one\n"
                 "%blocksPtr = OpTypePointer StorageBuffer %blocks\n"
                 "%a = OpVariable %blocksPtr StorageBuffer\n";
  EXPECT_EQ(check(test::makeKernel("k", kernel)),
            "Kernel \"k\" has an array of buffers at binding 10 (one binding a "
            "window is needed).");
}

TEST(KernelCheck, RefusesSpecializationConstants) {
  TestKernel kernel = copyKernel();
  kernel.types = "%s = OpSpecConstant %u32 3\n";
  EXPECT_EQ(check(test::makeKernel("k", kernel)),
            "Kernel \"k\" has specialization constants (plans carry none).");
}

TEST(KernelCheck, RefusesUndeclaredCapabilities) {
  TestKernel kernel = copyKernel();
  kernel.capabilities = "OpCapability Int64\n";
  Kernel declared = test::makeKernel("k", kernel);
  EXPECT_EQ(check(declared), "Kernel \"k\" needs feature \"int64\" (SPIR-V "
                             "capability 11) and does not declare it.");
  declared.features = {Feature::Int64};
  EXPECT_EQ(check(declared), "");
}

TEST(KernelCheck, RefusesUndeclaredDotProducts) {
  TestKernel kernel = copyKernel();
  kernel.capabilities = "OpCapability DotProductKHR\n"
                        "OpCapability DotProductInput4x8BitPackedKHR\n"
                        "OpExtension \"SPV_KHR_integer_dot_product\"\n";
  Kernel declared = test::makeKernel("k", kernel);
  EXPECT_EQ(check(declared),
            "Kernel \"k\" needs feature \"integer_dot_product\" (SPIR-V "
            "capability 6019) and does not declare it.");
  declared.features = {Feature::IntegerDotProduct};
  EXPECT_EQ(check(declared), "");
}

TEST(KernelCheck, RefusesUndeclaredInt64Atomics) {
  TestKernel kernel = copyKernel();
  kernel.capabilities = "OpCapability Int64\nOpCapability Int64Atomics\n";
  Kernel declared = test::makeKernel("k", kernel);
  declared.features = {Feature::Int64};
  EXPECT_EQ(check(declared),
            "Kernel \"k\" needs feature \"int64_atomics\" (SPIR-V capability "
            "12) and does not declare it.");
  declared.features = {Feature::Int64, Feature::Int64Atomics};
  EXPECT_EQ(check(declared), "");
}

TEST(KernelCheck, RefusesUndeclaredSubgroupOperations) {
  TestKernel kernel = copyKernel();
  kernel.capabilities = "OpCapability GroupNonUniform\n"
                        "OpCapability GroupNonUniformBallot\n";
  Kernel declared = test::makeKernel("k", kernel);
  EXPECT_EQ(check(declared),
            "Kernel \"k\" needs feature \"subgroup_operations\" (SPIR-V "
            "capability 64) and does not declare it.");
  declared.features = {Feature::SubgroupOperations};
  EXPECT_EQ(check(declared), "");
}

TEST(KernelCheck, RefusesPhysicalAddressing) {
  TestKernel kernel = copyKernel();
  kernel.capabilities = "OpCapability PhysicalStorageBufferAddresses\n";
  EXPECT_EQ(check(test::makeKernel("k", kernel)),
            "Kernel \"k\" needs SPIR-V capability 5347, which no feature of a "
            "plan covers.");
}

TEST(KernelCheck, RefusesUnknownExtensions) {
  TestKernel kernel = copyKernel();
  kernel.extensions = "OpExtension \"SPV_KHR_variable_pointers\"\n";
  EXPECT_EQ(check(test::makeKernel("k", kernel)),
            "Kernel \"k\" uses SPIR-V extension \"SPV_KHR_variable_pointers\", "
            "which plans do not allow.");
}

TEST(KernelCheck, RefusesUndeclaredFloatControls) {
  TestKernel kernel = copyKernel();
  kernel.capabilities = "OpCapability RoundingModeRTE\n";
  kernel.extensions = "OpExtension \"SPV_KHR_float_controls\"\n";
  kernel.modes = "OpExecutionMode %main RoundingModeRTE 32\n";
  Kernel declared = test::makeKernel("k", kernel);
  EXPECT_EQ(check(declared),
            "Kernel \"k\" needs feature \"round_to_even_32\" (SPIR-V execution "
            "mode 4462) and does not declare it.");
  declared.features = {Feature::RoundToEven32};
  EXPECT_EQ(check(declared), "");
  kernel.modes = "OpExecutionMode %main RoundingModeRTE 16\n";
  EXPECT_EQ(check(test::makeKernel("k", kernel)),
            "Kernel \"k\" has SPIR-V execution mode 4462 16, which no feature "
            "of a plan covers.");
}

TEST(KernelCheck, RefusesPointersThatCannotBeFollowed) {
  TestKernel kernel = copyKernel();
  kernel.types = "%bool = OpTypeBool\n%true = OpConstantTrue %bool\n";
  kernel.body = "%either = OpSelect %elementPtr %true %p1 %p1\n";
  EXPECT_EQ(check(test::makeKernel("k", kernel)),
            "Kernel \"k\" passes a storage buffer pointer to OpSelect (loads, "
            "stores, atomics and access chains are allowed).");
}

TEST(KernelCheck, DecompilesToGlsl) {
  Kernel kernel = test::makeKernel("k", copyKernel());
  auto glsl = decompileToGlsl("k", kernel.spirv);
  ASSERT_TRUE(glsl.ok()) << glsl.status().message();
  EXPECT_NE(glsl->find("#version 460"), std::string::npos);
  EXPECT_NE(glsl->find("local_size_x = 64"), std::string::npos);
}

} // namespace
