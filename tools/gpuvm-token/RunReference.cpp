//===- RunReference.cpp - gpuvm-token reference ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/reference/Reference.h"
#include "tools/gpuvm-token/Commands.h"
#include "tools/gpuvm-token/Running.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace vm::token_tool {

using namespace token;

unsigned referenceThreads(const Options &options) {
  return options.threads.value_or(
      std::clamp(std::thread::hardware_concurrency(), 1u, kMaxThreads));
}

static ReferenceOptions referenceOptions(const Options &options,
                                         const Machine &machine) {
  ReferenceOptions result;
  result.streams = options.streams.value_or(int32_t(machine.workflows.size()));
  result.limits.budget = options.budget.value_or(kDefaultBudget);
  result.limits.captureTokens =
      options.captureTokens.value_or(defaultCaptureTokens(machine));
  result.limits.answerTokens = options.answerTokens;
  result.threads = referenceThreads(options);
  result.maxSteps = options.maxSteps;
  return result;
}

int runReference(const Options &options, const ReferenceModules &modules) {
  Result<LoadedMachine> loaded = load(options);
  if (!loaded.ok())
    return fail(loaded.status());
  const Machine &machine = loaded->machine;
  if (Status status = checkModules(machine, modules.infos); !status.ok())
    return fail(status);
  ToolSet tools(std::chrono::milliseconds(options.toolTimeoutMs));
  if (Status status = addTools(options, machine, tools); !status.ok())
    return fail(status);
  Result<std::unique_ptr<Model>> model =
      makeTestModel(machine, options.modelSeed);
  if (!model.ok())
    return fail(model.status());
  ReferenceOptions how = referenceOptions(options, machine);
  how.modules = modules.functions;
  RunTimes times{fmt::format("{} threads", how.threads), 0, 0, {}};
  for (int i = 0;; ++i) {
    Result<std::unique_ptr<Reference>> reference =
        Reference::create(machine, **model, how);
    if (!reference.ok())
      return fail(reference.status());
    auto start = std::chrono::steady_clock::now();
    Result<RunOutcome> outcome =
        runToEnd(**reference, tools, *loaded->tokenizer);
    std::chrono::duration<double, std::micro> elapsed =
        std::chrono::steady_clock::now() - start;
    if (!outcome.ok())
      return fail(outcome.status());
    times.microseconds.push_back(elapsed.count());
    if (i + 1 < options.iterations)
      continue;
    for (int32_t b = 0; b < (*reference)->streams(); ++b)
      times.steps += int64_t((*reference)->record(b).size());
    return deliver(options, **reference, *loaded->tokenizer, *outcome, times);
  }
}

} // namespace vm::token_tool
