//===- Machine.h - the state of a machine ---------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"
#include "frontends/linear/reference/Outcome.h"

#include <array>
#include <vector>

namespace vm::linear {

/// What a CALL saves.
struct Frame {
  float returnIp;
  std::array<float, kRegisters> registers;
};

/// Of all zeros but x21: a FREE machine, and what a SPAWN starts from.
struct Machine {
  Vector x = [] {
    Vector zeros = {};
    zeros[kOne] = 1;
    return zeros;
  }();
  MachineStatus status = MachineStatus::Free;
  Fault fault = Fault::None;
  uint32_t launch = 0; ///< Of the phase.
  std::vector<Frame> stack;

  uint32_t ip() const { return static_cast<uint32_t>(x[0]); }
  float reg(uint32_t number) const { return x[kFirstRegister + number]; }
};

} // namespace vm::linear
