//===- CooperativeMatrix.h - matrices of a subgroup -------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime needs of VK_KHR_cooperative_matrix and
// VK_KHR_shader_bfloat16, from the Vulkan specification (1.3.255 and 1.4.311):
// Debian 12's headers are older.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <volk.h>

namespace vm {

inline constexpr const char *kCooperativeMatrixExtension =
    "VK_KHR_cooperative_matrix";

/// VkPhysicalDeviceCooperativeMatrixFeaturesKHR
struct CooperativeMatrixFeatures {
  VkStructureType sType = static_cast<VkStructureType>(1000506000);
  void *pNext = nullptr;
  VkBool32 cooperativeMatrix = VK_FALSE;
  VkBool32 cooperativeMatrixRobustBufferAccess = VK_FALSE;
};

inline constexpr const char *kBfloat16Extension = "VK_KHR_shader_bfloat16";

/// VkPhysicalDeviceShaderBfloat16FeaturesKHR
struct Bfloat16Features {
  VkStructureType sType = static_cast<VkStructureType>(1000141000);
  void *pNext = nullptr;
  VkBool32 shaderBFloat16Type = VK_FALSE;
  VkBool32 shaderBFloat16DotProduct = VK_FALSE;
  VkBool32 shaderBFloat16CooperativeMatrix = VK_FALSE;
};

/// VkComponentTypeKHR
enum class MatrixComponent : uint32_t {
  Float16 = 0,
  Float32 = 1,
  Sint8 = 3,
  Sint32 = 5,
  Bfloat16 = 1000141000,
};

/// VkCooperativeMatrixPropertiesKHR
struct CooperativeMatrixProperties {
  VkStructureType sType = static_cast<VkStructureType>(1000506001);
  void *pNext = nullptr;
  uint32_t rows = 0, columns = 0, depth = 0; ///< MSize, NSize, KSize
  MatrixComponent a = {}, b = {}, c = {}, result = {};
  VkBool32 saturatingAccumulation = VK_FALSE;
  uint32_t scope = 0; ///< VkScopeKHR
};
inline constexpr uint32_t kMatrixScopeSubgroup = 3;

/// vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR
using GetCooperativeMatrices = VkResult(VKAPI_PTR *)(
    VkPhysicalDevice, uint32_t *, CooperativeMatrixProperties *);

} // namespace vm
