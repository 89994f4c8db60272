//===- ReadPromptConfig.h - [config] of prompts ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Prompts.h"
#include "frontends/token/ground/TomlFile.h"

namespace vm::token {

/// The table, checked (U05..U19, W01, W02); not to be used after an error.
PromptConfig readPromptConfig(const TomlFile &file, const toml::table &table,
                              Diagnostics &diagnostics);

} // namespace vm::token
