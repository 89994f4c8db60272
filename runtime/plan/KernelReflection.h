//===- KernelReflection.h - the interface of a kernel, by SPIRV-Cross -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry point, local size and resources as SPIRV-Cross sees them. Only its C
// interface is used: the C++ one throws or aborts on odd modules.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vm {

/// One variable in storage class StorageBuffer. Several may share a binding.
struct ReflectedBuffer {
  uint32_t id = 0; ///< Of the OpVariable.
  uint32_t set = 0;
  uint32_t binding = 0;
  bool nonWritable = false; ///< The variable or all members of its block.
  bool isArray = false;     ///< An array of descriptors.
  bool isLegacy = false;    ///< A BufferBlock in storage class Uniform.
  /// Of a block that is one array of numbers or of vectors of them; none for
  /// any other block. `int` and `uint` are the same type here.
  std::optional<DType> element;
};

struct ReflectedKernel {
  std::vector<std::string> entryPoints;
  bool isCompute = false; ///< All entry points are GLCompute.
  std::array<uint32_t, 3> localSize = {};
  std::vector<ReflectedBuffer> buffers;
  /// "a push constant block", "2 storage images", ...: all other resources.
  std::vector<std::string> otherResources;
};

/// Reflects a module that spvValidate accepts. Code::BadInput if SPIRV-Cross
/// refuses it; `name` is the kernel's, for the message.
Result<ReflectedKernel> reflectKernel(const std::string &name,
                                      std::span<const uint32_t> spirv);

/// The module as GLSL for people to read; Code::BadInput if SPIRV-Cross cannot
/// express it.
Result<std::string> decompileToGlsl(const std::string &name,
                                    std::span<const uint32_t> spirv);

} // namespace vm
