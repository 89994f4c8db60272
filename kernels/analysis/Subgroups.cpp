//===- Subgroups.cpp - the subgroups that kernels are for -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/Subgroups.h"

using namespace mlir;
using namespace mlir::gpuvm;

static constexpr int64_t kSubgroupLanes = 32;

int64_t gpuvm::subgroupLanesOf(flow::DispatchOp kernel) {
  return kernel->getParentOfType<ProgramOp>().getSubgroupLanes().value_or(
      kSubgroupLanes);
}
