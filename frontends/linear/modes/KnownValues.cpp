//===- KnownValues.cpp - values known before a program runs ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/modes/KnownValues.h"

#include "frontends/linear/Operations.h"
#include "frontends/linear/matrices/Matrices.h"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace vm;
using namespace vm::linear;

constexpr uint32_t kNan = 0x7FC00000;

static uint32_t bitsOf(float value) {
  return std::isnan(value) ? kNan : std::bit_cast<uint32_t>(value);
}

static void joinBits(KnownBits &own, const KnownBits &other) {
  if (own != other)
    own.reset();
}

void KnownState::join(const KnownState &other) {
  for (unsigned i = 0; i < kElements; ++i)
    joinBits(x[i], other.x[i]);
  for (size_t level = 0; level < saved.size(); ++level)
    for (unsigned r = 0; r < kRegisters; ++r)
      joinBits(saved[level][r], other.saved[level][r]);
}

//===--- Instructions -----------------------------------------------------===//

uint32_t vm::linear::writtenElement(const Instruction &instruction) {
  if (instruction.opcode == Opcode::Store)
    return kFirstMemory + instruction.operands[1];
  if (instruction.opcode == Opcode::Copy)
    return kFirstMemory + instruction.operands[0];
  bool isRegister =
      lookUpOpcode(uint32_t(instruction.opcode))->operands[0] == 'd';
  return isRegister ? kFirstRegister + instruction.operands[0] : 0;
}

/// By the row of its matrix.
static KnownBits evaluateLinear(const Instruction &instruction,
                                const KnownState &state) {
  Matrix matrix = makeMatrix(instruction);
  uint32_t element = writtenElement(instruction);
  Vector vector = {};
  for (const Coefficient &c : matrix.rows[element]) {
    if (!state.x[c.column])
      return std::nullopt;
    vector[c.column] = std::bit_cast<float>(*state.x[c.column]);
  }
  return bitsOf(multiply(matrix, vector)[element]);
}

KnownBits vm::linear::evaluate(const Instruction &instruction,
                               const KnownState &state) {
  const OpcodeInfo &info = *lookUpOpcode(uint32_t(instruction.opcode));
  if (info.cls == Class::Linear)
    return evaluateLinear(instruction, state);
  if (info.cls != Class::Oracle)
    return std::nullopt;
  std::string_view kinds = info.operands;
  std::array<float, 2> values = {};
  for (size_t i = 1; i < kinds.size(); ++i) {
    uint32_t operand = instruction.operands[i];
    KnownBits bits =
        kinds[i] == 'i' ? operand : state.x[kFirstRegister + operand];
    if (!bits)
      return std::nullopt;
    values[i - 1] = std::bit_cast<float>(*bits);
  }
  return bitsOf(computeOracle(instruction.opcode, values[0], values[1]));
}

void vm::linear::follow(const Program &program, const Expanded &code,
                        uint32_t step, KnownState &state) {
  const Instruction &instruction =
      program.instructions[code.steps[step].instruction];
  uint32_t level = code.frames[code.steps[step].frame].depth;
  auto *registers = state.x.begin() + kFirstRegister;
  if (instruction.opcode == Opcode::Call && level < state.saved.size())
    std::copy_n(registers, kRegisters, state.saved[level].begin());
  if (instruction.opcode == Opcode::Return && level > 0)
    for (unsigned r = 0; r < kRegisters; ++r)
      if (instruction.operands[0] >> r & 1)
        registers[r] = state.saved[level - 1][r];
  if (uint32_t element = writtenElement(instruction))
    state.x[element] = evaluate(instruction, state);
}

std::vector<uint32_t> vm::linear::nextSteps(const Program &program,
                                            const Expanded &code, uint32_t step,
                                            const KnownState &state) {
  const std::vector<uint32_t> &next = code.steps[step].next;
  if (next.size() != 2)
    return next;
  const Instruction &branch =
      program.instructions[code.steps[step].instruction];
  KnownBits bits = state.x[kFirstRegister + branch.operands[0]];
  if (!bits)
    return next;
  bool taken = isTaken(branch.opcode, std::bit_cast<float>(*bits),
                       std::bit_cast<float>(program.toleranceBits));
  return {next[taken ? 0 : 1]};
}

//===--- All of the code --------------------------------------------------===//

KnownState vm::linear::stateAtFirst(const Launch &launch,
                                    const Expanded &code) {
  KnownState state;
  state.x.fill(0);
  for (const Launch::Initial &initial : launch.initial)
    state.x[initial.element] = bitsOf(std::bit_cast<float>(initial.bits));
  state.x[kOne] = bitsOf(1);
  uint32_t depth = 0;
  for (const Expanded::Frame &frame : code.frames)
    depth = std::max(depth, frame.depth);
  state.saved.resize(depth);
  return state;
}

std::vector<std::optional<KnownState>>
vm::linear::findKnown(const Program &program, const Launch &launch,
                      const Expanded &code) {
  std::vector<std::optional<KnownState>> before(code.steps.size());
  before[0] = stateAtFirst(launch, code);
  std::vector<uint32_t> pending = {0};
  while (!pending.empty()) {
    uint32_t step = pending.back();
    pending.pop_back();
    KnownState after = *before[step];
    std::vector<uint32_t> next = nextSteps(program, code, step, after);
    follow(program, code, step, after);
    for (uint32_t target : next) {
      KnownState joined = after;
      if (before[target])
        joined.join(*before[target]);
      if (joined == before[target])
        continue;
      before[target] = std::move(joined);
      pending.push_back(target);
    }
  }
  return before;
}
