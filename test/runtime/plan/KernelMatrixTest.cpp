//===- KernelMatrixTest.cpp - rules for cooperative matrices --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules are written in the words of SPV_NV_cooperative_matrix, which the
// assembler knows, and turned into those of SPV_KHR_cooperative_matrix.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/BoundedKernel.h"
#include "runtime/plan/KernelCheck.h"
#include "runtime/plan/KnownModule.h"
#include "runtime/plan/SpirvDefinitions.h"

#include "test/runtime/plan/TestKernels.h"

#include <spirv_cross/GLSL.std.450.h>
#include <spirv_cross/spirv.h>

#include <gtest/gtest.h>

using namespace vm;

namespace {

/// A kernel with a type of f16 matrices of a subgroup, `rows` x 16.
test::TestKernel matrixKernel(const std::string &rows) {
  test::TestKernel kernel = test::copyKernel();
  kernel.capabilities = "OpCapability Float16\n"
                        "OpCapability VulkanMemoryModel\n"
                        "OpCapability CooperativeMatrixNV\n";
  kernel.extensions = "OpExtension \"SPV_NV_cooperative_matrix\"\n"
                      "OpExtension \"SPV_KHR_vulkan_memory_model\"\n";
  kernel.types = "%half = OpTypeFloat 16\n"
                 "%subgroup = OpConstant %u32 3\n"
                 "%rows = OpConstant %u32 " +
                 rows +
                 "\n"
                 "%sixteen = OpConstant %u32 16\n"
                 "%matrix = OpTypeCooperativeMatrixNV %half %subgroup %rows "
                 "%sixteen\n";
  return kernel;
}

/// The words of the successor: another capability, and a use of the type.
/// `bfloat16`: with matrices of bf16.
std::vector<uint32_t> toKhr(const std::vector<uint32_t> &spirv, bool bfloat16) {
  uint32_t rowMajor = 0; // The first constant 0.
  constexpr size_t kHeaderWords = 5;
  constexpr uint32_t kCapabilityKhr = 6022, kTypeKhr = 4456;
  std::vector<uint32_t> result(spirv.begin(), spirv.begin() + kHeaderWords);
  for (size_t at = kHeaderWords; at < spirv.size();) {
    size_t count = spirv[at] >> 16;
    uint32_t opcode = spirv[at] & 0xFFFF;
    std::vector<uint32_t> words(&spirv[at], &spirv[at] + count);
    if (opcode == SpvOpConstant && words[3] == 0 && !rowMajor)
      rowMajor = words[2];
    if (opcode == SpvOpCapability &&
        words[1] == SpvCapabilityCooperativeMatrixNV) {
      words[1] = kCapabilityKhr;
      if (bfloat16)
        for (uint32_t capability :
             {kCapabilityBfloat16Type, kCapabilityBfloat16Matrix})
          words.insert(words.end(), {words[0], capability});
    }
    if (opcode == SpvOpTypeFloat && words[2] == 16 && bfloat16) {
      words.push_back(0); // The encoding.
      words[0] = static_cast<uint32_t>(words.size()) << 16 | opcode;
    }
    if (opcode == SpvOpTypeCooperativeMatrixNV) {
      words.push_back(words[4]); // Any constant serves as the use.
      words[0] = static_cast<uint32_t>(words.size()) << 16 | kTypeKhr;
    }
    if (opcode == SpvOpCooperativeMatrixLoadNV)
      words = {uint32_t(6) << 16 | kOpCooperativeMatrixLoad,
               words[1],
               words[2],
               words[3],
               rowMajor,
               words[4]};
    result.insert(result.end(), words.begin(), words.end());
    at += count;
  }
  return result;
}

Kernel makeMatrixKernel(const std::string &rows, std::vector<Feature> features,
                        bool bfloat16 = false) {
  test::TestKernel test = matrixKernel(rows);
  std::string text = test::assemblyOf(test);
  text.replace(text.find("GLSL450"), 7, "Vulkan");
  Kernel kernel = test::makeKernel("k", test::copyKernel());
  kernel.spirv = toKhr(test::assemble(text, SPV_ENV_UNIVERSAL_1_3), bfloat16);
  kernel.features = std::move(features);
  return kernel;
}

/// A kernel that loads a matrix of 16 x 16, rows 24 apart, from an index that
/// is not known, in an array of `length` in workgroup memory.
Kernel makeLoadKernel(const std::string &length, const std::string &body = "",
                      const std::string &stride = "%rowStride") {
  test::TestKernel test = matrixKernel("16");
  test.types += "%n = OpConstant %u32 " + length +
                "\n"
                "%rowStride = OpConstant %u32 24\n"
                "%bool = OpTypeBool\n"
                "%false = OpConstantFalse %bool\n"
                "%halves = OpTypeArray %half %n\n"
                "%sharedHalves = OpTypePointer Workgroup %halves\n"
                "%sharedHalf = OpTypePointer Workgroup %half\n"
                "%functionMatrix = OpTypePointer Function %matrix\n"
                "%functionHalf = OpTypePointer Function %half\n"
                "%w = OpVariable %sharedHalves Workgroup\n";
  test.body = "%p = OpAccessChain %sharedHalf %w %v0\n"
              "%m = OpCooperativeMatrixLoadNV %matrix %p " +
              stride + " %false\n" + body;
  std::string text = test::assemblyOf(test);
  text.replace(text.find("GLSL450"), 7, "Vulkan");
  text.insert(text.find("%entry = OpLabel\n") + 17,
              "%own = OpVariable %functionMatrix Function\n");
  Kernel kernel = test::makeKernel("k", test::copyKernel());
  kernel.spirv = toKhr(test::assemble(text, SPV_ENV_UNIVERSAL_1_3), false);
  kernel.features = {Feature::Float16, Feature::MatrixF16F32};
  kernel.workgroupMemoryBytes = 2048;
  return kernel;
}

std::string check(const Kernel &kernel) {
  return checkKernel(kernel).message();
}

TEST(KernelMatrix, IsAcceptedWithItsFeature) {
  EXPECT_EQ(
      check(makeMatrixKernel("16", {Feature::Float16, Feature::MatrixF16F32})),
      "");
}

TEST(KernelMatrix, NeedsItsFeature) {
  EXPECT_EQ(check(makeMatrixKernel("16", {Feature::Float16})),
            "Kernel \"k\" has cooperative matrices of 16x16 floats of 16 bits "
            "and declares no feature with such.");
  EXPECT_EQ(
      check(makeMatrixKernel("16", {Feature::Float16, Feature::MatrixI8I32})),
      "Kernel \"k\" has cooperative matrices of 16x16 floats of 16 bits and "
      "declares no feature with such.");
}

TEST(KernelMatrix, OfBfloat16HasItsOwnFeature) {
  constexpr bool kBfloat16 = true;
  EXPECT_EQ(check(makeMatrixKernel(
                "16", {Feature::Float16, Feature::MatrixBf16F32}, kBfloat16)),
            "");
  EXPECT_EQ(check(makeMatrixKernel(
                "16", {Feature::Float16, Feature::MatrixF16F32}, kBfloat16)),
            "Kernel \"k\" needs feature \"matrix_bf16_f32\" (SPIR-V capability "
            "5116) and does not declare it.");
  EXPECT_EQ(check(makeMatrixKernel(
                "8", {Feature::Float16, Feature::MatrixBf16F32}, kBfloat16)),
            "Kernel \"k\" has cooperative matrices of 8x16 bfloats of 16 bits "
            "and declares no feature with such.");
  EXPECT_EQ(
      check(makeMatrixKernel("16", {Feature::Float16, Feature::MatrixBf16F32})),
      "Kernel \"k\" has cooperative matrices of 16x16 floats of 16 bits and "
      "declares no feature with such.");
}

TEST(KernelMatrix, IsNotThePredecessors) {
  Kernel kernel = makeMatrixKernel("16", {});
  kernel.spirv = test::assemble(test::assemblyOf(matrixKernel("16")),
                                SPV_ENV_UNIVERSAL_1_3);
  EXPECT_EQ(check(kernel),
            "Kernel \"k\" uses SPV_NV_cooperative_matrix (plans allow "
            "SPV_KHR_cooperative_matrix).");
}

TEST(KernelMatrix, HasTheSizeOfItsFeature) {
  EXPECT_EQ(
      check(makeMatrixKernel("8", {Feature::Float16, Feature::MatrixF16F32})),
      "Kernel \"k\" has cooperative matrices of 8x16 floats of 16 bits and "
      "declares no feature with such.");
}

struct Accesses {
  std::vector<uint64_t> bounds; ///< Of UMin; 0 if it is not a constant.
  size_t lengths = 0;           ///< Asked for, of matrices.
};

Accesses accessesOf(const std::vector<uint32_t> &spirv) {
  Accesses accesses;
  SpirvDefinitions definitions(spirv);
  forEachSpirvInstruction(spirv, [&](uint16_t opcode, SpirvWords words) {
    if (opcode == SpvOpExtInst && words[4] == GLSLstd450UMin)
      accesses.bounds.push_back(definitions.constant(words[6]).value_or(0));
    accesses.lengths += opcode == kOpCooperativeMatrixLength;
  });
  return accesses;
}

/// Its rows reach 15 * 24 + 16 elements from its first one on.
TEST(KernelMatrix, IsLoadedFromWithinItsArray) {
  Kernel kernel = makeLoadKernel("1000");
  EXPECT_EQ(check(kernel), "");
  auto words = boundKernel(kernel);
  ASSERT_TRUE(words.ok()) << words.status().message();
  EXPECT_EQ(accessesOf(*words).bounds, (std::vector<uint64_t>{999, 624}))
      << "the chain by itself, and the one of the matrix";
  kernel.spirv = *words;
  EXPECT_EQ(check(kernel), "");
  EXPECT_TRUE(boundKernel(makeLoadKernel("376")).ok());
  const char *const kDoesNotFit =
      "Kernel \"k\" has a cooperative matrix in storage class 4 that is not "
      "known to fit its array (an index of the array and constant layout and "
      "stride are needed).";
  EXPECT_EQ(boundKernel(makeLoadKernel("375")).status().message(), kDoesNotFit);
  EXPECT_EQ(boundKernel(makeLoadKernel("1000", "", "%v0")).status().message(),
            kDoesNotFit);
}

TEST(KernelMatrix, HasItsElementsBounded) {
  Kernel kernel =
      makeLoadKernel("1000", "OpStore %own %m\n"
                             "%e = OpAccessChain %functionHalf %own %v0\n"
                             "%h = OpLoad %half %e\n"
                             "%u = OpUndef %matrix\n");
  EXPECT_EQ(check(kernel), "");
  auto words = boundKernel(kernel);
  ASSERT_TRUE(words.ok()) << words.status().message();
  Accesses accesses = accessesOf(*words);
  EXPECT_EQ(accesses.bounds, (std::vector<uint64_t>{999, 624, 0}));
  EXPECT_EQ(accesses.lengths, 1u);
  kernel.spirv = *words;
  EXPECT_EQ(check(kernel), "");
  EXPECT_EQ(
      boundKernel(
          makeLoadKernel("1000", "%x = OpCompositeExtract %half %m 3\n"))
          .status()
          .message(),
      "Kernel \"k\" takes element 3 of a cooperative matrix (an access chain "
      "into a variable can be bounded).");
}

} // namespace
