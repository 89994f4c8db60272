//===- BarrierScopes.h - stage masks of barriers --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan's barrier orders everything before it with everything after it. Vulkan
// wants to know which stages that is, and naming more costs time: a barrier
// whose destination includes DRAW_INDIRECT takes twice as long as one without
// on an NVIDIA H200. So indirect reads are named only where the group counts
// were written by the device itself.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Deadline.h"
#include "runtime/base/Status.h"
#include "runtime/device/VulkanApi.h"
#include "runtime/plan/Plan.h"

#include <vector>

namespace vm {

/// The four masks of one global memory barrier.
struct BarrierScope {
  VkPipelineStageFlags sourceStages = 0;
  VkPipelineStageFlags destinationStages = 0;
  VkAccessFlags sourceAccess = 0;
  VkAccessFlags destinationAccess = 0;
  bool operator==(const BarrierScope &) const = default;
};

/// The scopes of every barrier of one execution.
struct BarrierScopes {
  /// Between the uploads (and whatever ran before) and the first command.
  BarrierScope afterUploads;
  /// One for each command of the plan; used where the command is a barrier.
  std::vector<BarrierScope> commands;
  /// Between what comes before an exchange and what comes after it.
  BarrierScope aroundExchange;
  /// Between the last command and the downloads.
  BarrierScope beforeDownloads;
  /// Between everything and the host.
  BarrierScope toHost;
};

/// Pure; takes n log n for n windows of commands. Code::DeviceLost when the
/// deadline is over.
Result<BarrierScopes> barrierScopesOf(const Plan &plan,
                                      const Deadline &deadline = {});

} // namespace vm
