//===- ContractLanes.cpp - a tile's results in lanes' registers -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every lane has some rows and columns of the tile. Each result takes its
// elements in ascending order, in one lane (docs/reduction-order.md), whatever
// the body of the reduction is.
//
//===----------------------------------------------------------------------===//

#include "kernels/contract/ContractEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class LaneContract : public ContractEmitter {
public:
  explicit LaneContract(EmitterContext &context);

private:
  Values initialTotals() override;
  Values compute(const Values &totals, int64_t count) override;
  void store(ArrayRef<Value> totals) override;

  Values computeFew(Values totals, Value first, int64_t count);
  SmallVector<Values> readInput(unsigned number, Value first, int64_t count);
  SmallVector<Values> loadInput(const StagedInput &input, int64_t count);
  void accumulate(Values &totals, int64_t block, int64_t row, int64_t column,
                  ArrayRef<SmallVector<Values>> read, int64_t element,
                  ElementEmitter::Point at);

  Value inTile(Value lane, int64_t i, int64_t group, int64_t lanes);
  Value rowInTile(int64_t i) {
    return inTile(laneRow, i, rowGroup, tile.lanesDown);
  }
  Value columnInTile(int64_t j) {
    return inTile(laneColumn, j, columnGroup, tile.lanesAcross);
  }
  Value row(int64_t i) { return k(firstRow) + rowInTile(i); }
  Value column(int64_t j) { return k(firstColumn) + columnInTile(j); }
  unsigned accumulatorAt(int64_t row, int64_t column) const {
    return (row * tile.columnsPerLane + column) * accumulators.size();
  }

  /// Neighbouring rows (columns) of a lane's block come in such groups.
  int64_t rowGroup = 1, columnGroup = 1;
  bool needsPlace = false; ///< Some body reads more than the staged inputs.
  Value laneRow, laneColumn;
};
} // namespace

LaneContract::LaneContract(EmitterContext &context) : ContractEmitter(context) {
  auto isStaged = [&](OpOperand *operand, AffineMap map) {
    return llvm::any_of(tile.inputs, [&](const StagedInput &input) {
      return input.tensor == operand->get() && input.map == map;
    });
  };
  for (linalg::GenericOp op : reductions) {
    for (OpOperand *operand : op.getDpsInputOperands())
      needsPlace |= !op.getMatchingBlockArgument(operand).use_empty() &&
                    !isStaged(operand, op.getMatchingIndexingMap(operand));
    needsPlace |= !op.getBody()->getOps<linalg::IndexOp>().empty();
  }
  if (c.layout.ownResults) {
    rowGroup = tile.rowsPerLane;
    columnGroup = tile.columnsPerLane;
    return;
  }
  for (const StagedInput &input : tile.inputs)
    if (!input.alongReduction)
      (input.dim == StagedInput::Rows ? rowGroup : columnGroup) = input.width;
}

/// Element i of a lane's block along one side of the tile: groups of
/// neighbours, the lanes' groups side by side.
Value LaneContract::inTile(Value lane, int64_t i, int64_t group,
                           int64_t lanes) {
  return k(lane) * group + (i / group * group * lanes + i % group);
}

LaneContract::Values LaneContract::initialTotals() {
  laneColumn = k(lane) % tile.lanesAcross;
  laneRow = k(lane) / tile.lanesAcross;
  Values totals;
  c.elements.begin(1);
  for (int64_t i = 0; i < tile.rowsPerLane; ++i)
    for (int64_t j = 0; j < tile.columnsPerLane; ++j)
      for (const Accumulator &a : accumulators) {
        auto value = emitInitial(a, {min(k(row(i)), tile.rows - 1), 0, 1},
                                 {min(k(column(j)), tile.columns - 1), 0, 1});
        totals.push_back(check(value) ? value->front() : Value());
      }
  return totals;
}

//===----------------------------------------------------------------------===//
// Computing
//===----------------------------------------------------------------------===//

/// The first `count` elements of the step in workgroup memory.
LaneContract::Values LaneContract::compute(const Values &totals,
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

/// `count` elements from `first` of the step on, four at a time from workgroup
/// memory.
LaneContract::Values LaneContract::computeFew(Values totals, Value first,
                                              int64_t count) {
  const int64_t together = c.layout.ownResults ? count : 4;
  for (int64_t done = 0; done < count; done += together) {
    int64_t now = std::min<int64_t>(together, count - done);
    Expr from = k(first) + done;
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
            Value element = k(firstInStep) + (from + e);
            at = c.elements.point(
                loopIndices({min(k(row(i)), tile.rows - 1), 0, 1},
                            {min(k(column(j)), tile.columns - 1), 0, 1},
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
void LaneContract::accumulate(Values &totals, int64_t block, int64_t row,
                              int64_t column,
                              ArrayRef<SmallVector<Values>> read,
                              int64_t element, ElementEmitter::Point at) {
  Values next;
  while (next.size() < accumulators.size()) {
    Accumulator &a = accumulators[next.size()];
    auto given = [&](OpOperand &operand) -> Value {
      for (auto [number, input] : llvm::enumerate(tile.inputs))
        if (input.tensor == operand.get() &&
            input.map == a.op.getMatchingIndexingMap(&operand))
          return read[number][input.dim == StagedInput::Rows      ? row
                              : input.dim == StagedInput::Columns ? column
                                                                  : 0][element];
      return Value();
    };
    SmallVector<Lanes> carried;
    for (unsigned i = 0; i < a.op.getNumDpsInits(); ++i)
      carried.push_back({totals[block + next.size() + i]});
    auto type = dyn_cast<FloatType>(carried.front().front().getType());
    bool fuses = a.product && !c.exact && a.op.getNumDpsInits() == 1 && type &&
                 !type.isBF16();
    Values wanted =
        fuses ? Values{a.product.left, a.product.right}
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

/// What a lane needs of an input for elements first .. first + count - 1 of the
/// step: for each of its rows or columns, these elements.
SmallVector<LaneContract::Values>
LaneContract::readInput(unsigned number, Value first, int64_t count) {
  const StagedInput &input = tile.inputs[number];
  if (c.layout.ownResults)
    return loadInput(input, count);
  int64_t perLane = input.dim == StagedInput::Rows      ? tile.rowsPerLane
                    : input.dim == StagedInput::Columns ? tile.columnsPerLane
                                                        : 1;
  Value own = input.dim == StagedInput::Rows ? laneRow : laneColumn;
  SmallVector<Values> read(perLane);
  auto load = [&](Value at) {
    return k.loadWorkgroupVector(memory[number], input.element, at);
  };
  if (input.alongReduction) {
    for (int64_t x = 0; x < perLane; ++x) {
      Value line = input.dim == StagedInput::None   ? k.index(0)
                   : input.dim == StagedInput::Rows ? rowInTile(x)
                                                    : columnInTile(x);
      Value at = k(line) * tile.pitch(input) + k(first) / input.width;
      read[x] = load(at);
    }
    return read;
  }
  for (int64_t e = 0; e < count; ++e)
    for (int64_t x = 0; x < perLane; x += input.width) {
      Expr line = k(first) + e;
      Value inLine = k(own) + x / input.width * kTileLanes;
      Values vector = load(line * tile.pitch(input) + inLine);
      for (int64_t v = 0; v < input.width; ++v)
        read[x + v].push_back(vector[v]);
    }
  return read;
}

/// The same from where the input is, for the first `count` elements.
SmallVector<LaneContract::Values>
LaneContract::loadInput(const StagedInput &input, int64_t count) {
  bool ofRows = input.dim == StagedInput::Rows;
  bool ofColumns = input.dim == StagedInput::Columns;
  int64_t perLane = ofRows      ? tile.rowsPerLane
                    : ofColumns ? tile.columnsPerLane
                                : 1;
  auto shape = cast<RankedTensorType>(input.tensor.getType()).getShape();
  SmallVector<Values> read(perLane);
  // `together` neighbours, from that one of the lane's own and from that
  // element.
  auto load = [&](int64_t x, int64_t e, int64_t together) {
    bool along = input.alongReduction;
    LaneIndex zero = {k.index(0), 0, 1}, own = zero;
    int64_t ownNeighbours = along ? 1 : together;
    if (ofRows || ofColumns) {
      Value last = k.index((ofRows ? tile.rows : tile.columns) - ownNeighbours);
      own = {min(k(ofRows ? row(x) : column(x)), last), !along, ownNeighbours};
    }
    LaneIndex element = {k(firstInStep) + e, along, along ? together : 1};
    c.elements.begin(together);
    auto values = c.elements.emit(
        input.tensor,
        c.elements.throughMap(
            c.elements.point(loopIndices(ofRows ? own : zero,
                                         ofColumns ? own : zero, element),
                             ranges),
            input.map, shape));
    return check(values) ? Values(ArrayRef(*values)) : Values(together);
  };
  if (input.alongReduction) {
    for (int64_t x = 0; x < perLane; ++x)
      read[x] = load(x, 0, count);
    return read;
  }
  for (int64_t e = 0; e < count; ++e)
    for (auto [x, value] : llvm::enumerate(load(0, e, perLane)))
      read[x].push_back(value);
  return read;
}

//===----------------------------------------------------------------------===//
// Storing
//===----------------------------------------------------------------------===//

void LaneContract::store(ArrayRef<Value> totals) {
  int64_t group =
      tile.columns % columnGroup == 0 && c.layout.vectorizes ? columnGroup : 1;
  for (int64_t i = 0; i < tile.rowsPerLane; ++i)
    for (int64_t j = 0; j < tile.columnsPerLane; j += group) {
      SmallVector<Lanes> elements(accumulators.size());
      for (auto [number, lanes] : llvm::enumerate(elements))
        for (int64_t v = 0; v < group; ++v)
          lanes.push_back(totals[accumulatorAt(i, j + v) + number]);
      storeElements(row(i), column(j), elements);
    }
}

std::unique_ptr<ContractEmitter>
gpuvm::createLaneContract(EmitterContext &context) {
  return std::make_unique<LaneContract>(context);
}
