//===- TestDevices.cpp - devices written by hand --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/device/TestDevices.h"

namespace vm::test {

static DeviceInfo makeDevice(const char *name, DeviceType type) {
  DeviceInfo info;
  info.name = name;
  info.type = type;
  info.apiMajor = 1;
  info.apiMinor = 3;
  info.features = {Feature::Int8,     Feature::Int16,   Feature::Int64,
                   Feature::Float16,  Feature::Float64, Feature::Storage8,
                   Feature::Storage16};
  info.computeQueueFamily = 0;
  info.timestampBits = 64;
  info.limits.maxLocalSize = {1024, 1024, 64};
  info.limits.maxGroups = {65535, 65535, 65535};
  info.limits.maxWorkgroupInvocations = 1024;
  return info;
}

DeviceInfo makeLavapipe() {
  DeviceInfo info =
      makeDevice("llvmpipe (LLVM 15.0.6, 256 bits)", DeviceType::Cpu);
  info.lavapipe = true;
  info.limits.maxStorageBufferRange = 128u << 20;
  info.limits.maxAllocation = 2ull << 30;
  info.limits.maxStorageBuffersPerStage = 32;
  info.limits.maxWorkgroupMemory = 32u << 10;
  info.heaps = {{2ull << 30, true}};
  info.memoryTypes = {{0, true, true, true, true}};
  return info;
}

DeviceInfo makeDiscreteGpu() {
  DeviceInfo info = makeDevice("NVIDIA H200", DeviceType::Discrete);
  info.limits.maxStorageBufferRange = UINT32_MAX;
  info.limits.maxAllocation = 4ull << 30;
  info.limits.maxStorageBuffersPerStage = 1048576;
  info.limits.maxWorkgroupMemory = 48u << 10;
  info.heaps = {
      {140ull << 30, true}, {256ull << 30, false}, {256u << 20, true}};
  info.memoryTypes = {{1, false, false, false, false},
                      {0, true, false, false, false},
                      {1, false, true, true, false},
                      {1, false, true, true, true},
                      {2, true, true, true, false}};
  return info;
}

DeviceInfo makeIntegratedGpu() {
  DeviceInfo info = makeDevice("Small Graphics 600", DeviceType::Integrated);
  std::erase(info.features, Feature::Float64);
  info.limits.maxStorageBufferRange = 1u << 30;
  info.limits.maxAllocation = 1ull << 30;
  info.limits.maxStorageBuffersPerStage = 8;
  info.limits.maxWorkgroupMemory = 16u << 10;
  info.heaps = {{8ull << 30, true}};
  info.memoryTypes = {{0, true, true, true, false},
                      {0, true, true, true, true}};
  return info;
}

} // namespace vm::test
