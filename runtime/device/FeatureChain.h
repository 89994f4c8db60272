//===- FeatureChain.h - the chain of feature structs ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/device/CooperativeMatrix.h"
#include "runtime/device/VulkanApi.h"

namespace vm {

/// The chain of feature structures that vkGetPhysicalDeviceFeatures2 fills and
/// vkCreateDevice takes; schema/Features.def names their members. Not copyable:
/// the structures point at each other.
struct FeatureChain {
  /// The structures that a device knows beyond Vulkan 1.2; others stay zero.
  struct Parts {
    bool vulkan13 = false, robustness2 = false, conditions = false,
         matrices = false, bfloat16 = false;
  };
  explicit FeatureChain(const Parts &parts) {
    core.pNext = &v11;
    v11.pNext = &v12;
    void **end = &v12.pNext;
    auto append = [&](bool isKnown, auto &features) {
      if (!isKnown)
        return;
      *end = &features;
      end = &features.pNext;
    };
    append(parts.vulkan13, v13);
    append(parts.robustness2, robustness);
    append(parts.conditions, conditions);
    append(parts.matrices, matrices);
    append(parts.bfloat16, bfloat16);
  }
  FeatureChain(const FeatureChain &) = delete;

  VkPhysicalDeviceFeatures2 core = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  VkPhysicalDeviceVulkan11Features v11 = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
  VkPhysicalDeviceVulkan12Features v12 = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceVulkan13Features v13 = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  VkPhysicalDeviceRobustness2FeaturesEXT robustness = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT};
  VkPhysicalDeviceConditionalRenderingFeaturesEXT conditions = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT};
  CooperativeMatrixFeatures matrices;
  Bfloat16Features bfloat16;
};

} // namespace vm
