//===- ReduceLayout.h - how a reduction is laid over the device -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "dialects/gpuvm/Target.h"
#include "kernels/family/Layout.h"

namespace mlir::gpuvm {

/// A reduction that is no contraction (ContractLayout). `vector`: of elements
/// of a result; in columns, of neighbouring results.
struct ReduceLayout : LayoutOf<ReduceLayout> {
  /// In columns: lanes side by side along the results, if those of several
  /// rows share them.
  static constexpr int64_t kColumnsAtOnce =
      kLanes / ReductionOrder::kColumnLanes;

  ReductionOrder order;
  /// The iteration space is walked in row-major order of positions; loop
  /// indices are not needed.
  bool flat = false;
  /// A lane's elements of a result fit into registers.
  bool keepsRows = false;
  /// With one part: results of a workgroup, `groupsPerResult` lane groups each.
  /// Short results leave most lane groups of a part without elements.
  int64_t resultsPerGroup = 1;
  int64_t groupsPerResult = ReductionOrder::kGroupsPerPart;
  /// With one part and one phase: results that every lane of a workgroup has
  /// elements of. They share what they read and the way through workgroup
  /// memory.
  int64_t resultsPerLane = 1;
  /// In lanes: how many lanes of the order a lane takes at once; 0 if it is one
  /// of them, and else it does, one after the other, what a lane group does.
  int64_t lanesAtOnce = 0;

  /// In columns: lanes side by side, and of results, as many as a workgroup
  /// takes at once.
  int64_t columnsAtOnce() const { return ownResults ? lanes : kColumnsAtOnce; }
  int64_t columnBlocks() const {
    return llvm::divideCeil(results, columnsAtOnce() * vector);
  }
  void visit(LayoutFields &fields) override;
};

/// Lays out a reduction whose elements are no contraction.
void layOutReduction(flow::DispatchOp kernel, TargetAttr target,
                     ReduceLayout &layout);

/// Changes it to loads of 32 bytes, for devices that take lanes one by one;
/// false if that is not worth it.
bool widenReduction(flow::DispatchOp kernel, ReduceLayout &layout);

} // namespace mlir::gpuvm
