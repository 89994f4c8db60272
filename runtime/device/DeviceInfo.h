//===- DeviceInfo.h - properties of Vulkan devices ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain data: everything the choice of a device and of memory types looks at,
// so that both are pure functions that tests call with devices written by hand.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/plan/Plan.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vm {

enum class DeviceType : uint8_t { Discrete, Integrated, Virtual, Cpu, Other };
const char *toString(DeviceType type); ///< "discrete", "cpu", ...

struct MemoryHeap {
  uint64_t bytes = 0;
  bool deviceLocal = false;
};

struct MemoryType {
  uint32_t heap = 0;
  bool deviceLocal = false;
  bool hostVisible = false;
  bool hostCoherent = false;
  bool hostCached = false;
};

/// Sizes are in bytes.
struct DeviceLimits {
  uint64_t maxStorageBufferRange = 0;
  uint64_t maxAllocation = 0; ///< The smaller of one allocation and one buffer.
  uint32_t maxStorageBuffersPerStage = 0;
  uint32_t maxWorkgroupMemory = 0;
  uint32_t maxWorkgroupInvocations = 0;
  std::array<uint32_t, 3> maxLocalSize = {};
  std::array<uint32_t, 3> maxGroups = {};
};

struct DeviceInfo {
  std::string name;   ///< "NVIDIA H200", "llvmpipe (LLVM 15.0.6, 256 bits)".
  std::string driver; ///< "NVIDIA 580.126", "llvmpipe Mesa 22.3.6".
  DeviceType type = DeviceType::Other;
  bool lavapipe = false; ///< Mesa's CPU implementation.
  uint32_t apiMajor = 0;
  uint32_t apiMinor = 0;
  uint32_t vendorId = 0;
  uint32_t deviceId = 0;
  uint32_t driverVersion = 0;
  std::array<uint8_t, 16> uuid = {};
  std::array<uint8_t, 16> pipelineCacheUuid = {};

  std::vector<Feature> features; ///< Those that plans can ask for.
  bool robustBufferAccess2 = false;

  DeviceLimits limits;
  std::vector<MemoryHeap> heaps;
  std::vector<MemoryType> memoryTypes;

  std::optional<uint32_t> computeQueueFamily;
  uint32_t timestampBits = 0;     ///< 0: the queue has no timestamps.
  double timestampPeriodNs = 1.0; ///< Nanoseconds of one tick.

  bool has(Feature feature) const;
  /// Bytes of the largest device-local heap.
  uint64_t deviceHeapBytes() const;
};

} // namespace vm
