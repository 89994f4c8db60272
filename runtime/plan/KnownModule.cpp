//===- KnownModule.cpp - a kernel in words that the libraries know --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of both extensions, operands after the result:
//
//   KHR type: component scope rows columns use      NV: without use
//   KHR load: pointer layout stride [access]        NV: pointer stride
//   byColumns KHR store: pointer object layout stride [...]   NV: ... stride
//   byColumns KHR multiply-add: a b c [signs]                 NV: without signs
//
// Types that differ in their use only are one type in NV. NV divides matrices
// element by element, but does not multiply them so; the rules are the same.
//
// A bf16 is OpTypeFloat with a fourth word, the encoding 0.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/KnownModule.h"

#include "runtime/plan/SpirvDefinitions.h"
#include "runtime/plan/SpirvTools.h"

#include <spirv_cross/spirv.h>

#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace vm {
namespace {

// SPIR-V specification, "CooperativeMatrixKHR".
constexpr uint32_t kCapabilityKhr = 6022;
constexpr const char *kExtensionKhr = "SPV_KHR_cooperative_matrix";
constexpr const char *kExtensionBfloat16 = "SPV_KHR_bfloat16";
constexpr const char *kExtensionNv = "SPV_NV_cooperative_matrix";

using Words = SpirvWords;

bool declares(Words spirv, uint32_t capability) {
  bool found = false;
  forEachSpirvInstruction(spirv, [&](uint16_t opcode, Words words) {
    found |= opcode == SpvOpCapability && words.size() == 2 &&
             words[1] == capability;
  });
  return found;
}

bool isSingle(uint16_t opcode, Words words) {
  return opcode == SpvOpTypeFloat && words.size() == 3 && words[2] == 32;
}

class Translator {
public:
  explicit Translator(Words spirv)
      : result(spirv.begin(), spirv.begin() + kSpirvHeaderWords),
        bound(spirv[kSpirvBoundAt]) {
    forEachSpirvInstruction(spirv, [&](uint16_t opcode, Words words) {
      if (isSingle(opcode, words) && !single)
        single = words[1];
    });
    if (!single)
      single = bound++;
  }

  void translate(uint16_t opcode, Words words);
  void takeInto(KnownModule &known) {
    result[kSpirvBoundAt] = bound;
    known.words = std::move(result);
    known.leftOutCapabilities = std::move(leftOutCapabilities);
    known.matrices = std::move(matrices);
  }

private:
  void add(uint16_t opcode, std::initializer_list<uint32_t> operands,
           Words more = {});
  void addExtension(const char *name);
  void addMatrixType(Words words);
  void addFloatType(Words words);
  void addSingle();
  bool leavesOut(uint16_t opcode, Words words);
  void addLoad(Words words);
  void addStore(Words words);
  void addBooleans();
  /// A copy with the types that words may name as they are now.
  void addRenamed(uint16_t opcode, Words words);
  uint32_t renamed(uint32_t id) const {
    auto it = sameType.find(id);
    return it == sameType.end() ? id : it->second;
  }
  /// The boolean for a layout's id: 0 is row-major, 1 is column-major.
  std::optional<uint32_t> byColumns(uint32_t layout) const;

  using Scalar = MatrixType::Scalar;

  std::vector<uint32_t> result;
  std::vector<uint32_t> leftOutCapabilities;
  std::vector<MatrixType> matrices;
  uint32_t bound; ///< Ids are below it.
  /// By id of the type: what it is, and its width.
  std::map<uint32_t, std::pair<Scalar, uint32_t>> scalars;
  uint32_t single = 0; ///< The type f32.
  bool hasSingle = false;
  std::map<std::vector<uint32_t>, uint32_t> types;
  std::map<uint32_t, uint32_t> sameType; ///< From a dropped type's id.
  std::set<uint32_t> matrixTypes;
  std::map<uint32_t, uint32_t> constants;
  uint32_t boolType = 0, trueId = 0, falseId = 0;
};

void Translator::add(uint16_t opcode, std::initializer_list<uint32_t> operands,
                     Words more) {
  auto count = static_cast<uint32_t>(1 + operands.size() + more.size());
  result.push_back(count << 16 | opcode);
  result.insert(result.end(), operands);
  result.insert(result.end(), more.begin(), more.end());
}

void Translator::addExtension(const char *name) {
  std::vector<uint32_t> text(std::char_traits<char>::length(name) / 4 + 1);
  for (size_t i = 0; name[i]; ++i)
    text[i / 4] |= uint32_t(static_cast<unsigned char>(name[i])) << (i % 4 * 8);
  add(SpvOpExtension, {}, text);
}

void Translator::addMatrixType(Words words) {
  auto number = [&](uint32_t id) {
    auto it = constants.find(id);
    return it == constants.end() ? 0 : it->second;
  };
  MatrixType &type = matrices.emplace_back();
  if (auto it = scalars.find(words[2]); it != scalars.end())
    std::tie(type.scalar, type.width) = it->second;
  type.ofSubgroup = number(words[3]) == SpvScopeSubgroup;
  type.rows = number(words[4]);
  type.columns = number(words[5]);
  std::vector<uint32_t> key(words.begin() + 2, words.begin() + 6);
  if (type.scalar == Scalar::Bfloat) {
    addSingle();
    key[0] = single;
  }
  matrixTypes.insert(words[1]);
  auto [it, isNew] = types.try_emplace(key, words[1]);
  if (isNew)
    add(SpvOpTypeCooperativeMatrixNV, {words[1]}, key);
  else
    sameType[words[1]] = it->second;
}

void Translator::addSingle() {
  if (!hasSingle)
    add(SpvOpTypeFloat, {single, 32});
  hasSingle = true;
}

void Translator::addFloatType(Words words) {
  constexpr uint32_t kBfloat16 = 0;
  bool isBfloat = words.size() == 4 && words[3] == kBfloat16;
  scalars[words[1]] = {isBfloat ? Scalar::Bfloat : Scalar::Float, words[2]};
  if (isBfloat)
    return;
  if (isSingle(SpvOpTypeFloat, words) && words[1] == single)
    addSingle();
  else
    addRenamed(SpvOpTypeFloat, words);
}

/// Whether the libraries do not know `words` and need not: capability and
/// extension of bf16.
bool Translator::leavesOut(uint16_t opcode, Words words) {
  if (opcode == SpvOpExtension)
    return spirvString(words.subspan(1)) == kExtensionBfloat16;
  if (opcode != SpvOpCapability || words.size() != 2 ||
      (words[1] != kCapabilityBfloat16Type &&
       words[1] != kCapabilityBfloat16Matrix))
    return false;
  leftOutCapabilities.push_back(words[1]);
  return true;
}

/// Constants belong before the first function.
void Translator::addBooleans() {
  if (!boolType)
    add(SpvOpTypeBool, {boolType = bound++});
  add(SpvOpConstantTrue, {boolType, trueId = bound++});
  add(SpvOpConstantFalse, {boolType, falseId = bound++});
}

std::optional<uint32_t> Translator::byColumns(uint32_t layout) const {
  auto it = constants.find(layout);
  if (it == constants.end() || it->second > 1)
    return std::nullopt;
  return it->second ? trueId : falseId;
}

void Translator::addLoad(Words words) {
  if (auto columns = byColumns(words[4]))
    add(SpvOpCooperativeMatrixLoadNV,
        {renamed(words[1]), words[2], words[3], words[5], *columns},
        words.subspan(6));
  else
    addRenamed(kOpCooperativeMatrixLoad, words);
}

void Translator::addStore(Words words) {
  if (auto columns = byColumns(words[3]))
    add(SpvOpCooperativeMatrixStoreNV, {words[1], words[2], words[4], *columns},
        words.subspan(5));
  else
    addRenamed(kOpCooperativeMatrixStore, words);
}

void Translator::addRenamed(uint16_t opcode, Words words) {
  size_t at = result.size();
  result.insert(result.end(), words.begin(), words.end());
  bool beginsWithId = opcode != SpvOpCapability && opcode != SpvOpSource &&
                      opcode != SpvOpMemoryModel && opcode != SpvOpEntryPoint;
  if (beginsWithId && words.size() > 1)
    result[at + 1] = renamed(words[1]);
  if (opcode == SpvOpTypePointer && words.size() > 3)
    result[at + 3] = renamed(words[3]);
  if (opcode == SpvOpTypeArray && words.size() > 2)
    result[at + 2] = renamed(words[2]);
}

void Translator::translate(uint16_t opcode, Words words) {
  size_t count = words.size();
  if (leavesOut(opcode, words))
    return;
  if (opcode == SpvOpTypeFloat && count >= 3)
    return addFloatType(words);
  if (opcode == SpvOpTypeInt && count == 4)
    scalars[words[1]] = {Scalar::Integer, words[2]};
  if (opcode == SpvOpTypeBool && count > 1)
    boolType = words[1];
  if (opcode == SpvOpConstant && count == 4)
    constants[words[2]] = words[3];
  if (opcode == SpvOpFunction && !trueId)
    addBooleans();
  if (opcode == SpvOpCapability && count == 2 && words[1] == kCapabilityKhr)
    return add(opcode, {SpvCapabilityCooperativeMatrixNV});
  if (opcode == SpvOpExtension &&
      spirvString(words.subspan(1)) == kExtensionKhr)
    return addExtension(kExtensionNv);
  if (opcode == kOpTypeCooperativeMatrix && count == 7)
    return addMatrixType(words);
  if (opcode == kOpCooperativeMatrixLoad && count >= 6)
    return addLoad(words);
  if (opcode == kOpCooperativeMatrixStore && count >= 5)
    return addStore(words);
  if (opcode == kOpCooperativeMatrixMulAdd && count >= 6)
    return add(SpvOpCooperativeMatrixMulAddNV, {renamed(words[1])},
               words.subspan(2, 4));
  if (opcode == kOpCooperativeMatrixLength && count == 4)
    return add(SpvOpCooperativeMatrixLengthNV,
               {words[1], words[2], renamed(words[3])});
  if (opcode == SpvOpFMul && count == 5 && matrixTypes.contains(words[1]))
    return add(SpvOpFDiv, {renamed(words[1])}, words.subspan(2));
  addRenamed(opcode, words);
}

} // namespace

KnownModule toKnownModule(Words spirv) {
  KnownModule known;
  known.words.assign(spirv.begin(), spirv.end());
  known.isPredecessor = declares(spirv, SpvCapabilityCooperativeMatrixNV);
  bool hasMatrices = declares(spirv, kCapabilityKhr);
  if (hasMatrices || declares(spirv, SpvCapabilityDotProductKHR))
    known.environment = SPV_ENV_VULKAN_1_3;
  if (!hasMatrices)
    return known;
  Translator translator(spirv);
  bool whole =
      forEachSpirvInstruction(spirv, [&](uint16_t opcode, Words words) {
        translator.translate(opcode, words);
      });
  if (whole)
    translator.takeInto(known);
  return known;
}

std::vector<uint32_t> withoutMatrixTypes(Words spirv) {
  std::vector<uint32_t> result(
      spirv.begin(), spirv.begin() + std::min(spirv.size(), kSpirvHeaderWords));
  bool whole =
      forEachSpirvInstruction(spirv, [&](uint16_t opcode, Words words) {
        if (opcode != SpvOpTypeCooperativeMatrixNV || words.size() < 2) {
          result.insert(result.end(), words.begin(), words.end());
          return;
        }
        constexpr uint32_t kTypeFloat = 3u << 16 | SpvOpTypeFloat;
        result.insert(result.end(), {kTypeFloat, words[1], 32});
      });
  return whole ? result : std::vector<uint32_t>(spirv.begin(), spirv.end());
}

} // namespace vm
