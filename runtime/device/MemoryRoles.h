//===- MemoryRoles.h - roles of memory types ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only coherent host memory is ever used, so nothing is flushed or invalidated
// by hand (Vulkan guarantees one such type on every device).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/device/DeviceInfo.h"

#include <cstdint>
#include <vector>

namespace vm {

enum class MemoryRole : uint8_t {
  DeviceOnly, ///< Registers, Globals, Heap: as fast as the device has it.
  HostPolled, ///< Metrics, downloads: the host reads, so host-cached.
  HostPosted, ///< Control: the host writes words the device keeps reading.
  Upload,     ///< Host memory the host fills and the device reads.
};

/// Whether the host maps memory of this role.
bool isHostVisible(MemoryRole role);

/// Indices of the memory types that serve `role`, best first, among those whose
/// bit is set in `allowedTypes` (VkMemoryRequirements::memoryTypeBits). Those
/// further down are for when an allocation from the better ones fails.
std::vector<uint32_t> memoryTypesFor(const DeviceInfo &info, MemoryRole role,
                                     uint32_t allowedTypes);

} // namespace vm
