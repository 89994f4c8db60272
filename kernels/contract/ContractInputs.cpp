//===- ContractInputs.cpp - inputs of a contraction's tile ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/contract/ContractEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Into workgroup memory
//===----------------------------------------------------------------------===//

ContractEmitter::Values ContractEmitter::fetch(Value step) {
  Values fetched;
  for (const StagedInput &input : tile.inputs)
    fetchInput(input, k(step) * tile.depth, /*clamps=*/false, fetched);
  return fetched;
}

ContractEmitter::Values ContractEmitter::fetchTail() {
  Values fetched;
  for (const StagedInput &input : tile.inputs)
    fetchInput(input, k.index(tile.elements / tile.depth * tile.depth),
               /*clamps=*/true, fetched);
  return fetched;
}

namespace {
/// How the lanes share the tile of an input.
struct FetchPlan {
  int64_t runs;    ///< Runs of `fetched` neighbours in the tile.
  int64_t perLine; ///< Of a line.
  int64_t perLane;
};
} // namespace

static FetchPlan planFetch(const ContractionTile &tile,
                           const StagedInput &input) {
  int64_t line = input.alongReduction ? tile.depth : tile.extent(input);
  int64_t lines = input.alongReduction ? tile.extent(input) : tile.depth;
  FetchPlan plan;
  plan.perLine = line / input.fetched;
  plan.runs = lines * plan.perLine;
  plan.perLane = llvm::divideCeil(plan.runs, tile.lanes());
  return plan;
}

/// This lane's elements of the tile that begins at `firstElement` of the
/// reduction. Indices behind the ends are clamped: what is read there reaches
/// no result. `clamps`: the reduction ends within the tile.
void ContractEmitter::fetchInput(const StagedInput &input, Value firstElement,
                                 bool clamps, Values &fetched) {
  FetchPlan plan = planFetch(tile, input);
  auto shape = cast<RankedTensorType>(input.tensor.getType()).getShape();
  int64_t range = input.dim == StagedInput::Rows ? tile.rows : tile.columns;
  Value first = input.dim == StagedInput::Rows ? firstRow : firstColumn;
  bool oneByOne = input.oneByOne || (clamps && input.alongReduction);
  int64_t together = oneByOne ? 1 : input.fetched;
  c.elements.begin(together);
  for (int64_t p = 0; p < plan.perLane; ++p) {
    Expr run = k(lane) + p * tile.lanes();
    run = min(run, plan.runs - 1);
    Value line = run / plan.perLine;
    Expr inLine = run % plan.perLine * input.fetched;
    for (int64_t i = 0; i < input.fetched; i += together) {
      Value along = inLine + i;
      LaneIndex element = {
          k(firstElement) + (input.alongReduction ? along : line),
          input.alongReduction, input.alongReduction ? together : 1};
      Value inside;
      if (clamps) {
        if (padsWithZeros())
          inside = k(element.base) < tile.elements;
        element.base = min(k(element.base), tile.elements - 1);
      }
      LaneIndex own = {k(first) + (input.alongReduction ? line : along),
                       !input.alongReduction,
                       input.alongReduction ? 1 : together};
      int64_t last = range - (input.alongReduction ? 1 : together);
      own.base = min(k(own.base), last);
      LaneIndex zero = {k.index(0), 0, 1};
      bool ofRows = input.dim == StagedInput::Rows;
      bool ofColumns = input.dim == StagedInput::Columns;
      auto indices =
          loopIndices(ofRows ? own : zero, ofColumns ? own : zero, element);
      auto values = c.elements.emit(
          input.tensor, c.elements.throughMap(c.elements.point(indices, ranges),
                                              input.map, shape));
      if (!check(values))
        return;
      if (inside)
        for (Value &value : *values)
          value = select(k(inside), value, 0);
      llvm::append_range(fetched, *values);
    }
  }
}

void ContractEmitter::put(ArrayRef<Value> fetched) {
  for (auto [number, input] : llvm::enumerate(tile.inputs)) {
    int64_t count = planFetch(tile, input).perLane * input.fetched;
    if (failed_)
      return;
    putInput(number, fetched.take_front(count));
    fetched = fetched.drop_front(count);
  }
}

void ContractEmitter::putInput(unsigned number, ArrayRef<Value> values) {
  const StagedInput &input = tile.inputs[number];
  FetchPlan plan = planFetch(tile, input);
  for (int64_t p = 0; p < plan.perLane; ++p) {
    Expr run = k(lane) + p * tile.lanes();
    auto store = [&] {
      Expr line = run / plan.perLine;
      Value first = run % plan.perLine * (input.fetched / input.width);
      Expr at = line * tile.pitch(input) + first;
      for (int64_t v = 0; v < input.fetched / input.width; ++v) {
        ArrayRef<Value> vector =
            values.slice(p * input.fetched + v * input.width, input.width);
        if (tile.units)
          k.storeWorkgroupWords(memory[number], vector, at + v);
        else
          k.storeWorkgroupVector(memory[number], vector, at + v);
      }
    };
    if ((p + 1) * tile.lanes() <= plan.runs)
      store();
    else
      k.ifThen(run < plan.runs, store);
  }
}
