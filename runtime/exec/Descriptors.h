//===- Descriptors.h - the windows of every dispatch ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A descriptor set for each different (kernel, windows) of a program, written
// once. Ranges are explicit: a kernel cannot reach what lies outside a window
// (robustBufferAccess2), and synchronization validation knows which bytes each
// command accesses.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Deadline.h"
#include "runtime/base/Status.h"
#include "runtime/device/Device.h"
#include "runtime/exec/Pipelines.h"
#include "runtime/exec/Regions.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/Programs.h"

#include <cstdint>
#include <vector>

namespace vm {

class Descriptors {
public:
  /// Code::DeviceLost when the deadline is over.
  static Result<Descriptors> create(const Device &device, const Plan &plan,
                                    CommandRange commands,
                                    const Pipelines &pipelines,
                                    const Regions &regions,
                                    const Deadline &deadline);

  /// The set of command `index` of the plan, which must be a dispatch, where
  /// the windows of the repeats around it are in `state` (Turns::state()).
  VkDescriptorSet forCommand(size_t index, size_t state = 0) const {
    return sets_[setOfState_[firstState_[index - firstCommand_] + state]];
  }

private:
  Owned<VkDescriptorPool> pool_;
  std::vector<VkDescriptorSet> sets_;
  size_t firstCommand_ = 0;
  std::vector<size_t> firstState_; ///< Of each command, in `setOfState_`.
  std::vector<uint32_t> setOfState_;
};

/// A pool for `sets` sets with `descriptors` storage buffers in all.
Result<Owned<VkDescriptorPool>>
createDescriptorPool(const Device &device, uint32_t sets, uint32_t descriptors);

/// Points binding `binding` of `set` at `range`.
void writeDescriptor(const Device &device, VkDescriptorSet set,
                     uint32_t binding, const BufferRange &range);

} // namespace vm
