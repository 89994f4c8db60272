//===- Contract.cpp - matrix products and their like ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reductions of many results that share inputs, tile by tile
// (Contraction.h). While a workgroup computes with one step's elements it has
// the next one's on their way into registers:
//
//   fetch the first step
//   for each step: put what was fetched into workgroup memory; barrier;
//                  fetch the next step; compute; barrier
//
// Whatever elementwise operations make the inputs melts into fetching, and
// those that read the results into storing.
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/Reductions.h"
#include "kernels/contract/ContractEmitter.h"
#include "kernels/family/ResultStores.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

ContractEmitter::ContractEmitter(EmitterContext &context)
    : RootEmitter(context), tile(context.layoutAs<ContractLayout>().tile),
      reductions(getReductions(context.op)) {
  ranges = reductions.front().getStaticLoopRanges();
  for (linalg::GenericOp op : reductions)
    for (unsigned i = 0; i < op.getNumDpsInits(); ++i)
      accumulators.push_back({op, i, matchProduct(op, i)});
}

LogicalResult ContractEmitter::run() {
  lane = k.laneId();
  for (const StagedInput &input : tile.inputs)
    if (!c.layout.ownResults)
      memory.push_back(k.allocateWorkgroup(
          tile.units ? VectorType::get({4}, k.ir().getI32Type())
                     : VectorType::get({input.width}, input.element),
          tile.vectors(input)));
  auto eachTile = [&](Value number, ValueRange) {
    emitTile(number);
    return Values();
  };
  k.loop(k.groupId(), k.index(tile.tiles()), k.index(c.layout.groups), {},
         eachTile, /*runs=*/true);
  return failure(failed_);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

SmallVector<LaneIndex> ContractEmitter::loopIndices(LaneIndex row,
                                                    LaneIndex column,
                                                    LaneIndex element) {
  SmallVector<int64_t> reduction;
  for (auto [range, iterator] :
       llvm::zip_equal(ranges, reductions.front().getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction)
      reduction.push_back(range);
  SmallVector<LaneIndex> inner = delinearize(k, element, reduction), indices;
  auto next = inner.begin();
  for (auto [loop, iterator] :
       llvm::enumerate(reductions.front().getIteratorTypesArray()))
    indices.push_back(iterator == utils::IteratorType::reduction ? *next++
                      : loop == tile.loops.rows                  ? row
                      : loop == tile.loops.columns
                          ? column
                          : LaneIndex{batch[loop], 0, 1});
  return indices;
}

//===----------------------------------------------------------------------===//
// A tile
//===----------------------------------------------------------------------===//

/// Eight rows of tiles are done together, so that workgroups that run at the
/// same time share inputs both ways.
static std::pair<Value, Value> placeOfTile(KernelBuilder &k, Value number,
                                           const ContractionTile &tile) {
  constexpr int64_t kBand = 8;
  int64_t across = tile.tilesAcross();
  if (tile.tilesDown() % kBand != 0)
    return {k(number) / across, k(number) % across};
  Expr inBand = k(number) % (kBand * across);
  Value down = k(number) / (kBand * across) * kBand + inBand % kBand;
  return {down, inBand / kBand};
}

void ContractEmitter::emitTile(Value number) {
  int64_t perBatch = tile.tilesDown() * tile.tilesAcross();
  Expr rest = k(number) / perBatch;
  batch.assign(ranges.size(), Value());
  for (unsigned loop = ranges.size(); loop-- > 0;) {
    bool isReduction = reductions.front().getIteratorTypesArray()[loop] ==
                       utils::IteratorType::reduction;
    if (isReduction || loop == tile.loops.rows || loop == tile.loops.columns)
      continue;
    batch[loop] = rest % ranges[loop];
    rest = rest / ranges[loop];
  }
  auto [down, across] = placeOfTile(k, k(number) % perBatch, tile);
  firstRow = k(down) * tile.tileRows();
  firstColumn = k(across) * tile.tileColumns();

  Values totals = initialTotals();
  int64_t steps = tile.elements / tile.depth;
  if (c.layout.ownResults) {
    auto step = [&](Value number, ValueRange values) {
      firstInStep = k(number) * tile.depth;
      return compute(Values(values), tile.depth);
    };
    totals = k.loop(k.index(0), k.index(steps), k.index(1), totals, step,
                    /*runs=*/true);
    steps = 0;
  }
  if (steps > 0) {
    Values carried = totals;
    llvm::append_range(carried, fetch(k.index(0)));
    auto step = [&](Value number, ValueRange values) {
      put(Values(values.drop_front(totals.size())));
      k.workgroupBarrier();
      Value next = min(k(number) + 1, steps - 1);
      Values fetched = fetch(next);
      firstInStep = k(number) * tile.depth;
      Values result =
          compute(Values(values.take_front(totals.size())), tile.depth);
      k.workgroupBarrier();
      llvm::append_range(result, fetched);
      return result;
    };
    carried = k.loop(k.index(0), k.index(steps), k.index(1), carried, step,
                     /*runs=*/true);
    carried.truncate(totals.size());
    totals = carried;
  }
  if (int64_t tail = tile.elements % tile.depth) {
    put(fetchTail());
    k.workgroupBarrier();
    firstInStep = k.index(steps * tile.depth);
    totals = compute(totals, tail);
    k.workgroupBarrier();
  }
  if (!failed_)
    store(totals);
}

//===----------------------------------------------------------------------===//
// Storing
//===----------------------------------------------------------------------===//

FailureOr<Lanes> ContractEmitter::emitInitial(const Accumulator &a,
                                              LaneIndex row, LaneIndex column) {
  linalg::GenericOp op = a.op;
  OpOperand *init = op.getDpsInitOperand(a.number);
  auto shape = cast<RankedTensorType>(init->get().getType()).getShape();
  ElementEmitter::Point at =
      c.elements.point(loopIndices(row, column, {k.index(0), 0, 1}), ranges);
  return c.elements.emit(
      init->get(),
      c.elements.throughMap(at, op.getMatchingIndexingMap(init), shape));
}

void ContractEmitter::storeElements(Value row, Value column,
                                    ArrayRef<Lanes> elements) {
  linalg::GenericOp lead = reductions.front();
  OpOperand *init = lead.getDpsInitOperand(0);
  auto shape = cast<RankedTensorType>(init->get().getType()).getShape();
  int64_t count = elements.front().size();
  auto storeInside = [&] {
    c.elements.begin(count);
    ElementEmitter::Point at = c.elements.throughMap(
        c.elements.point(loopIndices({row, 0, 1}, {column, count > 1, count},
                                     {k.index(0), 0, 1}),
                         ranges),
        lead.getMatchingIndexingMap(init), shape);
    for (auto [a, lanes] : llvm::zip_equal(accumulators, elements))
      c.elements.bind(a.op->getResult(a.number), lanes);
    ResultStores stores(c);
    for (auto [value, binding] : getStoredResults(c))
      if (!check(stores.add(value, binding, at)))
        return;
    stores.store();
  };
  Value inside;
  if (tile.rows % tile.tileRows() != 0)
    inside = k(row) < tile.rows;
  if (tile.columns % tile.tileColumns() != 0) {
    Value inRow = k(column) < tile.columns;
    inside =
        inside ? arith::AndIOp::create(k.ir(), k.loc(), inside, inRow) : inRow;
  }
  if (inside)
    k.ifThen(inside, storeInside);
  else
    storeInside();
}

LogicalResult gpuvm::emitContract(EmitterContext &context) {
  return (context.layoutAs<ContractLayout>().tile.units
              ? createMatrixContract(context)
              : createLaneContract(context))
      ->run();
}
