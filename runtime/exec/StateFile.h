//===- StateFile.h - saved state of a VM ----------------------------------===//
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

#include "runtime/base/AtomicFile.h"
#include "runtime/base/Status.h"
#include "runtime/exec/Executor.h"
#include "runtime/exec/StateReader.h"

#include <string>

namespace vm {

/// Writes the file in one step: at any moment there is the old one or the new
/// one at `path`. Nothing may be in flight. Code::DeviceLost if that takes
/// longer than the executor's timeout. "{rank}" in a path is the number of the
/// rank. With several ranks this is one call of all of them, each with a path
/// of its own: no file gets its name unless all are written, and each says
/// which rank of which save it is.
Status saveState(Executor &executor, const std::string &path);

/// The same, but the file gets its name when the caller commits it.
Result<AtomicFile> writeState(Executor &executor, const std::string &path);

/// Gives all symbols the values that saveState() has written. Code::BadInput if
/// the file is damaged or of a plan with other symbols; they are as before
/// then. Nothing may be in flight. With several ranks this is one call of all
/// of them, and the files are those of one save, each of the rank that reads
/// it; or `path` has "{rank}", and another number of ranks has saved them (see
/// StateShards.h).
Status restoreState(Executor &executor, const std::string &path);

/// Calls `write` for the values of the symbols of `plan`, each byte once, and
/// for none of a file that is refused.
Status readState(const Plan &plan, const std::string &path,
                 const WriteValues &write);

} // namespace vm
