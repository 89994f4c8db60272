//===- ThreadRanks.h - ranks that are threads -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Communicators of several ranks in one process, so that tests of what stands
// on them need no MPI. Each is used by a thread of its own.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/ranks/Communicator.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace vm {

/// The communicators of `size` ranks, by rank. They are on `hosts` hosts in
/// turns, and see the processes of their own; on 0 hosts they see none.
std::vector<std::unique_ptr<Communicator>> makeThreadRanks(uint32_t size,
                                                           uint32_t hosts = 0);

/// Runs `body` once for each rank, each on a thread, and waits for all.
void runRanks(uint32_t size, const std::function<void(Communicator &)> &body,
              uint32_t hosts = 0);

} // namespace vm
