//===- LaneReduction.h - partial results in their defined order -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of docs/reduction-order.md for reductions that are not sequential:
// elements go to lanes, lanes are combined to a part, parts to the total.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "compiler/reference/Elementwise.h"
#include "dialects/gpuvm/Reduction.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace mlir::gpuvm::reference {

/// Elements, partial results and the operation that combines two of them. Both
/// are tuples, one component for each accumulator that takes part.
class LaneReduction {
public:
  using Tuple = std::span<void *const>;
  using ConstTuple = std::span<const void *const>;
  /// accumulators[c][i] = accumulators[c][i] combined with elements[c][i], for
  /// i < count.
  using CombineFn = std::function<void(Tuple accumulators, ConstTuple elements,
                                       size_t count)>;

  /// `bytes`: of each component.
  LaneReduction(CombineFn combine, std::vector<uint64_t> bytes,
                const ReductionOrder &order);

  /// Starts a part.
  void beginPart();
  /// Adds `count` neighbouring elements, from row `firstRow` of all on: whole
  /// rows but for the last one. Within a part rows ascend.
  void addRows(int64_t firstRow, ConstTuple elements, int64_t count);
  /// Combines the lanes of the part.
  void endPart();
  /// Combines the parts; `total` gets one element.
  void finish(Tuple total);

  /// accumulator = accumulator combined with element, for one element each.
  void fold(Tuple accumulator, ConstTuple element) const {
    combine(accumulator, element, 1);
  }

private:
  using Bytes = std::vector<uint8_t>;
  void addRow(int64_t laneGroup, ConstTuple row, int64_t count);
  void addToLanes(int64_t first, ConstTuple elements, int64_t count);
  void combineLanes();
  std::vector<void *> laneAt(int64_t lane);
  /// The components of `tuple`, `first` elements on.
  std::vector<const void *> advance(ConstTuple tuple, int64_t first) const;

  CombineFn combine;
  std::vector<uint64_t> bytes;
  ReductionOrder order;
  std::vector<Bytes> lanes; ///< Of the current part.
  int64_t used = 0;         ///< Lanes 0 to used - 1 have an element.
  std::vector<Bytes> parts; ///< The results of the parts so far.
  int64_t numParts = 0;
  std::vector<Bytes> column;
};

/// The combination of single elements by `fn`.
LaneReduction::CombineFn combineBy(ElementwiseFn fn);

} // namespace mlir::gpuvm::reference
