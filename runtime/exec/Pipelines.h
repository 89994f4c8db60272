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

#include <cstdint>
#include <string>
#include <vector>

namespace vm {

struct Pipeline {
  Owned<VkDescriptorSetLayout> setLayout;
  Owned<VkPipelineLayout> layout;
  Owned<VkPipeline> pipeline;
};

/// Compiles `kernel`. `pushConstantBytes` is 0 for the kernels of plans.
Result<Pipeline> createPipeline(const Device &device, const Kernel &kernel,
                                VkPipelineCache cache,
                                uint32_t pushConstantBytes = 0);

/// The pipelines of all of a plan's kernels, by kernel index.
class Pipelines {
public:
  /// `cacheDirectory`: see PipelineCache.
  static Result<Pipelines> create(const Device &device,
                                  const std::vector<Kernel> &kernels,
                                  const std::string &cacheDirectory);

  const Pipeline &operator[](uint32_t kernel) const {
    return pipelines_[kernel];
  }

private:
  std::vector<Pipeline> pipelines_;
};

} // namespace vm
