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

/// So many elements at most, made of the only result of a reduction, the lane
/// that finishes it computes one after the other.
inline constexpr int64_t kMaxFew = 16;

/// A reduction that is no contraction (ContractLayout). `vector`: of elements
/// of a result; in columns, of neighbouring results.
struct ReduceLayout : LayoutOf<ReduceLayout> {
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

  /// In columns: lanes side by side along the results. The workgroup's rows of
  /// them share its results.
  int64_t lanesAcross = kLanes / ReductionOrder::kColumnLanes;
  /// In columns: a workgroup has all parts of its results, one or a few at a
  /// time, and not one part of them.
  bool allParts = false;

  int64_t columnBlocks() const {
    return llvm::divideCeil(results, lanesAcross * vector);
  }
  /// Rows of lanes, kColumnLanes for each part that a workgroup has at once.
  int64_t columnRows() const { return lanes / lanesAcross; }
  int64_t partsAtOnce() const {
    return columnRows() / ReductionOrder::kColumnLanes;
  }
  /// What is between two elements of a lane of the order.
  int64_t columnStride() const {
    return order.parts * ReductionOrder::kColumnLanes;
  }
  void visit(LayoutFields &fields) override;
};

/// Lavapipe (Mesa 22.3) ends the loops of an invocation after 65,536 iterations
/// in all, without a word; what would need more is refused.
inline constexpr int64_t kMaxIterations = 65000;

/// Whether a kernel on `target` should go on with the totals of a reduction in
/// columns, for which a workgroup has all parts of its results: whether a walk
/// over the elements then takes no longer than one of all workgroups and
/// another kernel.
bool mayHaveAllParts(const ReductionOrder &order, int64_t results,
                     int64_t elements, int64_t elementBytes, TargetAttr target);

/// Lays out a reduction whose elements are no contraction.
void layOutReduction(flow::DispatchOp kernel, TargetAttr target,
                     ReduceLayout &layout);

/// Changes it to loads of 32 bytes, for devices that take lanes one by one;
/// false if that is not worth it.
bool widenReduction(flow::DispatchOp kernel, ReduceLayout &layout);

} // namespace mlir::gpuvm
