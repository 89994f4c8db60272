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
  auto [first, end, tiles] = tilesSeen(split);
  Split all = {blockNumber, split, first, end, k.index(shape.splits), Value()};
  if (shape.splits == 1 || !op.getKeys())
    return emitSplit(all);
  // With keys for one split only, it has the results. Else several are folded
  // at a time; those of them that have no keys say so, and all others end.
  int64_t together = stepsTogether(shape.splits);
  Expr folded = (k(tiles) + (together - 1)) / together * together;
  all.hasOthers = k(tiles) > shape.tilesAlone;
  all.count = select(k(all.hasOthers), min(folded, shape.splits), 1);
  auto once = [&](Value, ValueRange) {
    emitSplit(all);
    return Values();
  };
  k.loop(split, all.count, k.index(shape.splits), {}, once);
}

void AttentionEmitter::emitSplit(const Split &split) {
  sumKeys(split);
  if (shape.splits > 1)
    ifSeveral(split, [&] {
      finishBlock(split.block, split.count, [&](Value splits) {
        foldSplits(split.block, {shape.splits, splits});
      });
    });
}

void AttentionEmitter::sumKeys(const Split &split) {
  SmallVector<Values> queries = readQueries();
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
  Values total = k.loop(split.first, split.end, k.index(1), start, tile);
  combineGroups(total, split);
}

/// Where a split may be the only one with keys, what others need of it.
void AttentionEmitter::ifSeveral(const Split &split,
                                 function_ref<void()> body) {
  if (split.hasOthers)
    k.ifThen(split.hasOthers, body);
  else
    body();
}

Value AttentionEmitter::allocateVectors(int64_t vectors) {
  return k.allocateWorkgroup(
      VectorType::get({shape.blockRows}, k.ir().getF32Type()), vectors);
}

void AttentionEmitter::allocate() {
  lane = k.laneId();
  keyPart = k(lane) % shape.keyLanes;
  valuePart = k(lane) % shape.valueLanes;
  laneGroup = k(lane) / shape.valueLanes;
  parts = allocateVectors(std::max(shape.partVectors(), 2 * shape.splits));
  weights = allocateVectors(shape.tileKeys);
  sums = allocateVectors(shape.tileKeys);
  groupParts = allocateVectors(2 * shape.laneGroups());
  scales = allocateVectors(std::max(shape.laneGroups(), shape.splits));
}

LogicalResult AttentionEmitter::run() {
  allocate();
  return eachBlock([&](Value number) { emitBlock(number); });
}
