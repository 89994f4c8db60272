//===- TiledAttention.cpp - the emitter for many query rows ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk over blocks of query rows and over the tiles of keys that some row
// of the block sees (TiledAttentionTile.cpp). If there are few blocks the keys
// are split among workgroups: each writes down what its lanes hold, and the one
// that finishes last merges that, lane by lane.
//
//===----------------------------------------------------------------------===//

#include "kernels/attention/TiledAttention.h"

#include <limits>

using namespace mlir;
using namespace mlir::gpuvm;

TiledAttention::TiledAttention(EmitterContext &context)
    : AttentionRoot(context, context.layoutAs<TiledAttentionLayout>()),
      shape(context.layoutAs<TiledAttentionLayout>()) {}

LogicalResult TiledAttention::run() {
  lane = k.laneId();
  down = k(lane) / Layout::kAcross;
  across = k(lane) % Layout::kAcross;
  memory = k.allocateWorkgroup(
      VectorType::get({Layout::kVector}, k.ir().getF32Type()),
      shape.memoryVectors());
  return eachBlock([&](Value number) { emitBlock(number); });
}

void TiledAttention::emitBlock(Value number) {
  Value split = k(number) % shape.splits;
  Expr blockNumber = k(number) / shape.splits;
  // Blocks at the end see the most keys if there is a mask, and start first.
  Value last = k.index(shape.blocksPerCached() - 1);
  beginBlock(blockNumber % shape.cachedHeads,
             subtract(last, blockNumber / shape.cachedHeads));
  seen.clear();
  for (int64_t i = 0; i < shape.rowsPerLane; ++i)
    seen.push_back(keysSeen(queryRow(rowInBlock(i))));
  State start = {
      Values(shape.sumsPerLane(), real(0)),
      Values(shape.rowsPerLane, real(std::numeric_limits<float>::lowest())),
      Values(shape.rowsPerLane, real(0))};
  auto [first, end, count] = tilesSeen(split);
  State whole = unflatten(k.loop(
      first, end, k.index(1), flatten(start),
      [&](Value number, ValueRange carried) {
        return flatten(attend(unflatten(carried), k(number) * shape.tileKeys));
      }));
  if (shape.splits == 1)
    return storeResults(whole);
  storeState(whole, blockNumber, split);
  finishBlock(blockNumber, k.index(shape.splits), [&](Value splits) {
    storeResults(unflatten(k.loop(k.index(1), splits, k.index(1),
                                  flatten(loadState(blockNumber, k.index(0))),
                                  [&](Value split, ValueRange carried) {
                                    return flatten(
                                        merge(unflatten(carried),
                                              loadState(blockNumber, split)));
                                  })));
  });
}

//===----------------------------------------------------------------------===//
// What lanes know of the keys so far
//===----------------------------------------------------------------------===//

TiledAttention::Values TiledAttention::flatten(const State &state) {
  Values values = state.sums;
  values.append(state.tops);
  values.append(state.weights);
  return values;
}

TiledAttention::State TiledAttention::unflatten(ValueRange values) {
  ValueRange rest = values.drop_front(shape.sumsPerLane());
  return {Values(values.take_front(shape.sumsPerLane())),
          Values(rest.take_front(shape.rowsPerLane)),
          Values(rest.slice(shape.rowsPerLane, shape.rowsPerLane))};
}

TiledAttention::State TiledAttention::merge(const State &a, const State &b) {
  State both = a;
  for (int64_t i = 0; i < shape.rowsPerLane; ++i) {
    both.tops[i] = larger(a.tops[i], b.tops[i]);
    Value scaleA = ratio(a.tops[i], both.tops[i]);
    Value scaleB = ratio(b.tops[i], both.tops[i]);
    auto add = [&](Value x, Value y) {
      return multiplyAdd(e(y), scaleB, e(x) * scaleA);
    };
    both.weights[i] = add(a.weights[i], b.weights[i]);
    for (int64_t j = 0; j < shape.valuesPerLane; ++j) {
      int64_t at = i * shape.valuesPerLane + j;
      both.sums[at] = add(a.sums[at], b.sums[at]);
    }
  }
  return both;
}

/// Where scratch memory has a vector of this lane's state: neighbours of
/// neighbours.
Value TiledAttention::stateAt(Value blockNumber, Value split, int64_t vector) {
  int64_t vectors = shape.statePerLane() / Layout::kVector;
  Expr number = k(blockNumber) * shape.splits + split;
  Expr row = number * vectors + vector;
  return (row * shape.lanes + lane) * Layout::kVector;
}

void TiledAttention::storeState(const State &state, Value blockNumber,
                                Value split) {
  Values values = flatten(state);
  values.resize(shape.statePerLane(), real(0));
  for (int64_t at = 0; at < shape.statePerLane(); at += Layout::kVector)
    k.storeVector(c.bindings.scratch.front(),
                  ArrayRef(values).slice(at, Layout::kVector),
                  stateAt(blockNumber, split, at / Layout::kVector));
}

TiledAttention::State TiledAttention::loadState(Value blockNumber,
                                                Value split) {
  Values values;
  for (int64_t at = 0; at < shape.statePerLane(); at += Layout::kVector)
    llvm::append_range(
        values, k.loadVector(c.bindings.scratch.front(), k.ir().getF32Type(),
                             stateAt(blockNumber, split, at / Layout::kVector),
                             Layout::kVector));
  return unflatten(values);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void TiledAttention::storeResults(const State &state) {
  Values weights =
      exchange(state.weights, [&](Value a, Value b) { return e(a) + b; });
  int64_t together =
      shape.valueSize % Layout::kVector == 0 ? Layout::kVector : 1;
  for (int64_t i = 0; i < shape.rowsPerLane; ++i) {
    QueryRow row = queryRow(rowInBlock(i));
    Expr number = k(row.head) * shape.queries + row.number;
    for (int64_t e = 0; e < shape.valuesPerLane; e += together) {
      Expr element = k(across) * Layout::kVector +
                     (e / Layout::kVector * Layout::kVector * Layout::kAcross +
                      e % Layout::kVector);
      Values means;
      for (int64_t x = e; x < e + together; ++x)
        means.push_back(
            mean(state.sums[i * shape.valuesPerLane + x], weights[i]));
      Value inside = k(row.inside) & (element < shape.valueSize);
      k.ifThen(inside, [&] {
        k.storeVector(c.bindings.outputs.front(), means,
                      number * shape.valueSize + element);
      });
    }
  }
}
