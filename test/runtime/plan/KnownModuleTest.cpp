//===- KnownModuleTest.cpp ------------------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A whole kernel with cooperative matrices is checked in
// test/compiler/variants.test.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/KnownModule.h"

#include <spirv_cross/spirv.h>

#include <gtest/gtest.h>

#include <cstring>
#include <string_view>

using namespace vm;

namespace {

using Words = std::vector<uint32_t>;

void add(Words &module, uint16_t opcode, const Words &operands) {
  module.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | opcode);
  module.insert(module.end(), operands.begin(), operands.end());
}

void addName(Words &module, uint16_t opcode, std::string_view name) {
  Words text(name.size() / 4 + 1);
  std::memcpy(text.data(), name.data(), name.size());
  add(module, opcode, text);
}

constexpr uint32_t kCapabilityKhr = 6022;

/// 16x16 matrices for left and for right, of which one is loaded by columns.
/// Ids: 1 f32, 2 i32, 3 sixteen, 4 one, 5 left, 6 right, 7 function, 8 pointer,
/// 9 loaded, 10 product, 11 and 12 products of elements.
Words makeModule() {
  Words module = {SpvMagicNumber, 0x10600, 0, 20, 0};
  add(module, SpvOpCapability, {kCapabilityKhr});
  add(module, SpvOpTypeFloat, {1, 32});
  add(module, SpvOpTypeInt, {2, 32, 0});
  add(module, SpvOpConstant, {2, 3, 16});
  add(module, SpvOpConstant, {2, 4, 1});
  add(module, 4456, {5, 1, 4, 3, 3, 3});
  add(module, 4456, {6, 1, 4, 3, 3, 4});
  add(module, SpvOpFunction, {1, 7, 0, 1});
  add(module, 4457, {6, 9, 8, 4, 3, 1, 0x20});
  add(module, 4459, {6, 10, 9, 9, 9, 0xF});
  add(module, SpvOpFMul, {6, 11, 9, 10});
  add(module, SpvOpFMul, {1, 12, 13, 14});
  add(module, 4458, {8, 10, 4, 3});
  return module;
}

TEST(KnownModule, LeavesOthersAlone) {
  Words module = {SpvMagicNumber, 0x10300, 0, 20, 0};
  add(module, SpvOpCapability, {SpvCapabilityShader});
  KnownModule known = toKnownModule(module);
  EXPECT_EQ(known.words, module);
  EXPECT_EQ(known.environment, SPV_ENV_VULKAN_1_2);
  EXPECT_EQ(toKnownModule({}).words, Words());
}

TEST(KnownModule, SaysMatricesInTheWordsOfTheirPredecessor) {
  Words wanted = {SpvMagicNumber, 0x10600, 0, 23, 0};
  add(wanted, SpvOpCapability, {SpvCapabilityCooperativeMatrixNV});
  add(wanted, SpvOpTypeFloat, {1, 32});
  add(wanted, SpvOpTypeInt, {2, 32, 0});
  add(wanted, SpvOpConstant, {2, 3, 16});
  add(wanted, SpvOpConstant, {2, 4, 1});
  add(wanted, SpvOpTypeCooperativeMatrixNV, {5, 1, 4, 3, 3});
  add(wanted, SpvOpTypeBool, {20});
  add(wanted, SpvOpConstantTrue, {20, 21});
  add(wanted, SpvOpConstantFalse, {20, 22});
  add(wanted, SpvOpFunction, {1, 7, 0, 1});
  add(wanted, SpvOpCooperativeMatrixLoadNV, {5, 9, 8, 3, 21, 1, 0x20});
  add(wanted, SpvOpCooperativeMatrixMulAddNV, {5, 10, 9, 9, 9});
  add(wanted, SpvOpFDiv, {5, 11, 9, 10});
  add(wanted, SpvOpFMul, {1, 12, 13, 14});
  add(wanted, SpvOpCooperativeMatrixStoreNV, {8, 10, 3, 21});
  KnownModule known = toKnownModule(makeModule());
  EXPECT_EQ(known.words, wanted);
  EXPECT_EQ(known.environment, SPV_ENV_VULKAN_1_3);
}

/// 16x16 matrices of bf16. Ids: 1 bf16, 2 i32, 3 sixteen, 4 subgroup, 5 matrix,
/// 6 f32.
Words makeBfloat16Module() {
  Words module = {SpvMagicNumber, 0x10600, 0, 20, 0};
  add(module, SpvOpCapability, {kCapabilityKhr});
  add(module, SpvOpCapability, {kCapabilityBfloat16Type});
  add(module, SpvOpCapability, {kCapabilityBfloat16Matrix});
  addName(module, SpvOpExtension, "SPV_KHR_bfloat16");
  add(module, SpvOpTypeFloat, {1, 16, 0});
  add(module, SpvOpTypeInt, {2, 32, 0});
  add(module, SpvOpConstant, {2, 3, 16});
  add(module, SpvOpConstant, {2, 4, 3});
  add(module, 4456, {5, 1, 4, 3, 3, 3});
  add(module, SpvOpTypeFloat, {6, 32});
  return module;
}

TEST(KnownModule, SaysMatricesOfBfloat16AsThoseOfSingles) {
  Words wanted = {SpvMagicNumber, 0x10600, 0, 20, 0};
  add(wanted, SpvOpCapability, {SpvCapabilityCooperativeMatrixNV});
  add(wanted, SpvOpTypeInt, {2, 32, 0});
  add(wanted, SpvOpConstant, {2, 3, 16});
  add(wanted, SpvOpConstant, {2, 4, 3});
  add(wanted, SpvOpTypeFloat, {6, 32});
  add(wanted, SpvOpTypeCooperativeMatrixNV, {5, 6, 4, 3, 3});
  KnownModule known = toKnownModule(makeBfloat16Module());
  EXPECT_EQ(known.words, wanted);
  EXPECT_EQ(known.leftOutCapabilities,
            Words({kCapabilityBfloat16Type, kCapabilityBfloat16Matrix}));
  MatrixType matrix = {MatrixType::Scalar::Bfloat, 16, 16, 16, true};
  EXPECT_EQ(known.matrices, std::vector<MatrixType>{matrix});
}

TEST(KnownModule, KnowsThePredecessor) {
  EXPECT_FALSE(toKnownModule(makeModule()).isPredecessor);
  Words module = {SpvMagicNumber, 0x10300, 0, 20, 0};
  add(module, SpvOpCapability, {SpvCapabilityCooperativeMatrixNV});
  EXPECT_TRUE(toKnownModule(module).isPredecessor);
}

void damage(const Words &module) {
  for (size_t size = 0; size < module.size(); ++size)
    withoutMatrixTypes(toKnownModule(std::span(module).first(size)).words);
  for (size_t i = 0; i < module.size(); ++i)
    for (uint32_t value : {0u, 1u, 0x00010000u, 0x7FFF1168u, UINT32_MAX}) {
      Words damaged = module;
      damaged[i] = value;
      withoutMatrixTypes(toKnownModule(damaged).words);
    }
}

TEST(KnownModule, SurvivesAnyDamage) {
  damage(makeModule());
  damage(makeBfloat16Module());
}

} // namespace
