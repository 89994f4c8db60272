//===- Subgroups.h - the subgroups that kernels are for ---------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"

namespace mlir::gpuvm {

/// Lanes of the subgroups in which lanes of `kernel` exchange what they have,
/// on devices with features for that: 32, or the `subgroup_lanes` of the
/// program.
int64_t subgroupLanesOf(flow::DispatchOp kernel);

} // namespace mlir::gpuvm
