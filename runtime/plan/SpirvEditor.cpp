//===- SpirvEditor.cpp - writes a SPIR-V module that differs a little -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/SpirvEditor.h"

#include "runtime/plan/SpirvTools.h"

#include <spirv_cross/GLSL.std.450.h>
#include <spirv_cross/spirv.h>

#include <algorithm>
#include <string>

namespace vm {

static constexpr const char *kGlsl = "GLSL.std.450";

SpirvEditor::SpirvEditor(const SpirvDefinitions &definitions)
    : definitions_(definitions), bound_(definitions.words()[kSpirvBoundAt]) {
  forEachSpirvInstruction(definitions.words(), [&](uint16_t opcode,
                                                   SpirvWords words) {
    if (opcode == SpvOpExtInstImport && spirvString(words.subspan(2)) == kGlsl)
      glsl_ = words[1];
  });
}

void SpirvEditor::reach(uint16_t opcode) {
  inDeclarations_ |= opcode == SpvOpMemoryModel;
  inFunctions_ |= opcode == SpvOpFunction;
}

void SpirvEditor::append(std::vector<uint32_t> &section, uint16_t opcode,
                         SpirvWords operands) {
  section.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | opcode);
  section.insert(section.end(), operands.begin(), operands.end());
}

void SpirvEditor::declare(uint16_t opcode,
                          std::initializer_list<uint32_t> operands) {
  append(declarations(), opcode, {operands.begin(), operands.size()});
}

void SpirvEditor::add(uint16_t opcode,
                      std::initializer_list<uint32_t> operands) {
  append(inFunctions_      ? functions_
         : inDeclarations_ ? declarations_
                           : head_,
         opcode, {operands.begin(), operands.size()});
}

void SpirvEditor::copy(SpirvWords words) {
  auto opcode = static_cast<uint16_t>(words[0]);
  if (opcode == SpvOpTypeInt && words[2] == 32 && !words[3])
    wordType_ = words[1];
  if (opcode == SpvOpTypeBool)
    boolType_ = words[1];
  auto &section = inFunctions_      ? functions_
                  : inDeclarations_ ? declarations_
                                    : head_;
  append(section, opcode, words.subspan(1));
}

uint32_t SpirvEditor::wordType() {
  if (!wordType_)
    declare(SpvOpTypeInt, {wordType_ = newId(), 32, 0});
  return wordType_;
}

uint32_t SpirvEditor::boolType() {
  if (!boolType_)
    declare(SpvOpTypeBool, {boolType_ = newId()});
  return boolType_;
}

uint32_t SpirvEditor::pointerType(uint32_t storage, uint32_t pointee) {
  auto [it, isNew] = pointers_.try_emplace({storage, pointee}, 0);
  if (isNew)
    declare(SpvOpTypePointer, {it->second = newId(), storage, pointee});
  return it->second;
}

uint32_t SpirvEditor::constant(uint32_t type, uint64_t value) {
  auto [it, isNew] = constants_.try_emplace({type, value}, 0);
  if (!isNew)
    return it->second;
  it->second = newId();
  auto low = static_cast<uint32_t>(value);
  if (definitions_.widthOf(type) == 64)
    declare(SpvOpConstant,
            {type, it->second, low, static_cast<uint32_t>(value >> 32)});
  else
    declare(SpvOpConstant, {type, it->second, low});
  return it->second;
}

uint32_t SpirvEditor::minimum(uint32_t type, uint32_t value, uint32_t other) {
  if (!glsl_) {
    glsl_ = newId();
    addsGlsl_ = true;
  }
  uint32_t result = newId();
  add(SpvOpExtInst, {type, result, glsl_, GLSLstd450UMin, value, other});
  return result;
}

/// Cooperative matrices have no OpConstantNull, but composites of one element.
bool SpirvEditor::computeNullable(uint32_t type) {
  SpirvWords words = definitions_.find(type);
  switch (definitions_.opcodeOf(type)) {
  case SpvOpTypeBool:
  case SpvOpTypeInt:
  case SpvOpTypeFloat:
  case SpvOpTypeVector:
  case SpvOpTypeMatrix:
    return true;
  case SpvOpTypeArray:
    return isNullable(words[2]);
  case SpvOpTypeStruct:
    return std::all_of(words.begin() + 2, words.end(),
                       [&](uint32_t member) { return isNullable(member); });
  default:
    return false;
  }
}

bool SpirvEditor::isNullable(uint32_t type) {
  if (auto it = nullable_.find(type); it != nullable_.end())
    return it->second;
  bool result = computeNullable(type);
  return nullable_[type] = result;
}

std::optional<uint32_t> SpirvEditor::zero(uint32_t type) {
  if (auto it = zeros_.find(type); it != zeros_.end())
    return it->second;
  if (!isNullable(type))
    return zeroComposite(type);
  uint32_t id = newId();
  declare(SpvOpConstantNull, {type, id});
  zeros_.emplace(type, id);
  return id;
}

bool SpirvEditor::addZero(uint32_t type, uint32_t result) {
  if (isNullable(type)) {
    declare(SpvOpConstantNull, {type, result});
    return true;
  }
  std::optional<uint32_t> value = inFunctions_ ? zero(type) : std::nullopt;
  if (value)
    add(SpvOpCopyObject, {type, result, *value});
  return value.has_value();
}

std::optional<uint32_t> SpirvEditor::zeroComposite(uint32_t type) {
  SpirvWords words = definitions_.find(type);
  std::vector<uint32_t> parts;
  uint64_t repeat = 1;
  switch (definitions_.opcodeOf(type)) {
  case kOpTypeCooperativeMatrix:
    parts = {words[2]};
    break;
  case SpvOpTypeArray:
    parts = {words[2]};
    repeat = definitions_.countOf(type).value_or(0);
    break;
  case SpvOpTypeStruct:
    parts.assign(words.begin() + 2, words.end());
    break;
  default:
    return std::nullopt;
  }
  constexpr uint64_t kMaxParts = 1 << 12; // An instruction has 2^16 words.
  if (repeat == 0 || repeat > kMaxParts)
    return std::nullopt;
  for (uint32_t &part : parts) {
    std::optional<uint32_t> value = zero(part);
    if (!value)
      return std::nullopt;
    part = *value;
  }
  parts.resize(std::max<size_t>(parts.size(), repeat), parts.front());
  uint32_t id = newId();
  parts.insert(parts.begin(), {type, id});
  append(declarations(), SpvOpConstantComposite, parts);
  zeros_.emplace(type, id);
  return id;
}

std::vector<uint32_t> SpirvEditor::take() {
  SpirvWords header = definitions_.words().first(kSpirvHeaderWords);
  std::vector<uint32_t> result(header.begin(), header.end());
  result[kSpirvBoundAt] = bound_;
  result.insert(result.end(), head_.begin(), head_.end());
  if (addsGlsl_) {
    std::vector<uint32_t> operands = {glsl_};
    std::string text = kGlsl;
    operands.resize(1 + text.size() / 4 + 1);
    for (size_t i = 0; i < text.size(); ++i)
      operands[1 + i / 4] |= uint32_t(static_cast<unsigned char>(text[i]))
                             << (i % 4 * 8);
    append(result, SpvOpExtInstImport, operands);
  }
  for (const auto *section : {&declarations_, &late_, &functions_})
    result.insert(result.end(), section->begin(), section->end());
  return result;
}

} // namespace vm
