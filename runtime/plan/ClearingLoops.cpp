//===- ClearingLoops.cpp - clears the large private variables of a kernel -===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An iteration clears several elements: llvmpipe ends a kernel's loops after
// 65,535 iterations of all of them together, and most of these are the
// kernel's.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/ClearingLoops.h"

#include <spirv_cross/spirv.h>

#include <algorithm>

namespace vm {

/// Scalars that an iteration of a loop clears, if they are not parts of one
/// element that has more.
static constexpr uint64_t kScalarsPerTurn = 16;

//===--- What there is to clear -------------------------------------------===//

ClearingLoops::ClearingLoops(const SpirvDefinitions &definitions,
                             SpirvEditor &editor)
    : definitions_(definitions), editor_(editor) {
  std::vector<uint32_t> entryPoints;
  std::vector<SpirvWords> ofModule;
  Function *function = nullptr;
  forEachSpirvInstruction(definitions.words(),
                          [&](uint16_t opcode, SpirvWords words) {
                            if (opcode == SpvOpEntryPoint)
                              entryPoints.push_back(words[2]);
                            if (opcode == SpvOpFunction)
                              function = &functions_[words[2]];
                            if (opcode != SpvOpVariable)
                              return;
                            if (!function)
                              return ofModule.push_back(words);
                            function->lastVariable = words[2];
                            noteVariable(words, *function);
                          });
  for (uint32_t entryPoint : entryPoints)
    for (SpirvWords variable : ofModule)
      noteVariable(variable, functions_[entryPoint]);
}

void ClearingLoops::noteVariable(SpirvWords words, Function &function) {
  constexpr size_t kWithoutInitializer = 4;
  bool isPrivate =
      words[3] == SpvStorageClassPrivate || words[3] == SpvStorageClassFunction;
  if (!isPrivate || words.size() != kWithoutInitializer ||
      scalarsOf(definitions_.find(words[1])[3]) <= kMaxInitialized)
    return;
  function.cleared.push_back(words[2]);
  cleared_.insert(words[2]);
}

/// checkKernel() has bounded the depth and the size of types.
uint64_t ClearingLoops::scalarsOf(uint32_t type) {
  if (auto it = scalars_.find(type); it != scalars_.end())
    return it->second;
  SpirvWords words = definitions_.find(type);
  uint64_t count = 1;
  if (auto elements = definitions_.countOf(type))
    count = *elements * scalarsOf(words[2]);
  else if (definitions_.opcodeOf(type) == SpvOpTypeStruct) {
    count = 0;
    for (uint32_t member : words.subspan(2))
      count += scalarsOf(member);
  }
  return scalars_[type] = count;
}

//===--- Where ------------------------------------------------------------===//

void ClearingLoops::enter(uint32_t function) {
  auto it = functions_.find(function);
  bool clears = it != functions_.end() && !it->second.cleared.empty();
  function_ = clears ? &it->second : nullptr;
}

void ClearingLoops::addLabel(uint32_t label) {
  block_ = function_ ? editor_.newId() : label;
  editor_.add(SpvOpLabel, {block_});
  if (!function_)
    return;
  firstLabel_ = label;
  if (!function_->lastVariable)
    addLoops();
}

void ClearingLoops::addedVariable(uint32_t variable) {
  if (function_ && function_->lastVariable == variable)
    addLoops();
}

void ClearingLoops::addLoops() {
  for (uint32_t variable : function_->cleared) {
    SpirvWords pointer = definitions_.find(definitions_.typeOf(variable));
    storage_ = pointer[2];
    clear(variable, pointer[3]);
  }
  editor_.add(SpvOpBranch, {firstLabel_});
  editor_.add(SpvOpLabel, {firstLabel_});
  function_ = nullptr;
}

//===--- Loops ------------------------------------------------------------===//

void ClearingLoops::clear(uint32_t pointer, uint32_t type) {
  bool isArray = definitions_.opcodeOf(type) == SpvOpTypeArray;
  bool isStruct = definitions_.opcodeOf(type) == SpvOpTypeStruct;
  uint64_t scalars = scalarsOf(type);
  if (isArray && scalars > kScalarsPerTurn)
    return clearArray(pointer, type, scalars);
  if (isStruct && scalars > kScalarsPerTurn) {
    SpirvWords members = definitions_.find(type).subspan(2);
    for (uint32_t i = 0; i < members.size(); ++i)
      clearMember(pointer, members[i], editor_.constant(editor_.wordType(), i));
    return;
  }
  auto zero = editor_.zero(type);
  clearsAll_ &= zero.has_value();
  if (zero)
    editor_.add(SpvOpStore, {pointer, *zero});
}

void ClearingLoops::clearMember(uint32_t pointer, uint32_t type,
                                uint32_t index) {
  uint32_t member = editor_.newId();
  editor_.add(SpvOpAccessChain,
              {editor_.pointerType(storage_, type), member, pointer, index});
  clear(member, type);
}

void ClearingLoops::clearArray(uint32_t pointer, uint32_t type,
                               uint64_t scalars) {
  uint32_t element = definitions_.find(type)[2], word = editor_.wordType();
  uint64_t count = *definitions_.countOf(type);
  uint64_t step = std::max<uint64_t>(kScalarsPerTurn * count / scalars, 1);
  uint64_t end = count / step * step;
  addLoop(end, step, [&](uint32_t first) {
    for (uint64_t i = 0; i < step; ++i) {
      uint32_t index = first;
      if (i > 0)
        editor_.add(SpvOpIAdd, {word, index = editor_.newId(), first,
                                editor_.constant(word, i)});
      clearMember(pointer, element, index);
    }
  });
  for (uint64_t i = end; i < count; ++i)
    clearMember(pointer, element, editor_.constant(word, i));
}

/// Calls `addTurn` with the value that goes from 0 to `end`, a multiple of
/// `step` and not 0, exclusively.
template <typename AddTurn>
void ClearingLoops::addLoop(uint64_t end, uint64_t step, AddTurn addTurn) {
  uint32_t word = editor_.wordType();
  uint32_t header = editor_.newId(), body = editor_.newId();
  uint32_t latch = editor_.newId(), merge = editor_.newId();
  uint32_t value = editor_.newId(), next = editor_.newId();
  uint32_t more = editor_.newId();
  editor_.add(SpvOpBranch, {header});
  editor_.add(SpvOpLabel, {header});
  editor_.add(SpvOpPhi,
              {word, value, editor_.constant(word, 0), block_, next, latch});
  editor_.add(SpvOpLoopMerge, {merge, latch, SpvLoopControlDontUnrollMask});
  editor_.add(SpvOpBranch, {body});
  editor_.add(SpvOpLabel, {block_ = body});
  addTurn(value);
  editor_.add(SpvOpBranch, {latch});
  editor_.add(SpvOpLabel, {latch});
  editor_.add(SpvOpIAdd, {word, next, value, editor_.constant(word, step)});
  editor_.add(SpvOpULessThan,
              {editor_.boolType(), more, next, editor_.constant(word, end)});
  editor_.add(SpvOpBranchConditional, {more, header, merge});
  editor_.add(SpvOpLabel, {block_ = merge});
}

} // namespace vm
