//===- MemoryBudget.cpp - the memory that a plan needs --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds up the buffers whose best memory type is the device's own: all of them
// where host and device share one memory, without those for the host elsewhere.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/MemoryBudget.h"

#include "runtime/base/CheckedMath.h"
#include "runtime/device/MemoryRoles.h"
#include "runtime/exec/LoopShape.h"
#include "runtime/exec/NamedSlots.h"
#include "runtime/exec/Regions.h"
#include "runtime/exec/Transfer.h"

#include <fmt/format.h>

#include <algorithm>

namespace vm {

namespace {
/// Adds bytes up, those on the device only.
class Sum {
public:
  explicit Sum(const DeviceInfo &info) : info_(info) {}

  void add(MemoryRole role, uint64_t bytes) {
    std::vector<uint32_t> types = memoryTypesFor(info_, role, UINT32_MAX);
    if (!types.empty() &&
        info_.heaps[info_.memoryTypes[types[0]].heap].deviceLocal)
      bytes_ = checkedAdd(bytes_, bytes).value_or(UINT64_MAX);
  }
  uint64_t bytes() const { return bytes_; }

private:
  const DeviceInfo &info_;
  uint64_t bytes_ = 0;
};
} // namespace

uint64_t recordedBytesOf(const Plan &plan, bool trace) {
  // lavapipe takes 457 bytes for each of alternating dispatches and barriers,
  // with their traces; the H200's driver as much.
  constexpr uint64_t kBytesOfCommand = 512;
  uint64_t commands = countRecorded(plan).commands;
  return checkedMul(commands, kBytesOfCommand + (trace ? sizeof(size_t) : 0))
      .value_or(UINT64_MAX);
}

uint64_t deviceBytesOf(const Plan &plan, const DeviceInfo &info, bool trace) {
  Sum sum(info);
  for (unsigned i = 0; i < kNumRegions; ++i)
    sum.add(roleOf(static_cast<Region>(i)), plan.regionBytes[i]);
  for (const Input &input : plan.inputs)
    if (input.residency == Residency::Execution)
      sum.add(MemoryRole::Upload, byteSizeOf(input));
  for (const Output &output : plan.outputs)
    sum.add(MemoryRole::HostPolled, byteSizeOf(output));
  sum.add(MemoryRole::HostPolled, Transfer::kStagingBytes);
  if (trace)
    sum.add(MemoryRole::HostPolled,
            checkedMul(countRecorded(plan).commands, sizeof(uint32_t))
                .value_or(UINT64_MAX));
  return sum.bytes();
}

/// Whether the device reads memory that is not its own. The heap of a CPU is
/// what the driver makes of it (2 GiB on lavapipe); the host may have more.
static bool hasHostMemory(const DeviceInfo &info) {
  if (info.type == DeviceType::Cpu)
    return true;
  std::vector<uint32_t> types =
      memoryTypesFor(info, MemoryRole::Upload, UINT32_MAX);
  return !types.empty() &&
         !info.heaps[info.memoryTypes[types[0]].heap].deviceLocal;
}

static uint64_t excess(uint64_t bytes, uint64_t limit) {
  return bytes > limit ? bytes - limit : 0;
}

Result<HostPlacement> fitMemory(const Plan &plan, const DeviceInfo &info,
                                bool trace, const MemoryLimits &limits) {
  uint64_t needed = deviceBytesOf(plan, info, trace);
  // The budget of a device that is the host is for all that a plan takes.
  uint64_t counted = needed;
  if (info.type == DeviceType::Cpu)
    counted =
        checkedAdd(needed, recordedBytesOf(plan, trace)).value_or(UINT64_MAX);
  uint64_t budget = limits.budgetBytes ? limits.budgetBytes : UINT64_MAX;
  uint64_t overBudget = excess(counted, budget);
  uint64_t overFree = excess(needed, limits.freeBytes);
  if (overFree && !hasHostMemory(info))
    return Status(Code::OutOfMemory,
                  fmt::format("It takes {} bytes of device memory, more than "
                              "the device \"{}\" has free ({} bytes).",
                              needed, info.name, limits.freeBytes));
  // A full device has no room for kernels and what the driver rounds up.
  uint64_t toMove = overBudget;
  if (overFree)
    toMove = std::max(toMove, overFree + limits.freeBytes / 16);
  HostPlacement placement;
  if (toMove)
    placement = placeOnHost(plan, toMove);
  if (overBudget > placement.bytes)
    return Status(
        Code::OutOfMemory,
        fmt::format("It takes {} bytes of device memory, more than the budget "
                    "allows ({} bytes), and only {} bytes of them can lie in "
                    "host memory.",
                    counted, budget, placement.bytes));
  if (overFree > placement.bytes)
    return Status(
        Code::OutOfMemory,
        fmt::format("It takes {} bytes of device memory, more than the device "
                    "\"{}\" has free ({} bytes), and only {} bytes of them can "
                    "lie in host memory.",
                    needed, info.name, limits.freeBytes, placement.bytes));
  return placement;
}

} // namespace vm
