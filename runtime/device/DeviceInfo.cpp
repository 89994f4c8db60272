//===- DeviceInfo.cpp - properties of Vulkan devices ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The few questions asked of a DeviceInfo that are not a field of it.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/DeviceInfo.h"

#include <algorithm>

namespace vm {

const char *toString(DeviceType type) {
  switch (type) {
  case DeviceType::Discrete:
    return "discrete";
  case DeviceType::Integrated:
    return "integrated";
  case DeviceType::Virtual:
    return "virtual";
  case DeviceType::Cpu:
    return "cpu";
  case DeviceType::Other:
    break;
  }
  return "other";
}

bool DeviceInfo::has(Feature feature) const {
  return std::find(features.begin(), features.end(), feature) != features.end();
}

uint64_t DeviceInfo::deviceHeapBytes() const {
  uint64_t bytes = 0;
  for (const MemoryHeap &heap : heaps)
    if (heap.deviceLocal)
      bytes = std::max(bytes, heap.bytes);
  return bytes;
}

} // namespace vm
