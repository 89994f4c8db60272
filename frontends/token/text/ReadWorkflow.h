//===- ReadWorkflow.h - workflows from files ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/SampledWorkflow.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace vm::token {

/// Reads `NAME.workflow.toml` and its prompts, builds its programs and calls
/// the factory of the main one. Nothing after an error; everything wrong is
/// reported with its place, warnings too. A path of prompts is relative to the
/// workflow's folder, out of which it may not lead unless `allowOutside`; a
/// tokenizer's file is left as it is written. The same files, arguments and
/// seed give the same workflow.
std::optional<SampledWorkflow>
readWorkflow(const std::string &path,
             const std::map<std::string, std::string> &arguments, uint64_t seed,
             Diagnostics &diagnostics, bool allowOutside = false);

/// The folder that a workflow's paths are relative to; "": that of the process.
std::string folderOf(const std::string &workflow);

} // namespace vm::token
