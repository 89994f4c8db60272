//===- HostPlacement.h - what of a plan lies in host memory ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan can take more memory than the device has. Some of what its commands
// only read then lies in host memory, where the device reads it in place: no
// command changes, and what is read once in an execution crosses the bus once,
// as it would be if it were copied to the device before.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/exec/RegionSplit.h"
#include "runtime/plan/Plan.h"

#include <array>
#include <cstdint>
#include <vector>

namespace vm {

struct HostPlacement {
  /// Of each region what lies in host memory: sorted, disjoint, whole windows.
  std::array<std::vector<Segment>, kNumRegions> ranges = {};
  uint64_t bytes = 0; ///< Of all of them.
};

/// Chooses at least `bytes` bytes of windows that no command of `plan` writes
/// and no execution uploads, or all of them if there are fewer. Those whose
/// bytes are read least often in one execution of each program come first, as
/// if commands read all of their windows and loops took all iterations; of the
/// same cost large ones, so that few are needed, as long as they are not more
/// than is needed. O(n log n) in the plan's windows.
HostPlacement placeOnHost(const Plan &plan, uint64_t bytes);

} // namespace vm
