//===- LaneReduction.cpp - partial results in their defined order ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/LaneReduction.h"

#include <algorithm>

#include <cstring>

using namespace mlir::gpuvm;
using namespace mlir::gpuvm::reference;

static constexpr int64_t kLanes = ReductionOrder::kLanes;
static constexpr int64_t kGroup = ReductionOrder::kLaneGroup;

void LaneReduction::fold(void *accumulator, const void *element) const {
  const void *operands[] = {accumulator, element};
  combine(operands, accumulator, 1);
}

/// Lane first + i gets element i. Lanes that had none take it as it is.
void LaneReduction::addToLanes(int64_t first, const void *elements,
                               int64_t count) {
  int64_t old = std::clamp<int64_t>(lanes.used - first, 0, count);
  uint8_t *values = lanes.values.data() + first * bytes;
  const void *operands[] = {values, elements};
  combine(operands, values, old);
  std::memcpy(values + old * bytes,
              static_cast<const uint8_t *>(elements) + old * bytes,
              (count - old) * bytes);
  lanes.used = std::max(lanes.used, first + count);
}

void LaneReduction::beginPart() {
  lanes.values.resize(kLanes * bytes);
  lanes.used = 0;
}

/// Lane l of the group takes elements perLane * l, perLane * l + 1, ... of the
/// row: element j of every lane is a column. Lanes without one are at the
/// end.
void LaneReduction::addRow(int64_t laneGroup, const uint8_t *row,
                           int64_t count) {
  const int64_t perLane = order.elementsPerLane;
  column.resize(kGroup * bytes);
  for (int64_t j = 0; j < perLane && j < count; ++j) {
    int64_t lanesWithJ = (count - j + perLane - 1) / perLane;
    for (int64_t l = 0; l < lanesWithJ; ++l)
      std::memcpy(column.data() + l * bytes, row + (l * perLane + j) * bytes,
                  bytes);
    addToLanes(laneGroup * kGroup, column.data(), lanesWithJ);
  }
}

void LaneReduction::addRows(int64_t firstRow, const void *elements,
                            int64_t count) {
  auto *source = static_cast<const uint8_t *>(elements);
  const int64_t row = order.elementsPerRow();
  for (int64_t at = 0; at < count; at += row) {
    int64_t inTurn = (firstRow + at / row) % order.rowsPerTurn();
    addRow(inTurn / order.rowsPerGroup, source + at * bytes,
           std::min(count - at, row));
  }
}

/// Groups of kLaneGroup neighbours, ascending; then the groups, ascending.
const uint8_t *LaneReduction::combineLanes(Lanes &lanes) const {
  uint8_t *values = lanes.values.data();
  for (int64_t first = 0; first < lanes.used; first += kGroup) {
    int64_t end = std::min(first + kGroup, lanes.used);
    for (int64_t l = first + 1; l < end; ++l)
      fold(values + first * bytes, values + l * bytes);
    if (first != 0)
      fold(values, values + first * bytes);
  }
  return values;
}

void LaneReduction::endPart() {
  const uint8_t *result = combineLanes(lanes);
  parts.insert(parts.end(), result, result + bytes);
}

void LaneReduction::finish(void *total) {
  beginPart();
  addToLanes(0, parts.data(), static_cast<int64_t>(parts.size() / bytes));
  std::memcpy(total, combineLanes(lanes), bytes);
  parts.clear();
}
