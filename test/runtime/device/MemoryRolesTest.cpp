//===- MemoryRolesTest.cpp ------------------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/MemoryRoles.h"

#include "test/runtime/device/TestDevices.h"

#include <gtest/gtest.h>

using namespace vm;
using namespace vm::test;

namespace {

constexpr uint32_t kAll = UINT32_MAX;
using Types = std::vector<uint32_t>;

// Types of makeDiscreteGpu: 0 nothing, 1 device, 2 host, 3 host cached, 4
// device memory the host sees.

TEST(MemoryRoles, KeepTheVisiblePartOfADiscreteGpuFree) {
  Types types = memoryTypesFor(makeDiscreteGpu(), MemoryRole::DeviceOnly, kAll);
  ASSERT_GE(types.size(), 2u);
  EXPECT_EQ(types[0], 1u);
  EXPECT_EQ(types[1], 4u);
}

TEST(MemoryRoles, PollCachedHostMemory) {
  EXPECT_EQ(memoryTypesFor(makeDiscreteGpu(), MemoryRole::HostPolled, kAll),
            (Types{3, 4, 2}));
}

TEST(MemoryRoles, PostWordsIntoDeviceMemory) {
  EXPECT_EQ(memoryTypesFor(makeDiscreteGpu(), MemoryRole::HostPosted, kAll),
            (Types{4, 3, 2}));
}

TEST(MemoryRoles, UploadFromHostMemory) {
  EXPECT_EQ(memoryTypesFor(makeDiscreteGpu(), MemoryRole::Upload, kAll),
            (Types{3, 2, 4}));
}

TEST(MemoryRoles, UseOnlyAllowedTypes) {
  EXPECT_EQ(memoryTypesFor(makeDiscreteGpu(), MemoryRole::HostPolled, 1u << 2),
            (Types{2}));
  EXPECT_TRUE(memoryTypesFor(makeDiscreteGpu(), MemoryRole::HostPolled, 1u << 1)
                  .empty());
}

TEST(MemoryRoles, NeverMapIncoherentMemory) {
  DeviceInfo info = makeLavapipe();
  info.memoryTypes = {{0, true, true, false, true}};
  EXPECT_TRUE(memoryTypesFor(info, MemoryRole::Upload, kAll).empty());
  EXPECT_EQ(memoryTypesFor(info, MemoryRole::DeviceOnly, kAll), (Types{0}));
}

TEST(MemoryRoles, OneTypeServesAllOnACpuDevice) {
  for (MemoryRole role : {MemoryRole::DeviceOnly, MemoryRole::HostPolled,
                          MemoryRole::HostPosted, MemoryRole::Upload})
    EXPECT_EQ(memoryTypesFor(makeLavapipe(), role, kAll), (Types{0}));
}

} // namespace
