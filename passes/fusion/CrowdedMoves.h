//===- CrowdedMoves.h - elements that too many would move -------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "passes/fusion/KernelGroups.h"

namespace mlir::gpuvm {

/// Gives a place in memory to each operation of a stage that only moves
/// elements and whose code would be copied too often (CodeCopies.h), by an
/// elementwise operation that reads it. `group`: whether operations of the
/// stage share kernels at all.
void placeCrowdedMoves(StageOp stage, bool group, const GroupingLimits &limits);

} // namespace mlir::gpuvm
