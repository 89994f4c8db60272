//===- MatrixAttention.cpp - attention with matrix units ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of query rows, the tiles of keys that some row of the block sees, and
// rows on their way to workgroup memory, as f16.
//
//===----------------------------------------------------------------------===//

#include "kernels/attention/MatrixAttention.h"

#include <limits>

using namespace mlir;
using namespace mlir::gpuvm;

MatrixAttention::MatrixAttention(EmitterContext &context)
    : AttentionRoot(context, context.layoutAs<MatrixAttentionLayout>()),
      shape(context.layoutAs<MatrixAttentionLayout>()) {}

LogicalResult MatrixAttention::run() {
  lane = k.laneId();
  memory = k.allocateWorkgroup(
      VectorType::get({Layout::kWords}, k.ir().getI32Type()),
      shape.memoryVectors());
  exchange = k.allocateWorkgroup(k.ir().getF32Type(), shape.lanes);
  subgroup = k.subgroupId();
  Expr inSubgroup = k.laneInSubgroup();
  firstRow = k(subgroup) * kSide;
  laneRow = k(firstRow) + inSubgroup / 2;
  half = inSubgroup % 2;
  return eachBlock([&](Value number) { emitBlock(number); });
}

void MatrixAttention::emitBlock(Value number) {
  // Blocks at the end see the most keys if there is a mask, and start first.
  Value last = k.index(shape.blocksPerCached() - 1);
  beginBlock(k(number) % shape.cachedHeads,
             subtract(last, k(number) / shape.cachedHeads));
  seen = keysSeen(queryRow(laneRow));
  Values queries = loadQueries();
  Type total =
      k.matrixType(k.ir().getF32Type(), kSide, kSide, MatrixUse::Total);
  Values start(shape.valueFragments(), k.zeroMatrix(total));
  start.push_back(real(std::numeric_limits<float>::lowest()));
  start.push_back(real(0));
  auto unflatten = [](ValueRange values) -> State {
    return {Values(values.drop_back(2)), values.drop_back().back(),
            values.back()};
  };
  auto tile = [&](Value number, ValueRange carried) {
    State next =
        attend(unflatten(carried), queries, k(number) * shape.tileKeys);
    Values values = next.sums;
    values.append({next.top, next.weight});
    return values;
  };
  auto [first, end, count] = tilesSeen(k.index(0));
  storeResults(unflatten(k.loop(first, end, k.index(1), start, tile)));
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

MatrixAttention::Staged MatrixAttention::queryRows(int64_t firstFragment) {
  int64_t fragments =
      std::min(shape.keyFragments() - firstFragment, Layout::kQueryFragments);
  return {op.getQuery(), shape.blockRows,    firstFragment * kSide,
          fragments,     shape.queryPitch(), shape.queryVector,
          rowsOfBlock()};
}

MatrixAttention::Staged MatrixAttention::cachedRows(Value tensor,
                                                    Value firstKey) {
  RowOf rowOf = rowsOfCache(firstKey);
  if (tensor == op.getKey())
    return {tensor,           shape.tileKeys,  0,    shape.keyFragments(),
            shape.keyPitch(), shape.keyVector, rowOf};
  return {tensor,
          shape.tileKeys,
          0,
          shape.valueFragments(),
          shape.valuePitch(),
          shape.valueVector,
          rowOf};
}

/// This lane's part of the rows.
MatrixAttention::Values MatrixAttention::fetch(const Staged &staged) {
  Values fetched;
  int64_t vectors = staged.lines * staged.vectorsPerLine();
  for (int64_t done = 0; done < vectors; done += shape.lanes) {
    Expr vector = k(lane) + done;
    if (done + shape.lanes > vectors)
      vector = min(vector, vectors - 1);
    auto [head, row] = staged.rowOf(vector / staged.vectorsPerLine());
    Value first =
        vector % staged.vectorsPerLine() * Layout::kHalves + staged.first;
    fetched.append(
        readRun({staged.tensor, head, row, staged.vector, staged.size()}, first,
                Layout::kHalves));
  }
  return fetched;
}

void MatrixAttention::put(const Staged &staged, ArrayRef<Value> fetched) {
  int64_t vectors = staged.lines * staged.vectorsPerLine();
  for (int64_t done = 0; done < vectors; done += shape.lanes) {
    Expr vector = k(lane) + done;
    ArrayRef<Value> elements = fetched.take_front(Layout::kHalves);
    fetched = fetched.drop_front(Layout::kHalves);
    auto store = [&] {
      Expr line = vector / staged.vectorsPerLine();
      k.storeWorkgroupWords(memory, elements,
                            line * staged.pitch +
                                vector % staged.vectorsPerLine());
    };
    if (done + shape.lanes <= vectors)
      store();
    else
      k.ifThen(vector < vectors, store);
  }
}
