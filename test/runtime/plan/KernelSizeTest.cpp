//===- KernelSizeTest.cpp - how much memory and code a module may have ----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/KernelCheck.h"

#include "runtime/plan/KernelScan.h"
#include "test/runtime/plan/TestKernels.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace vm;
using test::copyKernel;
using test::TestKernel;

namespace {

std::string check(const Kernel &kernel) {
  return checkKernel(kernel).message();
}

/// `types` declares %t; the bytes of a Workgroup variable of that type.
std::string workgroupBytes(const std::string &types) {
  TestKernel kernel = copyKernel();
  kernel.types = "%f32 = OpTypeFloat 32\n%three = OpConstant %u32 3\n" + types +
                 "%wgPtr = OpTypePointer Workgroup %t\n"
                 "%wg = OpVariable %wgPtr Workgroup\n";
  Kernel declared = test::makeKernel("k", kernel);
  auto facts = scanKernel("k", declared.spirv);
  if (!facts.ok())
    return facts.status().message();
  declared.workgroupMemoryBytes =
      static_cast<uint32_t>(facts->workgroupMemoryBytes);
  EXPECT_EQ(check(declared), "");
  if (declared.workgroupMemoryBytes > 0) {
    --declared.workgroupMemoryBytes;
    EXPECT_EQ(check(declared),
              fmt::format("Kernel \"k\" uses {} bytes of workgroup memory and "
                          "declares {}.",
                          facts->workgroupMemoryBytes,
                          facts->workgroupMemoryBytes - 1));
  }
  return std::to_string(facts->workgroupMemoryBytes);
}

TEST(KernelSize, MeasuresWorkgroupMemory) {
  EXPECT_EQ(workgroupBytes("%n = OpConstant %u32 256\n"
                           "%t = OpTypeArray %f32 %n\n"),
            "1024");
  EXPECT_EQ(workgroupBytes("%t = OpTypeVector %f32 3\n"), "12");
  EXPECT_EQ(workgroupBytes("%v = OpTypeVector %f32 3\n"
                           "%t = OpTypeArray %v %three\n"),
            "48");
  EXPECT_EQ(workgroupBytes("%v = OpTypeVector %f32 4\n"
                           "%t = OpTypeStruct %f32 %v %f32\n"),
            "48");
  EXPECT_EQ(workgroupBytes("%t = OpTypeBool\n"), "4");
}

TEST(KernelSize, WorkgroupMemoryDoesNotWrapAround) {
  // 2^31 * 2^31 * 4 bytes is 0 in 64 bits.
  TestKernel kernel = copyKernel();
  kernel.types = "%f32 = OpTypeFloat 32\n%n = OpConstant %u32 2147483648\n"
                 "%a = OpTypeArray %f32 %n\n%t = OpTypeArray %a %n\n"
                 "%wgPtr = OpTypePointer Workgroup %t\n"
                 "%wg = OpVariable %wgPtr Workgroup\n";
  EXPECT_EQ(check(test::makeKernel("k", kernel)),
            "Kernel \"k\" has a workgroup variable whose size is not known.");
}

TEST(KernelSize, RefusesDeepTypes) {
  TestKernel kernel = copyKernel();
  kernel.types = "%t0 = OpTypeArray %u32 %one\n";
  for (int i = 1; i < 64; ++i)
    kernel.types += fmt::format("%t{} = OpTypeArray %t{} %one\n", i, i - 1);
  EXPECT_EQ(check(test::makeKernel("k", kernel)),
            "Kernel \"k\" nests types deeper than the limit (64).");
}

TEST(KernelSize, RefusesTypesThatExplode) {
  TestKernel kernel = copyKernel();
  kernel.types = "%t0 = OpTypeStruct %u32 %u32\n";
  for (int i = 1; i < 40; ++i)
    kernel.types += fmt::format("%t{0} = OpTypeStruct %t{1} %t{1}\n", i, i - 1);
  EXPECT_EQ(check(test::makeKernel("k", kernel)),
            "Kernel \"k\" has a type of more than 16384 members.");
}

TEST(KernelSize, RefusesTooManyFunctionsAndBlocks) {
  TestKernel kernel = copyKernel();
  for (int i = 0; i < 4096; ++i)
    kernel.body += fmt::format("OpBranch %l{0}\n%l{0} = OpLabel\n", i);
  EXPECT_EQ(check(test::makeKernel("k", kernel)),
            "Kernel \"k\" has more than 4096 basic blocks.");
  std::string text = test::assemblyOf(copyKernel());
  for (int i = 0; i < 1024; ++i)
    text += fmt::format("%f{0} = OpFunction %void None %function\n%e{0} = "
                        "OpLabel\nOpReturn\nOpFunctionEnd\n",
                        i);
  Kernel many = test::makeKernel("k", copyKernel());
  many.spirv = test::assemble(text, SPV_ENV_UNIVERSAL_1_3);
  EXPECT_EQ(check(many), "Kernel \"k\" has more than 1024 functions.");
}

} // namespace
