//===- DeviceClock.cpp - the clocks of device and host at one moment ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steady clock of libstdc++ and libc++ is CLOCK_MONOTONIC on Linux.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/DeviceClock.h"

namespace vm {

Result<std::optional<ClockSample>> sampleClocks(const Device &device) {
  if (!device.calibratesClocks())
    return std::optional<ClockSample>();
  VkCalibratedTimestampInfoEXT infos[2] = {
      {VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, nullptr,
       VK_TIME_DOMAIN_DEVICE_EXT},
      {VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, nullptr,
       VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT}};
  uint64_t times[2] = {};
  uint64_t deviation = 0;
  VM_RETURN_IF_VK_ERROR(device.vk()->vkGetCalibratedTimestampsEXT(
                            device.handle(), 2, infos, times, &deviation),
                        "read the clocks of device and host together");
  return std::optional(ClockSample{times[0], times[1], deviation});
}

} // namespace vm
