//===- DeviceClock.h - the clocks of device and host at one moment --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What puts timestamps of the device on the host's clock.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/Device.h"

#include <cstdint>
#include <optional>

namespace vm {

struct ClockSample {
  uint64_t deviceTicks = 0;
  uint64_t hostNs = 0;        ///< Of the steady clock, at the same moment,
  uint64_t uncertaintyNs = 0; ///< give or take this.
};

/// Reads both clocks; nothing if the device has no VK_EXT_calibrated_timestamps
/// with the host's steady clock.
Result<std::optional<ClockSample>> sampleClocks(const Device &device);

} // namespace vm
