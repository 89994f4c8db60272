//===- Reference.h - the plain interpreter of the linear-algebra VM -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program on the processor as docs/linear-vm.md says it, epoch by
// epoch. Everything else that runs programs is measured by its results.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"
#include "frontends/linear/reference/Outcome.h"
#include "runtime/base/Status.h"

#include <vector>

namespace vm::linear {

/// `inputs`: by Program::buffers, `size` elements for kinds `in` and `inout`;
/// those of other kinds are not looked at. A failure is BadInput (a buffer of
/// another size) or OutOfMemory.
Result<Outcome> run(const Program &program,
                    const std::vector<std::vector<float>> &inputs,
                    const RunOptions &options = {});

} // namespace vm::linear
