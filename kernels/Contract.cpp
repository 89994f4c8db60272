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
// those that read the results into storing. Each result takes its elements in
// ascending order, in one lane (docs/reduction-order.md).
//
//===----------------------------------------------------------------------===//

#include "kernels/ContractEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

/// The product that `op` adds to its accumulator, if that is all it does.
static void matchMultiplyAdd(TileAccumulator &accumulator) {
  Operation *yield = accumulator.op.getBody()->getTerminator();
  auto add =
      yield->getOperand(accumulator.number).getDefiningOp<arith::AddFOp>();
  if (!add)
    return;
  BlockArgument total =
      accumulator.op.getRegionOutputArgs()[accumulator.number];
  Value other = add.getLhs() == total ? add.getRhs() : add.getLhs();
  auto product = other.getDefiningOp<arith::MulFOp>();
  if (!product || (add.getLhs() != total && add.getRhs() != total))
    return;
  accumulator.left = product.getLhs();
  accumulator.right = product.getRhs();
}

ContractEmitter::ContractEmitter(EmitterContext &context)
    : c(context), k(context.kernel), tile(*context.config.tile),
      reductions(getReductions(context.op)) {
  ranges = reductions.front().getStaticLoopRanges();
  for (linalg::GenericOp op : reductions) {
    for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
      accumulators.push_back({op, i, Value(), Value()});
      if (!c.exact)
        matchMultiplyAdd(accumulators.back());
    }
    unsigned staged = 0;
    for (OpOperand *operand : op.getDpsInputOperands())
      staged += op.getMatchingBlockArgument(operand).use_empty() ||
                llvm::any_of(tile.inputs, [&](const StagedInput &input) {
                  return input.tensor == operand->get() &&
                         input.map == op.getMatchingIndexingMap(operand);
                });
    needsPlace |= staged != op.getNumDpsInputs() ||
                  !op.getBody()->getOps<linalg::IndexOp>().empty();
  }
  for (const StagedInput &input : tile.inputs)
    if (!input.alongReduction)
      (input.dim == StagedInput::Rows ? rowGroup : columnGroup) = input.width;
}

LogicalResult ContractEmitter::run() {
  lane = k.laneId();
  laneColumn = k.rem(lane, kTileLanes);
  laneRow = k.div(lane, kTileLanes);
  for (const StagedInput &input : tile.inputs)
    memory.push_back(k.allocateWorkgroup(
        VectorType::get({input.width}, input.element), tile.vectors(input)));
  auto eachTile = [&](Value number, ValueRange) {
    emitTile(number);
    return Values();
  };
  k.loop(k.groupId(), k.index(tile.tiles()), k.index(c.config.groups), {},
         eachTile, /*runs=*/true);
  return failure(failed_);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Element i of a lane's block along one side of the tile: groups of
/// neighbours, the lanes' groups side by side.
Value ContractEmitter::inTile(Value lane, int64_t i, int64_t group) {
  return k.add(k.mul(lane, group),
               k.index(i / group * group * kTileLanes + i % group));
}

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
    return {k.div(number, across), k.rem(number, across)};
  Value inBand = k.rem(number, kBand * across);
  Value down =
      k.add(k.mul(k.div(number, kBand * across), kBand), k.rem(inBand, kBand));
  return {down, k.div(inBand, kBand)};
}

void ContractEmitter::emitTile(Value number) {
  int64_t perBatch = tile.tilesDown() * tile.tilesAcross();
  Value rest = k.div(number, perBatch);
  batch.assign(ranges.size(), Value());
  for (unsigned loop = ranges.size(); loop-- > 0;) {
    bool isReduction = reductions.front().getIteratorTypesArray()[loop] ==
                       utils::IteratorType::reduction;
    if (isReduction || loop == tile.loops.rows || loop == tile.loops.columns)
      continue;
    batch[loop] = k.rem(rest, ranges[loop]);
    rest = k.div(rest, ranges[loop]);
  }
  auto [down, across] = placeOfTile(k, k.rem(number, perBatch), tile);
  firstRow = k.mul(down, tile.tileRows());
  firstColumn = k.mul(across, tile.tileColumns());

  Values totals = initialValues();
  int64_t steps = tile.elements / tile.depth;
  if (steps > 0) {
    Values carried = totals;
    llvm::append_range(carried, fetch(k.index(0)));
    auto step = [&](Value number, ValueRange values) {
      put(Values(values.drop_front(totals.size())));
      k.workgroupBarrier();
      Value next = k.min(k.add(number, k.index(1)), k.index(steps - 1));
      Values fetched = fetch(next);
      firstInStep = k.mul(number, tile.depth);
      Values result =
          computeStep(Values(values.take_front(totals.size())), tile.depth);
      k.workgroupBarrier();
      llvm::append_range(result, fetched);
      return result;
    };
    carried = k.loop(k.index(0), k.index(steps), k.index(1), carried, step,
                     /*runs=*/true);
    totals.assign(carried.begin(), carried.begin() + totals.size());
  }
  if (int64_t tail = tile.elements % tile.depth) {
    put(fetchTail());
    k.workgroupBarrier();
    firstInStep = k.index(steps * tile.depth);
    totals = computeStep(totals, tail);
    k.workgroupBarrier();
  }
  storeTile(totals);
}

ContractEmitter::Values ContractEmitter::initialValues() {
  Values totals;
  c.elements.begin(1);
  for (int64_t i = 0; i < tile.rowsPerLane; ++i)
    for (int64_t j = 0; j < tile.columnsPerLane; ++j) {
      LaneIndex ofRow = {k.min(row(i), k.index(tile.rows - 1)), 0, 1};
      LaneIndex ofColumn = {k.min(column(j), k.index(tile.columns - 1)), 0, 1};
      ElementEmitter::Point at = c.elements.point(
          loopIndices(ofRow, ofColumn, {k.index(0), 0, 1}), ranges);
      for (TileAccumulator &a : accumulators) {
        OpOperand *init = a.op.getDpsInitOperand(a.number);
        auto type = cast<RankedTensorType>(init->get().getType());
        auto value = c.elements.emit(
            init->get(),
            c.elements.throughMap(at, a.op.getMatchingIndexingMap(init),
                                  type.getShape()));
        totals.push_back(check(value) ? value->front() : Value());
      }
    }
  return totals;
}

//===----------------------------------------------------------------------===//
// Computing
//===----------------------------------------------------------------------===//

/// The first `count` elements of the step in workgroup memory.
ContractEmitter::Values ContractEmitter::computeStep(const Values &totals,
                                                     int64_t count) {
  constexpr int64_t kUnrolled = 16; // Elements without a loop around them.
  if (count > kUnrolled && count % kUnrolled == 0) {
    auto body = [&](Value first, ValueRange carried) {
      return computeFew(Values(carried), first, kUnrolled);
    };
    return k.loop(k.index(0), k.index(count), k.index(kUnrolled), totals, body,
                  /*runs=*/true);
  }
  return computeFew(totals, k.index(0), count);
}

/// `count` elements from `first` of the step on, four at a time.
ContractEmitter::Values ContractEmitter::computeFew(Values totals, Value first,
                                                    int64_t count) {
  for (int64_t done = 0; done < count; done += 4) {
    int64_t now = std::min<int64_t>(4, count - done);
    Value from = k.add(first, k.index(done));
    SmallVector<SmallVector<Values>> read;
    for (unsigned number = 0; number < tile.inputs.size(); ++number)
      read.push_back(readInput(number, from, now));
    c.elements.begin(1);
    ElementEmitter::Point nowhere = c.elements.point({}, {});
    for (int64_t e = 0; e < now; ++e)
      for (int64_t i = 0; i < tile.rowsPerLane; ++i)
        for (int64_t j = 0; j < tile.columnsPerLane; ++j) {
          ElementEmitter::Point at = nowhere;
          if (needsPlace) {
            Value element = k.add(firstInStep, k.add(from, k.index(e)));
            at = c.elements.point(
                loopIndices({k.min(row(i), k.index(tile.rows - 1)), 0, 1},
                            {k.min(column(j), k.index(tile.columns - 1)), 0, 1},
                            {element, 0, 1}),
                ranges);
          }
          if (!failed_)
            accumulate(totals, accumulatorAt(i, j), i, j, read, e, at);
        }
  }
  return totals;
}

/// One element into the results at `block` of `totals`.
void ContractEmitter::accumulate(Values &totals, int64_t block, int64_t row,
                                 int64_t column,
                                 ArrayRef<SmallVector<Values>> read,
                                 int64_t element, ElementEmitter::Point at) {
  Values next;
  while (next.size() < accumulators.size()) {
    TileAccumulator &a = accumulators[next.size()];
    auto given = [&](OpOperand &operand) -> Value {
      for (auto [number, input] : llvm::enumerate(tile.inputs))
        if (input.tensor == operand.get() &&
            input.map == a.op.getMatchingIndexingMap(&operand))
          return read[number][input.dim == StagedInput::Rows      ? row
                              : input.dim == StagedInput::Columns ? column
                                                                  : 0][element];
      return Value();
    };
    bool fuses = a.left && a.op.getNumDpsInits() == 1;
    SmallVector<Lanes> carried;
    for (unsigned i = 0; i < a.op.getNumDpsInits(); ++i)
      carried.push_back({totals[block + next.size() + i]});
    Values wanted =
        fuses ? Values{a.left, a.right}
              : Values(a.op.getBody()->getTerminator()->getOperands());
    auto results = c.elements.emitBody(a.op, at, wanted, carried, given);
    if (!check(results))
      return;
    if (fuses)
      next.push_back(math::FmaOp::create(k.ir(), k.loc(), (*results)[0].front(),
                                         (*results)[1].front(),
                                         carried.front().front()));
    else
      for (Lanes &lanes : *results)
        next.push_back(lanes.front());
  }
  llvm::copy(next, totals.begin() + block);
}

//===----------------------------------------------------------------------===//
// Storing
//===----------------------------------------------------------------------===//

void ContractEmitter::storeTile(ArrayRef<Value> totals) {
  if (failed_)
    return;
  auto yield = cast<YieldOp>(c.op.getBody().front().getTerminator());
  int64_t group =
      tile.columns % columnGroup == 0 && c.config.vectorizes ? columnGroup : 1;
  linalg::GenericOp lead = reductions.front();
  OpOperand *init = lead.getDpsInitOperand(0);
  auto shape = cast<RankedTensorType>(init->get().getType()).getShape();
  auto storeAt = [&](int64_t i, int64_t j) {
    c.elements.begin(group);
    LaneIndex ofColumn = {column(j), group > 1, group};
    ElementEmitter::Point at = c.elements.throughMap(
        c.elements.point(
            loopIndices({row(i), 0, 1}, ofColumn, {k.index(0), 0, 1}), ranges),
        lead.getMatchingIndexingMap(init), shape);
    for (auto [number, a] : llvm::enumerate(accumulators)) {
      Lanes lanes;
      for (int64_t v = 0; v < group; ++v)
        lanes.push_back(totals[accumulatorAt(i, j + v) + number]);
      c.elements.bind(a.op->getResult(a.number), lanes);
    }
    // A result may have taken the window of what another one reads.
    SmallVector<Lanes> stored;
    for (Value value : yield.getValues()) {
      auto elements = c.elements.emit(value, at);
      if (!check(elements))
        return;
      stored.push_back(*elements);
    }
    for (auto [elements, binding] : llvm::zip_equal(stored, c.layout.outputs))
      c.elements.store(binding, elements, at);
  };
  for (int64_t i = 0; i < tile.rowsPerLane; ++i)
    for (int64_t j = 0; j < tile.columnsPerLane; j += group) {
      Value inside;
      if (tile.rows % tile.tileRows() != 0)
        inside = k.less(row(i), k.index(tile.rows));
      if (tile.columns % tile.tileColumns() != 0) {
        Value inRow = k.less(column(j), k.index(tile.columns));
        inside = inside ? arith::AndIOp::create(k.ir(), k.loc(), inside, inRow)
                        : inRow;
      }
      if (inside)
        k.ifThen(inside, [&] { storeAt(i, j); });
      else
        storeAt(i, j);
    }
}

LogicalResult gpuvm::emitContract(EmitterContext &context) {
  return ContractEmitter(context).run();
}
