//===- JoinPlans.h - the plans of several programs as one -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/plan/Plan.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace mlir::gpuvm {

/// The plan of one of several programs, over regions of its own.
struct PartOfPlan {
  vm::Plan plan;
  /// The bytes at the start of each region that are the same in all parts.
  std::array<uint64_t, vm::kNumRegions> shared = {};
  /// Where in Registers nothing is kept from one execution to the next.
  uint64_t transientBegin = 0, transientEnd = 0;
};

/// One plan with a program for each part. What they share comes first in each
/// region, then what each of them keeps; what they do not keep is in one place
/// for all, since only one of them runs at a time. Names of what is not shared
/// get that of the program and a dot before them.
vm::Plan joinPlans(std::vector<PartOfPlan> parts, const std::string &name);

} // namespace mlir::gpuvm
