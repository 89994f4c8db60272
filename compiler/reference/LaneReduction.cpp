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

LaneReduction::LaneReduction(CombineFn combine, std::vector<uint64_t> bytes,
                             const ReductionOrder &order)
    : combine(std::move(combine)), bytes(std::move(bytes)), order(order) {
  for (uint64_t size : this->bytes) {
    lanes.emplace_back(kLanes * size);
    column.emplace_back(order.laneGroup() * size);
  }
  parts.resize(this->bytes.size());
}

std::vector<void *> LaneReduction::laneAt(int64_t lane) {
  std::vector<void *> tuple;
  for (size_t c = 0; c < bytes.size(); ++c)
    tuple.push_back(lanes[c].data() + lane * bytes[c]);
  return tuple;
}

std::vector<const void *> LaneReduction::advance(ConstTuple tuple,
                                                 int64_t first) const {
  std::vector<const void *> later;
  for (size_t c = 0; c < bytes.size(); ++c)
    later.push_back(static_cast<const uint8_t *>(tuple[c]) + first * bytes[c]);
  return later;
}

/// Lane first + i gets element i. Lanes that had none take it as it is.
void LaneReduction::addToLanes(int64_t first, ConstTuple elements,
                               int64_t count) {
  int64_t old = std::clamp<int64_t>(used - first, 0, count);
  std::vector<void *> values = laneAt(first);
  combine(values, elements, old);
  std::vector<const void *> fresh = advance(elements, old);
  for (size_t c = 0; c < bytes.size(); ++c)
    std::memcpy(static_cast<uint8_t *>(values[c]) + old * bytes[c], fresh[c],
                (count - old) * bytes[c]);
  used = std::max(used, first + count);
}

void LaneReduction::beginPart() { used = 0; }

/// Lane l of the group takes elements perLane * l, perLane * l + 1, ... of the
/// row: element j of every lane is a column. Lanes without one are at the
/// end.
void LaneReduction::addRow(int64_t laneGroup, ConstTuple row, int64_t count) {
  const int64_t perLane = order.elementsPerLane;
  std::vector<const void *> columns;
  for (const Bytes &own : column)
    columns.push_back(own.data());
  for (int64_t j = 0; j < perLane && j < count; ++j) {
    int64_t lanesWithJ = (count - j + perLane - 1) / perLane;
    for (size_t c = 0; c < bytes.size(); ++c)
      for (int64_t l = 0; l < lanesWithJ; ++l)
        std::memcpy(column[c].data() + l * bytes[c],
                    static_cast<const uint8_t *>(row[c]) +
                        (l * perLane + j) * bytes[c],
                    bytes[c]);
    addToLanes(laneGroup * order.laneGroup(), columns, lanesWithJ);
  }
}

void LaneReduction::addRows(int64_t firstRow, ConstTuple elements,
                            int64_t count) {
  const int64_t row = order.elementsPerRow();
  if (order.columns) { // Neighbours go to neighbouring lanes.
    const int64_t turn = order.rowsPerTurn();
    for (int64_t at = 0, next; at < count; at = next) {
      int64_t lane = (firstRow + at) % turn;
      next = std::min(count, at + turn - lane);
      addToLanes(lane, advance(elements, at), next - at);
    }
    return;
  }
  for (int64_t at = 0; at < count; at += row) {
    int64_t inTurn = (firstRow + at / row) % order.rowsPerTurn();
    addRow(inTurn / order.rowsPerGroup, advance(elements, at),
           std::min(count - at, row));
  }
}

/// Lane groups, ascending; then the groups, ascending.
/// Lane 0 gets the result.
void LaneReduction::combineLanes() {
  auto foldLane = [&](int64_t into, int64_t from) {
    std::vector<void *> element = laneAt(from);
    fold(laneAt(into), advance({element.data(), element.size()}, 0));
  };
  const int64_t group = order.laneGroup();
  for (int64_t first = 0; first < used; first += group) {
    int64_t end = std::min(first + group, used);
    for (int64_t l = first + 1; l < end; ++l)
      foldLane(first, l);
    if (first != 0)
      foldLane(0, first);
  }
}

void LaneReduction::endPart() {
  combineLanes();
  for (size_t c = 0; c < bytes.size(); ++c)
    parts[c].insert(parts[c].end(), lanes[c].data(),
                    lanes[c].data() + bytes[c]);
  ++numParts;
}

void LaneReduction::finish(Tuple total) {
  beginPart();
  std::vector<const void *> all;
  for (const Bytes &own : parts)
    all.push_back(own.data());
  if (order.columns)
    addRows(0, all, numParts);
  else
    addToLanes(0, all, numParts);
  combineLanes();
  for (size_t c = 0; c < bytes.size(); ++c) {
    std::memcpy(total[c], lanes[c].data(), bytes[c]);
    parts[c].clear();
  }
  numParts = 0;
}

LaneReduction::CombineFn mlir::gpuvm::reference::combineBy(ElementwiseFn fn) {
  return [fn](LaneReduction::Tuple accumulators,
              LaneReduction::ConstTuple elements, size_t count) {
    const void *operands[] = {accumulators[0], elements[0]};
    fn(operands, accumulators[0], count);
  };
}
