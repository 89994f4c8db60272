//===- Program.cpp - a program of the linear-algebra VM -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/Program.h"

#include <algorithm>

namespace vm::linear {

static constexpr OpcodeInfo kOpcodes[] = {
#define LINEAR_OPCODE(name, number, text, cls, operands)                       \
  {Opcode::name, text, Class::cls, operands},
#include "schema/LinearOpcodes.def"
};

static constexpr uint32_t kHighestOpcode = 61;

/// By number, so that a look-up takes no search.
static constexpr auto kByNumber = [] {
  std::array<const OpcodeInfo *, kHighestOpcode + 1> table = {};
  for (const OpcodeInfo &info : kOpcodes)
    table[static_cast<uint32_t>(info.opcode)] = &info;
  return table;
}();

const OpcodeInfo *lookUpOpcode(uint32_t number) {
  return number <= kHighestOpcode ? kByNumber[number] : nullptr;
}

std::span<const OpcodeInfo> allOpcodes() { return kOpcodes; }

const char *toString(BufferKind kind) {
  switch (kind) {
  case BufferKind::In:
    return "in";
  case BufferKind::Out:
    return "out";
  case BufferKind::InOut:
    return "inout";
  case BufferKind::Temp:
    break;
  }
  return "temp";
}

uint32_t Phase::machines() const {
  uint32_t sum = spawn;
  for (const Launch &launch : launches)
    sum += launch.count;
  return sum;
}

uint32_t Program::sharedWords() const {
  uint32_t sum = 0;
  for (const Buffer &buffer : buffers)
    sum += buffer.size;
  return sum;
}

uint32_t Program::maxMachines() const {
  uint32_t most = 0;
  for (const Phase &phase : phases)
    most = std::max(most, phase.machines());
  return most;
}

} // namespace vm::linear
