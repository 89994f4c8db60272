//===- ReadPromptBlock.h - blocks [[SEQ]] of prompts ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Prompts.h"
#include "frontends/token/ground/TomlFile.h"
#include "frontends/token/text/ScanText.h"

#include <set>
#include <string>

namespace vm::token {

/// Reads the blocks of sequences under one config.
class BlockReader {
public:
  /// Both must outlive the reader; the config is checked.
  BlockReader(const PromptConfig &config, Diagnostics &diagnostics);

  /// A block, the `number`-th of its sequence (U22..U45, W03..W07); not to be
  /// used after an error.
  PromptBlock read(const TomlFile &file, const toml::table &table,
                   const std::string &sequence, size_t number);

private:
  const PromptConfig &config_;
  Diagnostics &diagnostics_;
  std::set<std::string, std::less<>> validTags_;
  TextScanner scanner_;
};

} // namespace vm::token
