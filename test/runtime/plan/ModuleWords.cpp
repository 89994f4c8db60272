//===- ModuleWords.cpp - modules word by word, for tests ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/plan/ModuleWords.h"

namespace vm::test {

std::vector<uint32_t> literal(const std::string &text) {
  std::vector<uint32_t> words(text.size() / 4 + 1);
  for (size_t i = 0; i < text.size(); ++i)
    words[i / 4] |= uint32_t(static_cast<unsigned char>(text[i]))
                    << (8 * (i % 4));
  return words;
}

void Section::add(uint16_t opcode, std::initializer_list<uint32_t> operands,
                  const std::vector<uint32_t> &more) {
  auto count = static_cast<uint32_t>(1 + operands.size() + more.size());
  words.push_back(count << 16 | opcode);
  words.insert(words.end(), operands);
  words.insert(words.end(), more.begin(), more.end());
}

ModuleWords::ModuleWords() {
  for (uint32_t *word :
       {&u32, &boolean, &voidType, &function, &one, &yes, &main, &entry})
    *word = id();
  preamble.add(SpvOpCapability, {SpvCapabilityShader});
  types.add(SpvOpTypeInt, {u32, 32, 0});
  types.add(SpvOpTypeBool, {boolean});
  types.add(SpvOpTypeVoid, {voidType});
  types.add(SpvOpTypeFunction, {function, voidType});
  types.add(SpvOpConstant, {u32, one, 1});
  types.add(SpvOpConstantTrue, {boolean, yes});
}

uint32_t ModuleWords::constant(uint32_t value) {
  uint32_t result = id();
  types.add(SpvOpConstant, {u32, result, value});
  return result;
}

uint32_t ModuleWords::compute(uint16_t opcode,
                              std::initializer_list<uint32_t> operands) {
  uint32_t result = id();
  body.add(opcode, {u32, result}, operands);
  return result;
}

uint32_t ModuleWords::beginBlock(uint32_t label) {
  body.add(SpvOpLabel, {label});
  return label;
}

Kernel ModuleWords::kernel(const std::string &name) const {
  Section module;
  module.words = {SpvMagicNumber, 0x10300, 0, bound, 0};
  auto append = [&](const std::vector<uint32_t> &words) {
    module.words.insert(module.words.end(), words.begin(), words.end());
  };
  append(preamble.words);
  module.add(SpvOpMemoryModel,
             {SpvAddressingModelLogical, SpvMemoryModelGLSL450});
  std::vector<uint32_t> entryPoint = literal("main");
  entryPoint.insert(entryPoint.end(), interface.begin(), interface.end());
  module.add(SpvOpEntryPoint, {SpvExecutionModelGLCompute, main}, entryPoint);
  module.add(SpvOpExecutionMode, {main, SpvExecutionModeLocalSize, 1, 1, 1});
  for (const Section *section : {&modes, &debug, &marks, &types})
    append(section->words);
  module.add(SpvOpFunction, {voidType, main, 0, function});
  module.add(SpvOpLabel, {entry});
  append(body.words);
  module.add(SpvOpReturn, {});
  module.add(SpvOpFunctionEnd, {});
  append(functions.words);
  Kernel result;
  result.name = name;
  result.spirv = std::move(module.words);
  return result;
}

static void addSelection(ModuleWords &m, uint32_t inside, uint32_t merge) {
  m.body.add(SpvOpSelectionMerge, {merge, 0});
  m.body.add(SpvOpBranchConditional, {m.yes, inside, merge});
  m.beginBlock(inside);
}

void nestSelections(ModuleWords &m, uint32_t n, uint32_t depth) {
  for (uint32_t group = 0; group < n / depth; ++group) {
    std::vector<uint32_t> merges;
    for (uint32_t i = 0; i < depth; ++i) {
      merges.push_back(m.id());
      addSelection(m, m.id(), merges.back());
    }
    for (; !merges.empty(); merges.pop_back()) {
      m.body.add(SpvOpBranch, {merges.back()});
      m.beginBlock(merges.back());
    }
  }
}

void nestLoops(ModuleWords &m, uint32_t n, uint32_t depth) {
  for (uint32_t group = 0; group < n / depth; ++group) {
    struct Loop {
      uint32_t header, merge, next;
    };
    std::vector<Loop> loops;
    for (uint32_t i = 0; i < depth; ++i) {
      Loop loop = {m.id(), m.id(), m.id()};
      uint32_t inside = m.id();
      m.body.add(SpvOpBranch, {loop.header});
      m.beginBlock(loop.header);
      m.body.add(SpvOpLoopMerge, {loop.merge, loop.next, 0});
      m.body.add(SpvOpBranchConditional, {m.yes, inside, loop.merge});
      m.beginBlock(inside);
      loops.push_back(loop);
    }
    for (; !loops.empty(); loops.pop_back()) {
      m.body.add(SpvOpBranch, {loops.back().next});
      m.beginBlock(loops.back().next);
      m.body.add(SpvOpBranch, {loops.back().header});
      m.beginBlock(loops.back().merge);
    }
  }
}

uint32_t addFunction(ModuleWords &m, const std::vector<uint32_t> &callees) {
  uint32_t id = m.id();
  addFunction(m, id, callees);
  return id;
}

void addFunction(ModuleWords &m, uint32_t id,
                 const std::vector<uint32_t> &callees) {
  m.functions.add(SpvOpFunction, {m.voidType, id, 0, m.function});
  m.functions.add(SpvOpLabel, {m.id()});
  for (uint32_t callee : callees)
    m.functions.add(SpvOpFunctionCall, {m.voidType, m.id(), callee});
  m.functions.add(SpvOpReturn, {});
  m.functions.add(SpvOpFunctionEnd, {});
}

} // namespace vm::test
