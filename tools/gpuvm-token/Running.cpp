//===- Running.cpp - common code to run streams ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-token/Running.h"

#include "frontends/token/reference/Report.h"
#include "tools/common/CommandLineText.h"
#include "tools/common/StandardOutput.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace vm::token_tool {

using namespace token;

/// Errors with a place begin with it, as a compiler's.
int fail(const Status &status) {
  bool hasPlace = status.message().find(": error: ") != std::string::npos;
  fmt::print(stderr, "{}{}\n",
             hasPlace ? "" : "gpuvm-token: error: ", status.message());
  return static_cast<int>(status.code());
}

int print(const std::string &text) {
  Status printed = printOutput(text);
  return printed.ok() ? 0 : fail(printed);
}

Result<LoadOptions> loadOptions(const Options &options) {
  auto arguments = mapOfPairs("--arg", options.arguments);
  if (!arguments.ok())
    return arguments.status();
  return LoadOptions{std::move(*arguments), options.seed, options.tokenizer,
                     options.allowOutside};
}

Status addTools(const Options &options, const Machine &machine,
                ToolSet &tools) {
  std::vector<std::string> given, used = usedTools(machine);
  for (const std::string &pair : options.tools)
    given.push_back(splitPair(pair).first);
  VM_RETURN_IF_ERROR(checkTools(machine, given));
  for (const std::string &pair : options.tools)
    if (auto [name, command] = splitPair(pair);
        std::ranges::find(used, name) != used.end())
      VM_RETURN_IF_ERROR(tools.addProcess(name, command));
  return Status();
}

Result<LoadedMachine> load(const Options &options) {
  Result<LoadOptions> how = loadOptions(options);
  if (!how.ok())
    return how.status();
  Result<LoadedMachine> loaded = loadMachine(options.inputs, *how);
  if (loaded.ok() && !loaded->warnings.empty())
    fmt::print(stderr, "{}\n", loaded->warnings);
  return loaded;
}

static std::string statsText(const Engine &engine, const RunTimes &times,
                             bool isJson) {
  std::vector<double> sorted = times.microseconds;
  std::ranges::sort(sorted);
  auto at = [&](size_t percent) {
    return std::round(sorted[(sorted.size() - 1) * percent / 100] * 100) / 100;
  };
  if (!isJson)
    return fmt::format("{:<21} {}\n{:<21} {}\n{:<21} {}\n{:<21} {} us\n", "on",
                       times.device, "steps", times.steps, "submits",
                       times.submits, "median", at(50));
  nlohmann::ordered_json json;
  json["device"] = times.device;
  json["streams"] = engine.streams();
  json["steps"] = times.steps;
  json["submits"] = times.submits;
  json["iterations"] = sorted.size();
  json["wall_us"] = {{"median", at(50)}, {"p10", at(10)}, {"p90", at(90)}};
  return json.dump() + "\n";
}

int deliver(const Options &options, const Engine &engine,
            const Tokenizer &tokenizer, const RunOutcome &outcome,
            const RunTimes &times) {
  for (const std::string &failure : outcome.failures)
    fmt::print(stderr, "gpuvm-token: warning: {}\n", failure);
  if (!options.reportPath.empty())
    if (Status status = writeReport(options.reportPath, engine, tokenizer,
                                    outcome.requests);
        !status.ok())
      return fail(status);
  std::string text = statusTable(engine);
  if (!options.stats.empty())
    text += statsText(engine, times, options.stats == "json");
  return print(text);
}

} // namespace vm::token_tool
