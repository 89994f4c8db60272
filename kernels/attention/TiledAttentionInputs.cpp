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
  auto placeOf = [this](Value line) { return k(line) * shape.pitch(); };
  return {op.getQuery(),     shape.blockRows, shape.depth, first,
          shape.queryVector, rowsOfBlock(),   placeOf};
}

TiledAttention::Staged TiledAttention::keyRows(Value first, Value firstKey) {
  // A lane's keys are neighbours; those that lanes read together lie together.
  auto placeOf = [this](Value line) {
    Expr place = k(line) % shape.keysPerLane * shape.keyPitch() +
                 k(line) / shape.keysPerLane * shape.pitch();
    return place + shape.queryVectors();
  };
  return {op.getKey(),     shape.tileKeys,        shape.depth, first,
          shape.keyVector, rowsOfCache(firstKey), placeOf};
}

TiledAttention::Staged TiledAttention::valueRows(Value firstKey) {
  auto placeOf = [this](Value line) {
    return k(line) * shape.valuePitch() + shape.weightVectors();
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
    Expr run = k(lane) + done;
    if (done + shape.lanes > runs)
      run = min(run, runs - 1);
    Value inLine = run % staged.runsPerLine() * staged.run();
    auto [head, row] = staged.rowOf(run / staged.runsPerLine());
    fetched.append(
        toReal(readRun({staged.tensor, head, row, staged.vector, staged.size},
                       k(staged.first) + inLine, staged.run())));
  }
  return fetched;
}

void TiledAttention::put(const Staged &staged, ArrayRef<Value> fetched) {
  int64_t runs = staged.lines * staged.runsPerLine();
  for (int64_t done = 0; done < runs; done += shape.lanes) {
    Expr run = k(lane) + done;
    ArrayRef<Value> elements = fetched.take_front(staged.run());
    fetched = fetched.drop_front(staged.run());
    auto store = [&] {
      Value vector =
          run % staged.runsPerLine() * (staged.run() / Layout::kVector);
      Expr at = k(staged.placeOf(run / staged.runsPerLine())) + vector;
      for (int64_t v = 0; v < staged.run() / Layout::kVector; ++v)
        k.storeWorkgroupVector(
            memory, elements.slice(v * Layout::kVector, Layout::kVector),
            at + v);
    };
    if (done + shape.lanes <= runs)
      store();
    else
      k.ifThen(run < runs, store);
  }
}
