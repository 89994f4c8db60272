//===- StateFile.h - what a VM remembers, in a file -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of all symbols of a plan (named registers, metrics, globals and
// control words), which are what executions leave for those after them. The
// heap is not among them: it is immutable, and bound anew. docs/programs.md
// has the layout of the file.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/exec/Executor.h"

#include <string>

namespace vm {

/// Writes the file in one step: at any moment there is the old one or the new
/// one at `path`. Nothing may be in flight. Code::DeviceLost if that takes
/// longer than the executor's timeout.
Status saveState(Executor &executor, const std::string &path);

/// Gives all symbols the values that saveState() has written. Code::BadInput if
/// the file is damaged or of a plan with other symbols; they are as before
/// then. Nothing may be in flight.
Status restoreState(Executor &executor, const std::string &path);

} // namespace vm
