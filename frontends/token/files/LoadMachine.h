//===- LoadMachine.h - a machine from files of any form -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all tools do with their inputs: a workflow (`.workflow.toml`, or any
// other `.toml`), its wire form (`.wire`) or its tensors (`.token.json`) each
// become a machine, and these are one.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Machine.h"
#include "frontends/token/machine/Tokenizer.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace vm::token {

struct LoadOptions {
  std::map<std::string, std::string> arguments; ///< Of every workflow.
  uint64_t seed = 0;                            ///< Of what resources draw.
  /// Of wire forms and tensors, which do not name theirs; "" = `bytes`. A
  /// workflow names its own, which must be the same where this is given.
  std::string tokenizer;
  /// Whether what a workflow names, prompts and a tokenizer, may lie outside of
  /// its folder.
  bool allowOutside = false;
};

struct LoadedMachine {
  Machine machine; ///< Checked (machine/CheckMachine.h).
  std::unique_ptr<Tokenizer> tokenizer;
  std::string warnings; ///< A line each; "" where there are none.
};

/// The machine of at least one file, its workflows in the order of the paths.
/// Usage for a file of another form or no file; else BadInput, with a line for
/// each thing that is wrong in any of the files.
Result<LoadedMachine> loadMachine(const std::vector<std::string> &paths,
                                  const LoadOptions &options);

/// A workflow before it is encoded.
struct LoadedWorkflow {
  SampledWorkflow workflow; ///< With the name of the tokenizer it is for.
  std::string folder;       ///< What that name is relative to.
  std::string warnings;
};

/// From a `.toml` or a `.wire`; failures are those of loadMachine.
Result<LoadedWorkflow> loadWorkflow(const std::string &path,
                                    const LoadOptions &options);

} // namespace vm::token
