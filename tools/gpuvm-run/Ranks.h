//===- Ranks.h - the ranks of a run ---------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several gpuvm-run that a launcher has started run one plan together: this
// finds them, ends with them, and prints for them.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/ranks/Communicator.h"
#include "tools/gpuvm-run/CommandLine.h"

#include <memory>
#include <string>

namespace vm::run {

/// The ranks that the launcher has started, or this process alone. Several get
/// SIGTERM from a launcher when one of them has ended: from here on that ends
/// this process with a sentence that says which.
Result<std::shared_ptr<Communicator>> findRanks(const CommandLine &options);

/// If `status` is of another rank, gives that one time to end: a launcher
/// reports the exit code of the rank that ends first, and ends the others.
void letCauseEndFirst(const Status &status);

/// What a rank has to print.
struct RankReport {
  std::string text;    ///< Lines.
  std::string stats;   ///< JSON, if it is measured.
  std::string profile; ///< JSON, if that was asked for.
};

/// Prints what this rank has, or on rank 0 what all ranks have, each line with
/// its rank; other ranks print nothing.
Status printReports(Communicator &ranks, const RankReport &own,
                    const CommandLine &options);

} // namespace vm::run
