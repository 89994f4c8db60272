//===- MemoryBudget.h - the memory that a plan needs ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan says all memory that it takes before any of it is allocated, so that
// what does not fit is refused with both numbers.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/DeviceInfo.h"
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

/// Code::OutOfMemory if `neededBytes` are more than `budgetBytes` (0: no
/// budget) or more than the device has free.
Status checkBudget(uint64_t neededBytes, uint64_t budgetBytes,
                   uint64_t freeBytes, const DeviceInfo &info);

} // namespace vm
