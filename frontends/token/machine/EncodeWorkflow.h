//===- EncodeWorkflow.h - texts of a workflow to tensors ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Machine.h"
#include "frontends/token/machine/Tokenizer.h"

#include <optional>

namespace vm::token {

/// The machine of one workflow, which is checked (CheckMachine.h); nothing
/// after an error. Reports patterns of too many tokens (T01) or the same ones
/// (T02), limits too short for them (T03), zones that never advance (T04) and
/// what does not fit a machine (T13 and on); warns of rows that end rows of
/// another class (W20).
std::optional<Machine> encodeWorkflow(const SampledWorkflow &workflow,
                                      const Tokenizer &tokenizer,
                                      Diagnostics &diagnostics);

} // namespace vm::token
