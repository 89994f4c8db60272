//===- CopySpeed.h - the copy speed of a device ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The yardstick of every speed we report: bytes read plus bytes written per
// second of device time by a kernel that does nothing else (copy_speed.comp).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/Device.h"
#include "runtime/exec/Statistics.h"

#include <cstdint>

namespace vm {

struct CopySpeed {
  uint64_t bytes = 0;            ///< Read plus written by one copy.
  uint32_t workgroups = 0;       ///< Of 256 invocations, the best number found.
  Spread copyUs;                 ///< Device time of one copy.
  double gigabytesPerSecond = 0; ///< From the median; 1 GB = 10^9 bytes.
};

/// A size well beyond the caches of the device and inside its limits.
uint64_t defaultCopyBytes(const DeviceInfo &info);

/// Copies `bytes` (rounded down to 16, at least 16; 0 for the default) from one
/// buffer to another 11 times after a warm-up, with the best of several numbers
/// of workgroups. Code::NoDevice if the device has no
/// clock or one buffer is longer than its maxStorageBufferRange.
Result<CopySpeed> measureCopySpeed(const Device &device, uint64_t bytes,
                                   uint64_t timeoutNs);

} // namespace vm
