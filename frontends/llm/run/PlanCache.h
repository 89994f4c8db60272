//===- PlanCache.h - the plan of a model, compiled once ---------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that runs models does not contain the compiler: it starts
// gpuvm-compile for a model that it sees for the first time.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/gguf/GgufFile.h"

#include <functional>
#include <string>
#include <vector>

namespace vm::llm {

/// The path of a plan of `file`, compiled with `options` of gpuvm-compile. It
/// is kept in the user's cache folder, by all that it depends on: what precedes
/// the weights in the file, the options, and which compiler it was.
/// `onCompile` is called before the compiler starts. BadInput, with what the
/// compiler says, where it fails.
Result<std::string> findPlan(const GgufFile &file,
                             const std::vector<std::string> &options,
                             const std::function<void()> &onCompile);

} // namespace vm::llm
