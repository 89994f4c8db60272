//===- CompileLine.h - progress of kernel compilation ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "compiling kernels 3/23", on a terminal only, for a user who waits for a
// first run.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/exec/Pipelines.h"

namespace vm::run {

/// Draws the line over itself on standard error, from a tenth of a second on,
/// and takes it away when all kernels are done. Empty where that is no
/// terminal.
CompileProgress compileLine();

/// Takes it away before something else is said.
void clearCompileLine();

} // namespace vm::run
