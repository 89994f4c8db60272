//===- KernelShape.cpp - expanded size of SPIR-V modules ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/KernelShape.h"

#include "runtime/plan/Limits.h"

#include <fmt/format.h>
#include <spirv_cross/spirv.h>

#include <algorithm>
#include <utility>

namespace vm {
namespace {

/// Sums stay far below 2^64: a sum of two that are at most this is.
constexpr uint64_t kManyBytes = uint64_t(1) << 40;

uint64_t saturatingAdd(uint64_t a, uint64_t b) {
  return std::min(std::min(a, kManyBytes) + std::min(b, kManyBytes),
                  kManyBytes);
}

} // namespace

void KernelShape::addPrivateBytes(uint64_t bytes) {
  uint64_t &total = open ? open->size.privateBytes : modulePrivateBytes;
  total = saturatingAdd(total, bytes);
}

void KernelShape::visit(uint16_t opcode, std::span<const uint32_t> words) {
  if (opcode == SpvOpFunction) {
    open = &functions[words[2]];
    return;
  }
  if (!open)
    return;
  if (opcode == SpvOpFunctionEnd)
    return finishFunction();
  if (opcode == SpvOpLabel)
    blocks.emplace_back().label = words[1];
  if (opcode != SpvOpLine && opcode != SpvOpNoLine)
    ++open->size.instructions;
  if (opcode == SpvOpFunctionCall)
    open->callees.push_back(words[3]);
  if (blocks.empty())
    return;
  Block &block = blocks.back();
  switch (opcode) {
  case SpvOpSelectionMerge:
    block.merge = words[1];
    break;
  case SpvOpLoopMerge:
    block.merge = words[1];
    block.continueTarget = words[2];
    break;
  case SpvOpBranch:
    block.successors = {words[1]};
    break;
  case SpvOpBranchConditional:
    block.successors = {words[2], words[3]};
    break;
  case SpvOpSwitch:
    // Literals of 64 bits make every second word a literal's half at worst:
    // what is no label is ignored.
    block.successors.assign(words.begin() + 2, words.end());
    break;
  default:
    break;
  }
}

/// Gives each block the number of constructs that it lies in. The merge block
/// of a header lies outside of its construct, whichever block branches to it.
void KernelShape::finishFunction() {
  std::unordered_map<uint32_t, size_t> indexOf;
  for (size_t i = 0; i < blocks.size(); ++i)
    indexOf.emplace(blocks[i].label, i);
  constexpr uint32_t kUnseen = UINT32_MAX;
  std::vector<uint32_t> depths(blocks.size(), kUnseen);
  std::vector<size_t> pending;
  auto reach = [&](uint32_t label, uint32_t depth) {
    auto it = indexOf.find(label);
    if (it == indexOf.end() || depths[it->second] != kUnseen)
      return;
    depths[it->second] = depth;
    pending.push_back(it->second);
  };
  if (!blocks.empty())
    reach(blocks.front().label, 0);
  while (!pending.empty()) {
    size_t at = pending.back();
    pending.pop_back();
    const Block &block = blocks[at];
    uint32_t inside = depths[at];
    if (block.merge) {
      reach(block.merge, inside);
      deepest = std::max(deepest, ++inside);
    }
    if (block.continueTarget)
      reach(block.continueTarget, inside);
    for (uint32_t successor : block.successors)
      reach(successor, inside);
  }
  blocks.clear();
  open = nullptr;
}

/// Adds what the function calls to its size; false if it calls itself. As deep
/// as there are functions at most (limits::kMaxFunctions).
bool KernelShape::measure(Function &function) {
  if (function.state != State::New)
    return function.state == State::Done;
  function.state = State::Open;
  Size &size = function.size;
  for (uint32_t id : function.callees) {
    auto callee = functions.find(id);
    if (callee == functions.end()) // Not valid, as SPIRV-Tools will say.
      continue;
    if (!measure(callee->second))
      return false;
    const Size &inner = callee->second.size;
    size.instructions = saturatingAdd(size.instructions, inner.instructions);
    size.privateBytes = saturatingAdd(size.privateBytes, inner.privateBytes);
    size.depth = std::max(size.depth, inner.depth + 1);
  }
  function.state = State::Done;
  return true;
}

std::string KernelShape::problem() {
  if (deepest > limits::kMaxNesting)
    return fmt::format("nests selections and loops {} deep (at most {} are "
                       "allowed)",
                       deepest, limits::kMaxNesting);
  Size total;
  for (auto &[id, function] : functions) {
    if (!measure(function))
      return "has a function that calls itself";
    const Size &size = function.size;
    total.instructions = saturatingAdd(total.instructions, size.instructions);
    total.privateBytes = std::max(total.privateBytes, size.privateBytes);
    total.depth = std::max(total.depth, size.depth);
  }
  total.privateBytes = saturatingAdd(total.privateBytes, modulePrivateBytes);
  if (total.depth > limits::kMaxCallDepth)
    return fmt::format("calls functions in functions {} deep (at most {} are "
                       "allowed)",
                       total.depth, limits::kMaxCallDepth);
  if (total.instructions > limits::kMaxInlinedInstructions)
    return fmt::format("has {} instructions with its functions in the places "
                       "of their calls (at most {} are allowed)",
                       total.instructions, limits::kMaxInlinedInstructions);
  if (total.privateBytes > limits::kMaxPrivateBytes)
    return fmt::format("has {} bytes of variables for each invocation (at most "
                       "{} are allowed)",
                       total.privateBytes, limits::kMaxPrivateBytes);
  return "";
}

} // namespace vm
