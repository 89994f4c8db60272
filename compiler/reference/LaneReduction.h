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
#include <vector>

namespace mlir::gpuvm::reference {

/// Elements, partial results and the operation that combines two of them.
class LaneReduction {
public:
  LaneReduction(ElementwiseFn combine, uint64_t elementBytes,
                const ReductionOrder &order)
      : combine(combine), bytes(elementBytes), order(order) {}

  /// Starts a part.
  void beginPart();
  /// Adds `count` neighbouring elements, from row `firstRow` of all on: whole
  /// rows but for the last one. Within a part rows ascend.
  void addRows(int64_t firstRow, const void *elements, int64_t count);
  /// Combines the lanes of the part.
  void endPart();
  /// Combines the parts; `total` gets one element.
  void finish(void *total);

  /// accumulator = accumulator combined with element, for one element each.
  void fold(void *accumulator, const void *element) const;

private:
  /// Lanes in memory, the first `used` of which have an element.
  struct Lanes {
    std::vector<uint8_t> values;
    int64_t used = 0;
  };
  void addRow(int64_t laneGroup, const uint8_t *row, int64_t count);
  void addToLanes(int64_t first, const void *elements, int64_t count);
  const uint8_t *combineLanes(Lanes &lanes) const;

  ElementwiseFn combine;
  uint64_t bytes;
  ReductionOrder order;
  Lanes lanes;                ///< Of the current part.
  std::vector<uint8_t> parts; ///< The results of the parts so far.
  std::vector<uint8_t> column;
};

} // namespace mlir::gpuvm::reference
