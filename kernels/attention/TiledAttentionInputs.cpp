//===- TiledAttentionInputs.cpp - rows on their way to lanes --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of queries, keys and values into workgroup memory, as f32.
//
//===----------------------------------------------------------------------===//

#include "kernels/attention/TiledAttention.h"

using namespace mlir;
using namespace mlir::gpuvm;

TiledAttention::Staged TiledAttention::queryRows(Value first) {
  auto placeOf = [this](Value line) { return k.mul(line, shape.pitch()); };
  return {op.getQuery(),     shape.blockRows, shape.depth, first,
          shape.queryVector, rowsOfBlock(),   placeOf};
}

TiledAttention::Staged TiledAttention::keyRows(Value first, Value firstKey) {
  // A lane's keys are neighbours; those that lanes read together lie together.
  auto placeOf = [this](Value line) {
    Value place = k.add(k.mul(k.rem(line, shape.keysPerLane), shape.keyPitch()),
                        k.mul(k.div(line, shape.keysPerLane), shape.pitch()));
    return k.add(place, k.index(shape.queryVectors()));
  };
  return {op.getKey(),     shape.tileKeys,        shape.depth, first,
          shape.keyVector, rowsOfCache(firstKey), placeOf};
}

TiledAttention::Staged TiledAttention::valueRows(Value firstKey) {
  auto placeOf = [this](Value line) {
    return k.add(k.mul(line, shape.valuePitch()),
                 k.index(shape.weightVectors()));
  };
  int64_t run = std::max(shape.valueVector, Layout::kVector);
  return {op.getValue(),
          shape.sliceKeys,
          static_cast<int64_t>(llvm::alignTo(shape.valueSize, run)),
          k.index(0),
          shape.valueVector,
          rowsOfCache(firstKey),
          placeOf};
}

/// This lane's part of the rows.
TiledAttention::Values TiledAttention::fetch(const Staged &staged) {
  Values fetched;
  int64_t runs = staged.lines * staged.runsPerLine();
  for (int64_t done = 0; done < runs; done += shape.lanes) {
    Value run = k.add(lane, k.index(done));
    if (done + shape.lanes > runs)
      run = k.min(run, k.index(runs - 1));
    Value inLine = k.mul(k.rem(run, staged.runsPerLine()), staged.run());
    auto [head, row] = staged.rowOf(k.div(run, staged.runsPerLine()));
    fetched.append(
        toReal(readRun({staged.tensor, head, row, staged.vector, staged.size},
                       k.add(staged.first, inLine), staged.run())));
  }
  return fetched;
}

void TiledAttention::put(const Staged &staged, ArrayRef<Value> fetched) {
  int64_t runs = staged.lines * staged.runsPerLine();
  for (int64_t done = 0; done < runs; done += shape.lanes) {
    Value run = k.add(lane, k.index(done));
    ArrayRef<Value> elements = fetched.take_front(staged.run());
    fetched = fetched.drop_front(staged.run());
    auto store = [&] {
      Value vector = k.mul(k.rem(run, staged.runsPerLine()),
                           staged.run() / Layout::kVector);
      Value at =
          k.add(staged.placeOf(k.div(run, staged.runsPerLine())), vector);
      for (int64_t v = 0; v < staged.run() / Layout::kVector; ++v)
        k.storeWorkgroupVector(
            memory, elements.slice(v * Layout::kVector, Layout::kVector),
            k.add(at, k.index(v)));
    };
    if (done + shape.lanes <= runs)
      store();
    else
      k.ifThen(k.less(run, k.index(runs)), store);
  }
}
