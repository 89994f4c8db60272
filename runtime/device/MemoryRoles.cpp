//===- MemoryRoles.cpp - roles of memory types ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each role scores the types it can use; ties keep the driver's order, which
// Vulkan defines as fastest first among equals.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/MemoryRoles.h"

#include <algorithm>

namespace vm {

bool isHostVisible(MemoryRole role) { return role != MemoryRole::DeviceOnly; }

/// Larger is better; negative: unusable for the role.
static int score(const MemoryType &type, MemoryRole role) {
  if (isHostVisible(role) && !(type.hostVisible && type.hostCoherent))
    return -1;
  switch (role) {
  case MemoryRole::DeviceOnly:
    // The part of device memory that the host sees can be small: leave it.
    return 4 * type.deviceLocal + !type.hostVisible;
  case MemoryRole::HostPolled:
    return 2 * type.hostCached + type.deviceLocal;
  case MemoryRole::HostPosted:
    return 2 * type.deviceLocal + type.hostCached;
  case MemoryRole::Upload:
    return 2 * !type.deviceLocal + type.hostCached;
  }
  return -1;
}

std::vector<uint32_t> memoryTypesFor(const DeviceInfo &info, MemoryRole role,
                                     uint32_t allowedTypes) {
  std::vector<uint32_t> types;
  for (uint32_t i = 0; i < info.memoryTypes.size() && i < 32; ++i)
    if ((allowedTypes >> i & 1) && score(info.memoryTypes[i], role) >= 0)
      types.push_back(i);
  std::stable_sort(types.begin(), types.end(), [&](uint32_t a, uint32_t b) {
    return score(info.memoryTypes[a], role) > score(info.memoryTypes[b], role);
  });
  return types;
}

} // namespace vm
