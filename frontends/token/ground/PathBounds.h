//===- PathBounds.h - bounds on the paths of a workflow -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A workflow names files: its prompts, a tokenizer. A workflow of a stranger
// may read no other files than those that came with it: what a message quotes
// of a file, or what a stream says of it, may be seen by others.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Diagnostics.h"

#include <optional>
#include <string>

namespace vm::token {

/// The folder in or below which files must be ("": that of the process);
/// nothing where they may be anywhere.
using PathBounds = std::optional<std::string>;

/// Whether the path keeps the bounds once symbolic links and `..` are resolved;
/// P07 at the file where not. A path of nothing keeps them where the part of it
/// that is there does.
bool checkBounds(const std::string &path, const PathBounds &bounds,
                 Diagnostics &diagnostics);

} // namespace vm::token
