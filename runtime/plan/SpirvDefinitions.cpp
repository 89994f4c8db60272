//===- SpirvDefinitions.cpp - definitions of SPIR-V ids -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/SpirvDefinitions.h"

#define SPV_ENABLE_UTILITY_CODE
#include <spirv_cross/spirv.h>

namespace vm {

SpirvResult resultOf(uint16_t opcode) {
  switch (opcode) {
  case kOpTypeCooperativeMatrix:
    return {0, 1};
  case kOpCooperativeMatrixLoad:
  case kOpCooperativeMatrixMulAdd:
  case kOpCooperativeMatrixLength:
    return {1, 2};
  case kOpCooperativeMatrixStore:
    return {0, 0};
  default:
    break;
  }
  bool hasResult = false, hasType = false;
  SpvHasResultAndType(static_cast<SpvOp>(opcode), &hasResult, &hasType);
  if (!hasResult)
    return {};
  return hasType ? SpirvResult{1, 2} : SpirvResult{0, 1};
}

SpirvDefinitions::SpirvDefinitions(SpirvWords spirv) : spirv_(spirv) {
  forEachSpirvInstruction(spirv, [&](uint16_t opcode, SpirvWords words) {
    size_t at = resultOf(opcode).idAt;
    if (at && at < words.size())
      definitions_[words[at]] = words;
    if (opcode == SpvOpDecorate && words.size() > 3 &&
        words[2] == SpvDecorationBuiltIn)
      builtIns_[words[1]] = words[3];
  });
}

SpirvWords SpirvDefinitions::find(uint32_t id) const {
  auto it = definitions_.find(id);
  return it == definitions_.end() ? SpirvWords() : it->second;
}

uint16_t SpirvDefinitions::opcodeOf(uint32_t id) const {
  SpirvWords words = find(id);
  return words.empty() ? uint16_t(SpvOpNop) : static_cast<uint16_t>(words[0]);
}

uint32_t SpirvDefinitions::typeOf(uint32_t value) const {
  SpirvWords words = find(value);
  if (words.empty())
    return 0;
  size_t at = resultOf(static_cast<uint16_t>(words[0])).typeAt;
  return at && at < words.size() ? words[at] : 0;
}

std::optional<uint64_t> SpirvDefinitions::countOf(uint32_t type) const {
  SpirvWords words = find(type);
  switch (opcodeOf(type)) {
  case SpvOpTypeVector:
  case SpvOpTypeMatrix:
    return words[3];
  case SpvOpTypeArray:
    return constant(words[3]);
  default:
    return std::nullopt;
  }
}

std::optional<uint64_t> SpirvDefinitions::constant(uint32_t id) const {
  SpirvWords words = find(id);
  if (opcodeOf(id) != SpvOpConstant || words.size() < 4 ||
      opcodeOf(words[1]) != SpvOpTypeInt)
    return std::nullopt;
  uint64_t value = words[3] | (words.size() > 4 ? uint64_t(words[4]) << 32 : 0);
  uint32_t width = widthOf(words[1]);
  if (width < 64)
    value &= (uint64_t(1) << width) - 1;
  bool negative = isSigned(words[1]) && (value >> (width - 1) & 1);
  return negative && width < 64 ? value | ~uint64_t(0) << width : value;
}

uint32_t SpirvDefinitions::widthOf(uint32_t type) const {
  uint16_t opcode = opcodeOf(type);
  bool isNumber = opcode == SpvOpTypeInt || opcode == SpvOpTypeFloat;
  return isNumber ? find(type)[2] : 0;
}

bool SpirvDefinitions::isSigned(uint32_t type) const {
  return opcodeOf(type) == SpvOpTypeInt && find(type)[3] != 0;
}

std::optional<uint32_t> SpirvDefinitions::builtIn(uint32_t variable) const {
  auto it = builtIns_.find(variable);
  return it == builtIns_.end() ? std::nullopt : std::optional(it->second);
}

} // namespace vm
