//===- ScanResults.cpp - what is made of a scan ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/ScanEmitter.h"

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
    initial.push_back(check(value) ? value->front()
                                   : k.zero(getElementTypeOrSelf(tensor)));
  }
  // The initial value begins no segment, nor does what it is combined with.
  Values first = initial;
  if (layout.segmented) {
    first.push_back(k.zero(k.ir().getI1Type()));
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
  auto yield = cast<YieldOp>(c.op.getBody().front().getTerminator());
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
    SmallVector<Lanes> stored;
    for (Value value : yield.getValues()) {
      FailureOr<Lanes> lanes = c.elements.emit(value, at);
      if (!check(lanes))
        return;
      stored.push_back(*lanes);
    }
    auto storeAll = [&, where = at] {
      for (auto [lanes, binding] : llvm::zip_equal(stored, c.layout.outputs))
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

void ScanEmitter::emitCompacted(const Quad &quad, const Partial &before,
                                TileShape shape) {
  auto yield = cast<YieldOp>(c.op.getBody().front().getTerminator());
  Value none = k.zero(layout.inputs.front());
  Value start = before.values.front();
  if (before.exists)
    start = k.select(before.exists, start, none);
  SmallVector<std::pair<OpResult, unsigned>> results;
  for (auto [value, binding] :
       llvm::zip_equal(yield.getValues(), c.layout.outputs))
    if (value != compact.getCount())
      results.push_back({cast<OpResult>(value), binding});
  for (auto [result, binding] : results) {
    Value payload = compact.getPayloads()[result.getResultNumber()];
    int64_t length = cast<RankedTensorType>(result.getType()).getDimSize(0);
    for (auto [part, at] : llvm::enumerate(quad.points)) {
      FailureOr<Lanes> lanes = c.elements.emit(payload, at);
      if (!check(lanes))
        return;
      for (auto [v, element] : llvm::enumerate(*lanes)) {
        unsigned i = part * shape.vector + v;
        Value place = start;
        if (i > 0)
          place = k.add(start, quad.inclusive[i - 1].front());
        place = k.toIndex(place);
        Value keep =
            arith::CmpIOp::create(k.ir(), k.loc(), arith::CmpIPredicate::ne,
                                  quad.elements[i].front(), none);
        if (length < layout.space.count())
          keep = k.both(keep, k.less(place, k.index(length)));
        k.ifThen(keep, [&, target = binding, stored = element] {
          k.store(target, stored, place);
        });
      }
    }
  }
}

/// The last tile knows how many elements all of them keep.
void ScanEmitter::emitCount(Value tile, const Partial &all) {
  auto yield = cast<YieldOp>(c.op.getBody().front().getTerminator());
  for (auto [value, binding] :
       llvm::zip_equal(yield.getValues(), c.layout.outputs))
    if (value == compact.getCount()) {
      Value isLast = k.equal(tile, k.index(layout.space.tiles() - 1));
      k.ifThen(k.both(isLast, k.equal(lane, k.index(0))),
               [&, target = binding] {
                 k.store(target, all.values.front(), k.index(0));
               });
    }
}

void ScanEmitter::emitResults(ArrayRef<Quad> quads, Value tile,
                              TileShape shape) {
  for (auto [row, quad] : llvm::enumerate(quads)) {
    Value number = k.add(k.index(row * KernelConfig::kLanes), lane);
    Partial before = {load(quadMemory, paddedQuad(number)), Value()};
    if (row == 0)
      before.exists =
          k.less(k.index(0), layout.looksBack() ? k.add(tile, lane) : lane);
    if (scan)
      emitScanned(quad, before, shape);
    else
      emitCompacted(quad, before, shape);
  }
}
