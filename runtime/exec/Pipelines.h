//===- Pipelines.h - a plan's kernels as compute pipelines ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pipeline a kernel. Its descriptor set has exactly the kernel's bindings,
// one storage buffer each: synchronization validation sees nothing of hazards
// inside descriptor arrays.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/Device.h"
#include "runtime/plan/Plan.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace vm {

struct Pipeline {
  Owned<VkDescriptorSetLayout> setLayout;
  Owned<VkPipelineLayout> layout;
  Owned<VkPipeline> pipeline;
};

/// Whether there is enough address space for lavapipe to compile `kernel`.
Status checkMemoryToCompile(const Device &device, const Kernel &kernel);

/// Compiles `kernel`; Code::NoDevice if the driver refuses it.
/// `pushConstantBytes` is 0 for the kernels of plans.
Result<Pipeline> createPipeline(const Device &device, const Kernel &kernel,
                                VkPipelineCache cache,
                                uint32_t pushConstantBytes = 0);

/// Told how many of how many kernels are compiled; by one thread at a time.
using CompileProgress = std::function<void(size_t done, size_t total)>;

/// The pipelines of a plan's kernels, by kernel index.
class Pipelines {
public:
  Pipelines() = default;
  explicit Pipelines(size_t numKernels) : pipelines_(numKernels) {}

  /// Compiles some of `kernels`, by their numbers, on as many threads as the
  /// host has. `cacheDirectory`: see PipelineCache. `progress` may be empty.
  Status compile(const Device &device, const std::vector<Kernel> &kernels,
                 std::span<const uint32_t> numbers,
                 const std::string &cacheDirectory,
                 const CompileProgress &progress = {});

  const Pipeline &operator[](uint32_t kernel) const {
    return pipelines_[kernel];
  }

private:
  std::vector<Pipeline> pipelines_;
};

} // namespace vm
