//===- Hazards.h - data hazards of commands -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays the commands of a plan over exact byte intervals of the five regions.
// Commands between two barriers may run at once and in any order, so two of
// them must not touch the same byte if one of them writes it. Written from the
// plan format alone, independently of the compiler's barrier placement: the
// loader uses it to refuse a plan whose barriers do not suffice.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Deadline.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vm {

/// What one command does to the bytes of one window.
struct Access {
  Window window; ///< The offset need not be aligned.
  bool reads = false;
  bool writes = false;
};

/// The accesses of command `index`: the bound windows with the kernel's reads
/// and writes, the triplet of an indirect dispatch, both ends of a copy, the
/// window of a fill or a clock, all windows of an exchange; none for a barrier,
/// a repeat or the end of an exchange. The plan must satisfy verifyPlan.
std::vector<Access> accessesOf(const Plan &plan, const Command &command);

/// Pairs of commands that conflict and have no barrier between them, in order
/// of the later command, at most `maxHazards`, on the first kind of device that
/// there are any on: commands may have features `unless`. For each byte the
/// latest earlier writer and the latest earlier reader are reported; adjacent
/// bytes are merged. In a repeat the earlier one may be of the time before.
/// An exchange is a barrier, and so is its end; between them it counts as a
/// command that runs. Empty if and only if the barriers suffice. O(n log n) in
/// the number of accesses while it finds none. The plan must satisfy
/// verifyPlan.
std::vector<BarrierReason> findUncoveredHazards(const Plan &plan,
                                                size_t maxHazards = SIZE_MAX);

/// Every dependence between commands, as if the plan had no barriers and ran
/// each command once: what a graph of the program shows. Code::BadInput if
/// there are more than 65,536, or finding them takes more than 2^26 steps.
Result<std::vector<BarrierReason>> findDependences(const Plan &plan);

/// Ok if findUncoveredHazards is empty; else Code::BadInput with the first one.
/// Code::DeviceLost when the deadline is over.
Status checkHazards(const Plan &plan, const Deadline &deadline = {});

} // namespace vm
