//===- Requirements.h - device requirements of a plan ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computed from the plan alone. Each requirement has the name of the kernel or
// region that is its reason, so that a refusal can say it.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/plan/Plan.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace vm {

struct FeatureNeed {
  Feature feature = Feature::Int8;
  std::string kernel; ///< The first kernel that needs it.
};

/// The largest value of one kind, and the name of what needs it. 0: nothing
/// does.
struct LimitNeed {
  uint64_t value = 0;
  std::string user; ///< The subject of a sentence: `Kernel "filter"`.

  /// Keeps the larger of what is there and `newValue`.
  void raise(uint64_t newValue, const std::string &newUser);
};

struct Requirements {
  std::vector<FeatureNeed> features; ///< One each, in the order of Feature.
  LimitNeed windowBytes;             ///< Longest window of a dispatch.
  LimitNeed regionBytes;             ///< Largest region.
  uint64_t totalRegionBytes = 0;     ///< All five regions.
  bool clock = false;                ///< Timestamps.
  LimitNeed storageBuffers;          ///< Most bindings of one kernel.
  LimitNeed workgroupMemory;         ///< In bytes.
  LimitNeed invocations;             ///< Of one workgroup.
  std::array<LimitNeed, 3> localSize;
  std::array<LimitNeed, 3> groups; ///< Of a direct dispatch.
};

/// What one kernel asks of a device.
Requirements requirementsOf(const Kernel &kernel);

/// What a plan cannot do without; variants of kernels are not in it, nor are
/// the bytes of each region that lie in host memory.
/// Never fails: a plan that asks for the impossible is refused by every device.
Requirements
requirementsOf(const Plan &plan,
               const std::array<uint64_t, kNumRegions> &onHost = {});

} // namespace vm
