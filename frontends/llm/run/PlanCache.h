//===- PlanCache.h - the plan of a model, compiled once ---------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that runs models does not contain the compiler: a model that is
// seen for the first time is compiled by gpuvm-compile, or by what the program
// calls instead.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/gguf/GgufFile.h"

#include <functional>
#include <string>
#include <vector>

namespace vm::llm {

struct ModelCompiler {
  /// Another one for each compiler that may make other plans.
  std::string identity;
  /// With the arguments of gpuvm-compile. It writes the plan in one step.
  std::function<Status(const std::vector<std::string> &arguments)> run;
};

/// gpuvm-compile in the folder of this program. `onCompile` is called before it
/// starts. Usage where it is not there.
Result<ModelCompiler> ownCompiler(const std::function<void()> &onCompile);

/// The path of a plan of `file`, compiled with `options` of gpuvm-compile. It
/// is kept in the user's cache folder, by all that it depends on: what precedes
/// the weights in the file, the options, and which compiler it was. BadInput,
/// with what the compiler says, where it fails.
Result<std::string> findPlan(const GgufFile &file,
                             const std::vector<std::string> &options,
                             const ModelCompiler &compiler);

} // namespace vm::llm
