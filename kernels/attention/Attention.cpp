//===- Attention.cpp - the emitter of gpuvm.attention ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Few query rows: the walk over the tiles of keys (AttentionTile.cpp).
//
//===----------------------------------------------------------------------===//

#include "kernels/attention/AttentionEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

AttentionEmitter::AttentionEmitter(EmitterContext &context)
    : AttentionRoot(context, context.layoutAs<AttentionLayout>()),
      shape(context.layoutAs<AttentionLayout>()) {}

/// The elements of the query rows that belong to this lane's part of a key.
SmallVector<AttentionEmitter::Values> AttentionEmitter::readQueries() {
  SmallVector<Values> queries(shape.blockRows);
  int64_t vectors = shape.keySize / shape.keyVector;
  for (int64_t r = 0; r < shape.blockRows; ++r) {
    QueryRow row = queryRow(k.index(r));
    for (int64_t chunk = 0; chunk < shape.keyChunks; ++chunk) {
      Expr number = k(keyPart) + chunk * shape.keyLanes;
      Value first = min(number, vectors - 1) * shape.keyVector;
      for (Value value : toReal(read(op.getQuery(), row.head, row.number, first,
                                     shape.keyVector))) {
        // A lane beyond the end of the row adds nothing.
        if ((chunk + 1) * shape.keyLanes > vectors)
          value = select(e(number < vectors), value, 0);
        queries[r].push_back(value);
      }
    }
  }
  return queries;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void AttentionEmitter::emitBlock(Value number) {
  Value split = k(number) % shape.splits;
  Expr blockNumber = k(number) / shape.splits;
  beginBlock(blockNumber / shape.blocksPerCached(),
             blockNumber % shape.blocksPerCached());
  SmallVector<Values> queries = readQueries();
  auto [first, end] = tilesSeen(split);
  startKeys();
  Values start(shape.blockRows * shape.valuesPerLane(), real(0));
  auto tile = [&](Value number, ValueRange sums) {
    Value firstKey = k(number) * shape.tileKeys;
    // What is loaded is on its way together.
    SmallVector<Values> keyRows = readKeys(firstKey);
    SmallVector<Values> values = readValues(firstKey);
    multiplyKeys(keyRows, queries);
    k.workgroupBarrier();
    addParts(firstKey);
    k.workgroupBarrier();
    weighKeys();
    k.workgroupBarrier();
    return addValues(Values(sums), values);
  };
  Values total = k.loop(first, end, k.index(1), start, tile);
  combineGroups(total, blockNumber, split);
  if (shape.splits > 1)
    finishBlock(blockNumber, [&](Value splits) {
      foldSplits(blockNumber, {shape.splits, splits});
    });
}

Value AttentionEmitter::allocate(int64_t vectors) {
  return k.allocateWorkgroup(
      VectorType::get({shape.blockRows}, k.ir().getF32Type()), vectors);
}

LogicalResult AttentionEmitter::run() {
  lane = k.laneId();
  keyPart = k(lane) % shape.keyLanes;
  valuePart = k(lane) % shape.valueLanes;
  laneGroup = k(lane) / shape.valueLanes;
  parts = allocate(std::max(shape.partVectors(), 2 * shape.splits));
  weights = allocate(shape.tileKeys);
  sums = allocate(shape.tileKeys);
  groupParts = allocate(2 * shape.laneGroups());
  scales = allocate(std::max(shape.laneGroups(), shape.splits));
  return eachBlock([&](Value number) { emitBlock(number); });
}
