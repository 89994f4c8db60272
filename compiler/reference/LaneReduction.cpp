//===- LaneReduction.cpp - partial results in their defined order ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/LaneReduction.h"

#include "dialects/gpuvm/Reduction.h"

#include <cstring>

using namespace mlir::gpuvm;
using namespace mlir::gpuvm::reference;

static constexpr int64_t kLanes = ReductionOrder::kLanes;
static constexpr int64_t kPerLane = ReductionOrder::kElementsPerLane;

void LaneReduction::fold(void *accumulator, const void *element) const {
  const void *operands[] = {accumulator, element};
  combine(operands, accumulator, 1);
}

/// Lane l gets element l of `elements`. Lanes that had none take it as it is.
void LaneReduction::addToLanes(Lanes &lanes, const void *elements,
                               int64_t count) {
  int64_t old = std::min(lanes.used, count);
  const void *operands[] = {lanes.values.data(), elements};
  combine(operands, lanes.values.data(), old);
  std::memcpy(lanes.values.data() + old * bytes,
              static_cast<const uint8_t *>(elements) + old * bytes,
              (count - old) * bytes);
  lanes.used = std::max(lanes.used, count);
}

void LaneReduction::beginPart() {
  lanes.values.resize(kLanes * bytes);
  lanes.used = 0;
}

void LaneReduction::addStep(const void *elements, int64_t count) {
  // Lane l takes elements kPerLane * l, kPerLane * l + 1, ...: element j of
  // every lane is a column. Lanes without element j are at the end.
  auto *source = static_cast<const uint8_t *>(elements);
  column.resize(kLanes * bytes);
  for (int64_t j = 0; j < kPerLane && j < count; ++j) {
    int64_t lanesWithJ = (count - j + kPerLane - 1) / kPerLane;
    for (int64_t l = 0; l < lanesWithJ; ++l)
      std::memcpy(column.data() + l * bytes,
                  source + (l * kPerLane + j) * bytes, bytes);
    addToLanes(lanes, column.data(), lanesWithJ);
  }
}

/// Groups of kLaneGroup neighbours, ascending; then the groups, ascending.
const uint8_t *LaneReduction::combineLanes(Lanes &lanes) const {
  constexpr int64_t group = ReductionOrder::kLaneGroup;
  uint8_t *values = lanes.values.data();
  for (int64_t first = 0; first < lanes.used; first += group) {
    int64_t end = std::min(first + group, lanes.used);
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
  int64_t numParts = static_cast<int64_t>(parts.size() / bytes);
  for (int64_t first = 0; first < numParts; first += kLanes)
    addToLanes(lanes, parts.data() + first * bytes,
               std::min(kLanes, numParts - first));
  std::memcpy(total, combineLanes(lanes), bytes);
  parts.clear();
}
