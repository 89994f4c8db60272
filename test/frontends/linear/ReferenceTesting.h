//===- ReferenceTesting.h - runs of the reference for tests ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/reference/Reference.h"
#include "test/frontends/linear/LinearTesting.h"

#include <bit>
#include <cmath>
#include <limits>

namespace vm::linear::test {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using Counts = std::vector<int64_t>;
using Values = std::vector<float>;
using Inputs = std::vector<Values>;

/// What can be asked of an outcome.
struct Execution {
  Program program;
  Outcome outcome;

  float x(uint32_t machine, unsigned element) const {
    return outcome.state[machine * kElements + element];
  }
  float ip(uint32_t machine) const { return x(machine, 0); }
  float r(uint32_t machine, unsigned number) const {
    return x(machine, kFirstRegister + number);
  }
  float m(uint32_t machine, unsigned number) const {
    return x(machine, kFirstMemory + number);
  }
  MachineStatus status(uint32_t machine) const {
    return static_cast<MachineStatus>(outcome.status[machine]);
  }
  Fault fault(uint32_t machine) const {
    return static_cast<Fault>(outcome.fault[machine]);
  }
  const Values &buffer(const std::string &name) const {
    auto found = std::ranges::find(program.buffers, name, &Buffer::name);
    return outcome.buffers[found - program.buffers.begin()];
  }
  End end(size_t phase = 0) const {
    return static_cast<End>(outcome.counts[phase * kCounts + kEnd]);
  }
  int64_t count(CountIndex index, size_t phase = 0) const {
    return outcome.counts[phase * kCounts + index];
  }
};

/// Zeros for what is not given.
inline Execution mustRun(const std::string &text, Inputs inputs = {},
                         const RunOptions &options = {}) {
  Execution result = {mustAssemble(text), {}};
  inputs.resize(result.program.buffers.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    inputs[i].resize(result.program.buffers[i].size);
  Result<Outcome> outcome = run(result.program, inputs, options);
  if (outcome.ok())
    result.outcome = std::move(*outcome);
  else
    ADD_FAILURE() << outcome.status().message();
  return result;
}

inline bool isSame(const Values &a, const Values &b) {
  return std::ranges::equal(a, b, [](float x, float y) {
    return std::bit_cast<uint32_t>(x) == std::bit_cast<uint32_t>(y) ||
           (std::isnan(x) && std::isnan(y));
  });
}

inline void expectSame(const Execution &a, const Execution &b) {
  for (size_t i = 0; i < a.outcome.buffers.size(); ++i)
    EXPECT_TRUE(isSame(a.outcome.buffers[i], b.outcome.buffers[i])) << i;
  EXPECT_TRUE(isSame(a.outcome.state, b.outcome.state));
  EXPECT_EQ(a.outcome.status, b.outcome.status);
  EXPECT_EQ(a.outcome.fault, b.outcome.fault);
}

} // namespace vm::linear::test
