//===- Commands.h - the commands of gpuvm-token ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function for each subcommand. It prints what it was asked for and complains
// on standard error; its value is the exit code.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/ModuleInfo.h"
#include "frontends/token/reference/Modules.h"
#include "runtime/base/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vm::token_tool {

struct Options {
  std::vector<std::string> inputs;
  std::optional<int32_t> streams;     ///< One a workflow, or as the plan has.
  std::optional<int32_t> budget;      ///< 4096, or as the plan has.
  std::vector<std::string> arguments; ///< NAME=VALUE
  uint64_t seed = 0;                  ///< Of resources.
  uint32_t modelSeed = 0;
  std::optional<int32_t> captureTokens; ///< The largest timeout of an output.
  int32_t answerTokens = 1024;
  std::string tokenizer;            ///< "" = as the inputs say, or bytes.
  bool allowOutside = false;        ///< Of a workflow's folder.
  std::vector<std::string> tools;   ///< NAME=COMMAND
  std::vector<std::string> modules; ///< STAGE:FILE
  uint32_t toolTimeoutMs = 30000;
  std::optional<unsigned> threads;
  uint64_t maxSteps = UINT64_MAX; ///< Of the reference.
  std::string reportPath;         ///< "" = none.
  std::string planPath;
  std::string modelPath;                ///< A language model; "" = none.
  std::string device;                   ///< As `gpuvm-run --device`.
  std::optional<double> timeoutSeconds; ///< Of an execution.
  uint64_t vramBudgetBytes = 0;         ///< 0 = what the device has free.
  bool validate = false;
  int iterations = 1;
  std::string stats;  ///< "text", "json" or nothing.
  std::string folder; ///< Of what `tables` writes.
};
constexpr int32_t kDefaultBudget = 4096;

/// What the reference is given of --module, in its order.
struct ReferenceModules {
  std::vector<token::ModuleInfo> infos;
  std::vector<token::Module> functions;
};

/// On how many the reference runs.
unsigned referenceThreads(const Options &options);

int runReference(const Options &options, const ReferenceModules &modules = {});
/// By gpuvm-token-reference, which links the compiler's libraries: it takes the
/// place of this process. Comes back where it is not there.
int runWithModules(int argc, char **argv);
int runDevice(const Options &options);
int writeTables(const Options &options);
/// 1 where the reports differ.
int compareReports(const std::string &pathA, const std::string &pathB);

/// Prints a failure; its exit code.
int fail(const Status &status);

/// Prints on standard output; an exit code.
int print(const std::string &text);

} // namespace vm::token_tool
