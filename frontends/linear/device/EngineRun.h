//===- EngineRun.h - programs as the data of one plan ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs programs in faithful mode on a plan that was compiled for none of them
// (gpuvm-compile --linear-engine): instructions, matrices, phases, launches and
// shared memory are what the plan is given.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/engine/DevicePlan.h"
#include "frontends/linear/Program.h"
#include "frontends/linear/modes/EngineTables.h"
#include "frontends/linear/reference/Outcome.h"

namespace vm::linear {

class EngineRun {
public:
  /// BadInput if the plan is no engine. An execution has the timeout of
  /// `options`; without one, the default or more if the budgets of the
  /// program's phases need it.
  static Result<EngineRun> open(const std::string &planPath,
                                const DeviceOptions &options);

  /// What the plan has room for.
  const EngineSizes &room() const { return room_; }

  /// The outcome that the reference finds, to the bit, with shared memory as
  /// one: `inputs` as for linear::run. BadInput if the program does not fit.
  Result<Outcome> run(const Program &program,
                      const std::vector<std::vector<float>> &inputs);

private:
  EngineRun(DevicePlan plan, std::optional<uint64_t> timeoutMs)
      : plan(std::move(plan)), timeoutMs(timeoutMs) {}

  Status readRoom();
  uint64_t timeoutOf(const Program &program) const;
  Status checkFits(const Program &program, const EngineSizes &sizes) const;
  Status bindMemory(const Program &program,
                    const std::vector<std::vector<float>> &inputs);
  Status bind(const Program &program,
              const std::vector<std::vector<float>> &inputs);
  Result<Outcome> collect(const Program &program);

  DevicePlan plan;
  std::optional<uint64_t> timeoutMs;
  EngineSizes room_;
};

} // namespace vm::linear
