//===- ScanResults.cpp - what is made of a scan ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/scan/ScanEmitter.h"

#include "kernels/family/ResultStores.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// The results at position `i` of a quad, before which `before` lies.
ScanEmitter::Values ScanEmitter::scanned(const Quad &quad, unsigned i,
                                         const Partial &before) {
  size_t count = layout.inputs.size();
  if (scan.getInitial().empty()) {
    Values values = join(before, {quad.inclusive[i], Value()}).values;
    values.truncate(count);
    return values;
  }
  Partial earlier =
      i == 0 ? before : join(before, {quad.inclusive[i - 1], Value()});
  Values initial;
  ElementEmitter::Point scalar = c.elements.point({}, {});
  for (Value tensor : scan.getInitial()) {
    FailureOr<Lanes> value = c.elements.emit(tensor, scalar);
    initial.push_back(check(value)
                          ? value->front()
                          : k.constant(getElementTypeOrSelf(tensor), 0));
  }
  // The initial value begins no segment, nor does what it is combined with.
  Values first = initial;
  if (layout.segmented) {
    first.push_back(k.truth(false));
    earlier.values.back() = first.back();
  }
  Values values = combine(first, earlier.values);
  values.truncate(count);
  if (earlier.exists)
    values = choose(earlier.exists, values, initial);
  if (layout.segmented)
    values = choose(quad.elements[i].back(), initial, values);
  return values;
}

void ScanEmitter::emitScanned(const Quad &quad, const Partial &before,
                              TileShape shape) {
  SmallVector<Values> positions;
  for (int64_t i = 0; i < ScanOrder::kQuad; ++i)
    positions.push_back(scanned(quad, i, before));
  for (auto [part, at] : llvm::enumerate(quad.points)) {
    auto own = ArrayRef(positions).slice(part * shape.vector, shape.vector);
    for (auto [r, result] : llvm::enumerate(scan.getResults())) {
      Lanes lanes;
      for (const Values &values : own)
        lanes.push_back(values[r]);
      c.elements.bind(result, std::move(lanes));
    }
    SmallVector<std::pair<unsigned, Lanes>> stored;
    for (auto [value, binding] : getStoredResults(c)) {
      FailureOr<Lanes> lanes = c.elements.emit(value, at);
      if (!check(lanes))
        return;
      stored.push_back({binding, *lanes});
    }
    auto storeAll = [&, where = at] {
      for (const auto &[binding, lanes] : stored)
        c.elements.store(binding, lanes, where);
    };
    if (shape.whole) {
      storeAll();
    } else {
      (void)c.elements.position(at); // Where every store sees it.
      k.ifThen(inside(quad, part * shape.vector), storeAll);
    }
  }
}

void ScanEmitter::emitResults(ArrayRef<Quad> quads, const Partial &before,
                              TileShape shape) {
  for (auto [row, quad] : llvm::enumerate(quads)) {
    Partial own = {load(quadMemory, placeInRow(k.index(row))), Value()};
    if (row == 0)
      own.exists = 0 < k(lane);
    emitScanned(quad, layout.looksBack() ? join(before, own) : own, shape);
  }
}
