//===- TokenFiles.h - workflows of the token-stream VM ----------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/engine/EngineModule.h"
#include "frontends/token/files/LoadMachine.h"
#include "frontends/token/reference/Stream.h"
#include "runtime/plan/Plan.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vm::compile {

/// What the command line says about workflows.
struct TokenOptions {
  int32_t streams = 64, budget = 4096, answerTokens = 1024;
  std::optional<int32_t> captureTokens; ///< The largest timeout of an output.
  std::vector<std::string> arguments;   ///< NAME=VALUE
  uint64_t seed = 0;                    ///< Of what resources draw.
  std::string tokenizer;                ///< "" = as the inputs say, or bytes.
  bool allowOutside = false;            ///< Of a workflow's folder.
  std::string model = "test";
  std::string record = "tokens";
  std::vector<std::string> modules; ///< STAGE:FILE
  std::string emit; ///< A form to write instead of a plan; or empty.
  std::vector<const CLI::Option *> all; ///< The options of these.
};

void addTokenOptions(CLI::App &app, TokenOptions &options);

/// Whether a path is that of a workflow, in any of its forms.
bool isWorkflow(const std::string &path);

/// Usage where an option of workflows is given for files that are none.
Status checkNoTokenOptions(const std::string &path,
                           const TokenOptions &options);

/// The message of a failure, and what this and the next print, is all that is
/// to be printed: errors with a place begin with it, as a compiler's. Warnings
/// are printed.
Result<token::LoadedMachine>
readWorkflows(const std::vector<std::string> &paths,
              const TokenOptions &options);

/// Writes the form that is asked for to `output`, or to standard output where
/// that is empty or `-`.
Status emitForm(const std::vector<std::string> &paths,
                const std::string &output, const TokenOptions &options);

/// An engine with room for a machine, as gpuvm's text, and the modules in it.
struct TokenEngine {
  std::string text;
  std::vector<token::ModuleInfo> modules;
};
Result<TokenEngine> engineFor(const token::Machine &machine,
                              const TokenOptions &options);

/// Writes a plan of that engine and its sidecar
/// (frontends/token/files/Sidecar.h); both, or none. `context`: how many tokens
/// of a stream the model sees.
Status saveEngine(const std::string &path, const Plan &plan,
                  const token::LoadedMachine &loaded,
                  const std::vector<token::ModuleInfo> &modules,
                  const TokenOptions &options, int32_t context);

} // namespace vm::compile
