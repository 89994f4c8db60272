//===- ReadPrompts.h - prompts (UDPL) from files --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/PathBounds.h"
#include "frontends/token/ground/Prompts.h"

#include <string>

namespace vm::token {

/// The prompts of a file, or of all `*.toml` of a folder (hidden files aside,
/// in the order of their names), at most kMaxTomlBytes together and within the
/// bounds. After an error, which is reported, the result is not to be used.
Prompts readPrompts(const std::string &path, Diagnostics &diagnostics,
                    const PathBounds &bounds = {});

/// The same of the text of one file, which messages call `name`.
Prompts readPromptText(std::string text, const std::string &name,
                       Diagnostics &diagnostics);

} // namespace vm::token
