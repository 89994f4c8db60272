//===- Running.cpp - what all ways to run streams share -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-token/Running.h"

#include "frontends/token/reference/Report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace vm::token_tool {

using namespace token;

/// Errors with a place have it in front, as a compiler's.
int fail(const Status &status) {
  bool hasPlace = status.message().find(": error: ") != std::string::npos;
  fmt::print(stderr, "{}{}\n",
             hasPlace ? "" : "gpuvm-token: error: ", status.message());
  return static_cast<int>(status.code());
}

int print(const std::string &text) {
  size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
  if (written != text.size() || std::fflush(stdout) != 0)
    return fail(Status(Code::BadInput, "Standard output cannot be written."));
  return 0;
}

static std::pair<std::string, std::string> split(const std::string &pair) {
  size_t end = pair.find('=');
  return {pair.substr(0, end), pair.substr(end + 1)};
}

static Result<LoadOptions> loadOptions(const Options &options) {
  LoadOptions result;
  result.seed = options.seed;
  result.tokenizer = options.tokenizer;
  for (const std::string &pair : options.arguments)
    if (auto [name, value] = split(pair);
        !result.arguments.emplace(name, value).second)
      return Status(Code::Usage,
                    fmt::format("--arg gives \"{}\" more than once.", name));
  return result;
}

Status addTools(const Options &options, const Machine &machine,
                ToolSet &tools) {
  std::vector<std::string> given, used = usedTools(machine);
  for (const std::string &pair : options.tools)
    given.push_back(split(pair).first);
  VM_RETURN_IF_ERROR(checkTools(machine, given));
  for (const std::string &pair : options.tools)
    if (auto [name, command] = split(pair);
        std::ranges::find(used, name) != used.end())
      VM_RETURN_IF_ERROR(tools.addProcess(name, command));
  return Status();
}

/// Says what streams did.
static Status deliver(const Options &options, const Engine &engine,
                      const TextCodec &codec, const RunOutcome &outcome) {
  for (const std::string &failure : outcome.failures)
    fmt::print(stderr, "gpuvm-token: warning: {}\n", failure);
  if (options.reportPath.empty())
    return Status();
  return writeReport(options.reportPath, engine, codec, outcome.requests);
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

int runAll(const Options &options, Engine &engine, ToolSet &tools,
           const Tokenizer &tokenizer) {
  Result<RunOutcome> outcome = runToEnd(engine, tools, tokenizer);
  if (!outcome.ok())
    return fail(outcome.status());
  Status status = deliver(options, engine, tokenizer, *outcome);
  return status.ok() ? print(statusTable(engine)) : fail(status);
}

} // namespace vm::token_tool
