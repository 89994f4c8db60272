//===- KnownModule.h - a kernel in words that the libraries know -*- C++
//-*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SPIRV-Tools and SPIRV-Cross of Debian 12 are older than cooperative matrices
// (SPV_KHR_cooperative_matrix). SPIRV-Tools knows their predecessor
// (SPV_NV_cooperative_matrix), which has the same instructions with other
// numbers and operands; so a module is checked in its words. What goes to the
// driver is the module itself.
//
// They know nothing of bf16 (SPV_KHR_bfloat16) either: its type is left out,
// and matrices of it become matrices of f32, which any other use of it does not
// survive.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <spirv-tools/libspirv.h>
#include <spirv_cross/spirv.h>

#include <cstdint>
#include <span>
#include <vector>

namespace vm {

/// A type of cooperative matrices.
struct MatrixType {
  enum class Scalar : uint8_t { Integer, Float, Bfloat, Other };
  Scalar scalar = Scalar::Other;
  uint32_t width = 0; ///< Of an element, in bits.
  uint32_t rows = 0, columns = 0;
  bool ofSubgroup = false;
  bool operator==(const MatrixType &) const = default;
};

// SPIR-V specification, "BFloat16TypeKHR" and "BFloat16CooperativeMatrixKHR".
inline constexpr auto kCapabilityBfloat16Type =
    static_cast<SpvCapability>(5116);
inline constexpr auto kCapabilityBfloat16Matrix =
    static_cast<SpvCapability>(5118);

struct KnownModule {
  /// Vulkan 1.3, which accepts SPIR-V 1.6, with cooperative matrices or dot
  /// products; else Vulkan 1.2. (Lavapipe of Mesa 22.3 is a Vulkan 1.3 device.)
  spv_target_env environment = SPV_ENV_VULKAN_1_2;
  std::vector<uint32_t> words;
  /// Whether the module itself uses the predecessor, which no plan may.
  bool isPredecessor = false;
  /// Of the module itself, and missing in the words.
  std::vector<uint32_t> leftOutCapabilities;
  std::vector<MatrixType> matrices; ///< Of the module itself.
};

/// Any words may be passed: what cannot be said otherwise stays as it is, and
/// SPIRV-Tools refuses it.
KnownModule toKnownModule(std::span<const uint32_t> spirv);

/// The words of a known module without types of matrices, for reflection:
/// SPIRV-Cross does not look into functions.
std::vector<uint32_t> withoutMatrixTypes(std::span<const uint32_t> spirv);

} // namespace vm
