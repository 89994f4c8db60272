//===- RunModule.h - a module of the user on the reference ------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/modules/ModuleFile.h"
#include "frontends/token/reference/Modules.h"

namespace mlir::token {

/// What the reference of the token-stream VM calls, on as many `threads` at
/// once: the function of `file`, which must live longer, on the interpreter of
/// programs. On each thread all its calls together have `maxSteps` of that
/// (StepLimit.h). Nothing after a diagnostic: the interpreter does not know all
/// that is in it.
std::optional<vm::token::Module> makeModule(const ModuleFile &file,
                                            unsigned threads,
                                            uint64_t maxSteps = UINT64_MAX);

} // namespace mlir::token
