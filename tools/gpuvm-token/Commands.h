//===- Commands.h - what gpuvm-token does ---------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function for each subcommand. It prints what it was asked for and complains
// on standard error; its value is the exit code.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vm::token_tool {

struct Options {
  std::vector<std::string> inputs;
  std::optional<int32_t> streams; ///< One a workflow.
  int32_t budget = 4096;
  std::vector<std::string> arguments; ///< NAME=VALUE
  uint64_t seed = 0;                  ///< Of resources.
  uint32_t modelSeed = 0;
  std::optional<int32_t> captureTokens; ///< The largest timeout of an output.
  int32_t answerTokens = 1024;
  std::string tokenizer;          ///< "" = as the inputs say, or bytes.
  std::vector<std::string> tools; ///< NAME=COMMAND
  uint32_t toolTimeoutMs = 30000;
  std::optional<unsigned> threads;
  std::string reportPath; ///< "" = none.
};

int runReference(const Options &options);

/// Prints a failure; its exit code.
int fail(const Status &status);

} // namespace vm::token_tool
