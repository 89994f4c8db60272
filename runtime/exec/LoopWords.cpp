//===- LoopWords.cpp - loops that kernels had to give up ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words come with the outputs, so that an execution stays one submission.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Executor.h"

#include "runtime/plan/PlanText.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace vm {

/// Where a dispatch says that it had to give up a loop, if its kernel may.
static std::optional<Window> loopWordOf(const Plan &plan,
                                        const Command &command) {
  const auto *direct = std::get_if<Dispatch>(&command.op);
  const auto *indirect = std::get_if<DispatchIndirect>(&command.op);
  if (!direct && !indirect)
    return std::nullopt;
  const Kernel &kernel =
      plan.kernels[direct ? direct->kernel : indirect->kernel];
  if (!kernel.unfinished)
    return std::nullopt;
  for (const BoundWindow &bound : direct ? direct->windows : indirect->windows)
    if (bound.binding == *kernel.unfinished)
      return bound.window;
  return std::nullopt;
}

std::vector<LoopWord> loopWordsOf(const Plan &plan, CommandRange range) {
  std::vector<LoopWord> words;
  for (size_t i = range.begin; i < range.end; ++i)
    if (std::optional<Window> window = loopWordOf(plan, plan.commands[i])) {
      window->length = sizeof(uint32_t);
      words.push_back({i, *window});
    }
  return words;
}

/// Whether a kernel had to give up a loop. Its word is cleared for the next
/// execution, unless that runs already and may set it.
Status Executor::checkLoops() {
  const LoadedProgram &program = programs_[last_];
  size_t outputs = program.program->outputs.size();
  for (size_t i = 0; i < program.loopWords.size(); ++i) {
    uint32_t word = 0;
    std::memcpy(&word, last().downloads.slot(outputs + i).mapped, sizeof(word));
    if (word == 0)
      continue;
    const auto &[at, window] = program.loopWords[i];
    std::array<uint8_t, sizeof(word)> zero = {};
    if (!busy())
      VM_RETURN_IF_ERROR(
          transfer_.upload(regions_, window.region, window.offset, zero));
    return Status(
        Code::WrongResult,
        fmt::format("A loop of stage \"{}\" runs longer than this device's "
                    "driver ({}) lets loops run, so there is no result.",
                    stageLabel(plan_, plan_.commands[at]),
                    device_.info().driver));
  }
  return {};
}

} // namespace vm
