//===- Reduction.h - the order of a reduction, bit for bit ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point addition is not associative, so the order in which a reduction
// combines its elements is part of its meaning here: it follows from the shape
// of the iteration space alone and is the same on every device, fused or not.
// docs/reduction-order.md specifies it; the emitters and the reference
// interpreter implement it separately and share only these definitions.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Combiner.h"

namespace mlir::gpuvm {

/// How the K elements that go into one result are combined, in row-major order
/// of the reduction dimensions.
struct ReductionOrder {
  /// The lanes of one part.
  static constexpr int64_t kLanes = 256;
  /// Groups of 16 neighbouring lanes read rows of neighbouring elements.
  static constexpr int64_t kLaneGroup = 16;
  static constexpr int64_t kGroupsPerPart = kLanes / kLaneGroup;
  /// In columns a part of a result has so many lanes.
  static constexpr int64_t kColumnLanes = 8;

  /// All K elements in ascending order, one after the other.
  bool sequential = false;
  /// Sequential, and a product of an accumulator's addition may be fused into
  /// it: many results share the elements they read (`getTileLoops`).
  bool tiled = false;
  /// In lanes, with kColumnLanes lane groups of one lane, which take an element
  /// at a time: neighbouring lanes are left to neighbouring results.
  bool columns = false;
  /// Otherwise rows are taken in iterations of kGroupsPerPart * rowsPerGroup;
  /// iteration t belongs to part t % parts (in columns: rows of one element in
  /// iterations of kColumnLanes). In an iteration each lane group of the part
  /// takes rowsPerGroup neighbouring rows, in order; lane l of a group combines
  /// elements [l * elementsPerLane, (l + 1) * elementsPerLane) of each row,
  /// ascending. Then the lanes that have an element are combined in groups of
  /// kLaneGroup, ascending, and the groups, ascending. The parts, at most
  /// kLanes, are combined the same way: lane l takes part l (in columns, parts
  /// l, l + kColumnLanes, ...).
  int64_t parts = 1;
  int64_t rowsPerGroup = 1;
  int64_t elementsPerLane = 8;

  int64_t laneGroup() const { return columns ? 1 : kLaneGroup; }
  int64_t groupsPerPart() const {
    return columns ? kColumnLanes : kGroupsPerPart;
  }
  int64_t elementsPerRow() const { return laneGroup() * elementsPerLane; }
  int64_t rowsPerTurn() const { return groupsPerPart() * rowsPerGroup; }
};

/// What the inputs of a reduction tell of how it reads.
struct ReductionInputs {
  /// Several results depend on the same elements of an input.
  bool sharesElements = false;
  /// Other elements are integers of 32 bits or more, such as sums of bytes.
  bool hasSums = false;
};

/// The order for `numResults` results of `numElements` elements each.
/// `neighbours`: the iterations of the loop in which results read neighbouring
/// elements (getColumnLoop), 0 if there is none. `floatBits`: the width of the
/// widest float that is accumulated, 0 if there is none.
ReductionOrder getReductionOrder(int64_t numResults, int64_t numElements,
                                 int64_t neighbours, unsigned floatBits,
                                 ReductionInputs inputs = {});

/// The order of a `linalg.generic` with at least one reduction loop: the one it
/// has as an attribute, or else the one that follows from its loops. In a stage
/// with instances it is the order for the results of all of them.
ReductionOrder getReductionOrder(linalg::GenericOp op);

/// On a `linalg.generic` that reduces: its order, an OrderAttr.
inline constexpr llvm::StringLiteral kOrderAttr = "gpuvm.order";

/// Gives an operation whose order can be seen that order as an attribute, which
/// passes that change the operation keep. One that it has already has to be
/// its own, or sequential.
LogicalResult fixReductionOrder(linalg::GenericOp op);
/// Whether `op`, which is a part of what had that order, can have it, too.
/// Where only tiles are lost it becomes sequential.
bool keepFixedOrder(linalg::GenericOp op);

/// Two parallel loops of a contraction: results that differ in `columns` share
/// what an input without that loop holds, and so do those that differ in
/// `rows`.
struct TileLoops {
  unsigned rows, columns;
  bool operator==(const TileLoops &) const = default;
};

/// Whether a place under `map` differs between the elements of a result.
bool dependsOnReduction(linalg::GenericOp op, AffineMap map);

/// The parallel loop in which results read neighbouring elements: the last loop
/// of a reduction, or the one in which neighbours of the largest input that it
/// reduces differ if it is long. Emitters want it last.
std::optional<unsigned> getColumnLoop(linalg::GenericOp op);

/// On an operation that is for all instances of a stage at once: its first loop
/// is over them. The operation has the order that it has in the body of one.
inline constexpr llvm::StringLiteral kInstancesAttr = "gpuvm.instances";

/// On a reduction inside a kernel that is not the kernel's own: each reader of
/// a result computes it there, one element after the other.
inline constexpr llvm::StringLiteral kInnerAttr = "gpuvm.inner";

/// Whether `op` is a reduction, and none that is rematerialised in its
/// consumers.
bool isReduction(Operation *op);

/// The two loops over which the results of `op` are worth computing tile by
/// tile, as in a matrix product. Both are long, and each has an input that
/// depends on it and not on the other one. Never the loop over instances.
std::optional<TileLoops> getTileLoops(linalg::GenericOp op);

/// Whether the order of a reduction can be seen in its results: it accumulates
/// floats, or combines accumulators as the user claims that it may.
bool hasVisibleOrder(linalg::GenericOp op);

/// The one of `reductions`, over the same loops, whose order all of them can be
/// done in: the first whose order can be seen, or the first.
linalg::GenericOp getLeadReduction(ArrayRef<linalg::GenericOp> reductions);

} // namespace mlir::gpuvm
