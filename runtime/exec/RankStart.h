//===- RankStart.h - ranks that begin together ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ranks compare when they load a program: version, plan and number of
// ranks before anything is done, then on which devices all have loaded it. And
// the words of Control by which a program knows its rank.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/DeviceInfo.h"
#include "runtime/exec/Executor.h"
#include "runtime/plan/Plan.h"
#include "runtime/ranks/Communicator.h"

#include <cstdint>
#include <string>
#include <vector>

namespace vm {

/// Code::Rank, the same sentence on all ranks, if they do not have the same
/// version of gpuvm, the same plan and ExecutorOptions::linkBytes and
/// sharedBytes.
Status checkSamePlan(Communicator &ranks, const Plan &plan, uint64_t linkBytes,
                     uint64_t sharedBytes, uint64_t timeoutNs);

/// A device, as other ranks see it.
struct RankDevice {
  std::string name, uuid, host;
  bool isCpu = false;
  bool shared = false; ///< Ranks may have the same one.
};

/// Code::Rank if devices are of different kinds, or if ranks have the same one
/// and one of them does not want that; by rank.
Status checkDevices(const std::vector<RankDevice> &devices);

/// Waits until all ranks have loaded the plan, and checks their devices.
Status agreeOnLoad(Communicator &ranks, const DeviceInfo &device, bool shared,
                   uint64_t timeoutNs);

/// Whether that is the control word "%rank" or "%ranks".
bool isRankWord(const Symbol &symbol);

/// Gives the control words "%rank" and "%ranks" of the plan, if it has them,
/// their values. Nothing may be in flight.
Status writeRankWords(Executor &executor);

} // namespace vm
