//===- LaunchText.h - the stage of a launch -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/modes/CompiledProgram.h"

#include <string>

namespace vm::linear {

/// The stage of a compiled launch, `%l.run.NUMBER`, from the message `memory`;
/// with `when` after its name. Its results: the rows of the state, where each
/// machine stopped, the four counts, how many machines faulted (and, from bit
/// 32 on, still run), the most instructions of a machine; then the addresses
/// and the bits of each WRITE. A call of the launch's function stands in its
/// body, that is still to be replaced by what it does.
std::string writeLaunch(const Program &program, const CompiledLaunch &launch,
                        const std::string &number, const std::string &when,
                        const std::string &memory);

} // namespace vm::linear
