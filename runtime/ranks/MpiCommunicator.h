//===- MpiCommunicator.h - messages through Open MPI ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages are MPI's own, from host memory to host memory, in a communicator of
// their own: an application's messages do not meet them. Between polls nothing
// moves, so finish() should follow start() soon.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/ranks/Communicator.h"

#include <cstdint>
#include <memory>

namespace vm {

struct MpiOptions {
  /// For the first messages, which say what ranks there are, and the last ones.
  uint64_t timeoutNs = 60'000'000'000ull;
  /// A message goes in pieces of at most so many bytes: MPI counts with an int.
  uint64_t pieceBytes = uint64_t{1} << 30;
};

/// The ranks of MPI_COMM_WORLD. Initializes MPI if nothing else in the process
/// has; then the destructor finalizes it, and no communicator can be opened
/// after that. Each rank calls this and destroys what it gets, and both wait
/// for the others. MPI's own initialization has no deadline.
Result<std::unique_ptr<Communicator>> openMpi(const MpiOptions &options = {});

} // namespace vm
