//===- MemoryBudget.h - the memory that a plan needs ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan says all memory that it takes before any of it is allocated, so that
// what the device has no room for lies in host memory, or is refused with all
// numbers.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/DeviceInfo.h"
#include "runtime/exec/HostPlacement.h"
#include "runtime/plan/Plan.h"

#include <cstdint>

namespace vm {

/// Bytes of host memory that recording `plan` takes, more or less: drivers keep
/// every command, those of repeats as often as they run.
uint64_t recordedBytesOf(const Plan &plan, bool trace);

/// Bytes that the regions of `plan`, its staging and its trace, if it is
/// traced, take of the device's own memory. The driver's padding is not in it,
/// nor what it needs for kernels.
uint64_t deviceBytesOf(const Plan &plan, const DeviceInfo &info, bool trace);

/// What of the device's memory a plan may take.
struct MemoryLimits {
  uint64_t budgetBytes = 0;        ///< 0: no budget.
  uint64_t freeBytes = UINT64_MAX; ///< What the device has left.
};

/// What of `plan` lies in host memory so that the rest keeps to the limits:
/// nothing if all of it does. Where a GPU's memory is the host's, there is no
/// other, and it makes room in a budget only. Code::OutOfMemory if too little
/// can lie there.
Result<HostPlacement> fitMemory(const Plan &plan, const DeviceInfo &info,
                                bool trace, const MemoryLimits &limits);

} // namespace vm
