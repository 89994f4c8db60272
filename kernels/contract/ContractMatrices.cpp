//===- ContractMatrices.cpp - tiles of matrix units -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A subgroup loads fragments of the inputs from workgroup memory and has them
// multiplied. Which lane holds which results is the device's secret, so they
// go through workgroup memory, fragment by fragment, to lanes that store them
// as any contraction's.
//
//===----------------------------------------------------------------------===//

#include "kernels/contract/ContractEmitter.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class MatrixContract : public ContractEmitter {
public:
  explicit MatrixContract(EmitterContext &context)
      : ContractEmitter(context), units(*tile.units) {}

private:
  static constexpr int64_t kSide = MatrixUnits::kSide;
  static constexpr int64_t kVector = MatrixUnits::kVector;
  static constexpr int64_t kRowVectors = MatrixUnits::kRowVectors;

  Values initialTotals() override;
  Values compute(const Values &totals, int64_t count) override;
  void store(ArrayRef<Value> totals) override;
  bool padsWithZeros() const override { return true; }

  Value loadFactor(unsigned number, int64_t element, int64_t fragment);
  Lanes addInitial(unsigned number, Value row, Value column, Lanes elements);

  const MatrixUnits &units;
  Value subgroup, laneInSubgroup, down, across;
  Value exchange; ///< kSide rows of each subgroup and accumulator.
};
} // namespace

MatrixContract::Values MatrixContract::initialTotals() {
  if (!exchange) {
    exchange = k.allocateWorkgroup(VectorType::get({kVector}, units.total),
                                   units.exchangeVectors());
    subgroup = k.subgroupId();
    laneInSubgroup = k.laneInSubgroup();
    down = k(subgroup) / units.subgroupsAcross;
    across = k(subgroup) % units.subgroupsAcross;
  }
  Type type = k.matrixType(units.total, kSide, kSide, MatrixUse::Total);
  return Values(units.fragments() * accumulators.size(), k.zeroMatrix(type));
}

/// The subgroup's fragment `fragment` of an input, from `element` of the step.
Value MatrixContract::loadFactor(unsigned number, int64_t element,
                                 int64_t fragment) {
  const StagedInput &input = tile.inputs[number];
  bool ofRows = input.dim == StagedInput::Rows;
  int64_t fragments = ofRows ? units.fragmentsDown : units.fragmentsAcross;
  Expr own = k(ofRows ? down : across) * (fragments * kSide) + fragment * kSide;
  int64_t pitch = tile.pitch(input);
  Value at = input.alongReduction ? own * pitch + element / input.width
                                  : own / input.width + element * pitch;
  Type type =
      ofRows ? k.matrixType(units.factor, kSide, units.depth, MatrixUse::Left)
             : k.matrixType(units.factor, units.depth, kSide, MatrixUse::Right);
  return k.loadMatrix(memory[number], type, at, pitch,
                      /*byColumns=*/ofRows != input.alongReduction);
}

MatrixContract::Values MatrixContract::compute(const Values &totals,
                                               int64_t count) {
  Values result = totals;
  for (int64_t element = 0; element < count; element += units.depth) {
    // Accumulators share what they read of the same input.
    llvm::MapVector<std::pair<unsigned, int64_t>, Value> loaded;
    auto load = [&](unsigned number, int64_t fragment) {
      Value &value = loaded[{number, fragment}];
      if (!value)
        value = loadFactor(number, element, fragment);
      return value;
    };
    unsigned at = 0;
    for (const MatrixUnits::Factors &factors : units.factors)
      for (int64_t i = 0; i < units.fragmentsDown; ++i)
        for (int64_t j = 0; j < units.fragmentsAcross; ++j, ++at) {
          Value left = load(factors.ofRows, i);
          Value right = load(factors.ofColumns, j);
          result[at] = k.multiplyMatrices(left, right, result[at]);
        }
  }
  return result;
}

/// The totals began with zero; the tensor that the reduction began with is
/// added at the end, if it is not zero.
Lanes MatrixContract::addInitial(unsigned number, Value row, Value column,
                                 Lanes elements) {
  int64_t count = elements.size();
  c.elements.begin(count);
  auto initial =
      emitInitial(accumulators[number], {min(k(row), tile.rows - 1), 0, 1},
                  {min(k(column), tile.columns - count), count > 1, count});
  if (!check(initial))
    return elements;
  for (auto [element, start] : llvm::zip_equal(elements, *initial)) {
    if (matchPattern(start, m_AnyZeroFloat()) || matchPattern(start, m_Zero()))
      continue;
    if (isa<FloatType>(units.total))
      element = arith::AddFOp::create(k.ir(), k.loc(), start, element);
    else
      element = arith::AddIOp::create(k.ir(), k.loc(), start, element);
  }
  return elements;
}

void MatrixContract::store(ArrayRef<Value> totals) {
  constexpr int64_t kElements = kSide * kSide / MatrixUnits::kSubgroupLanes;
  constexpr int64_t kLanesPerRow = kSide / kElements;
  bool together = tile.columns % kElements == 0 && c.layout.vectorizes;
  int64_t group = together ? kElements : 1;
  Expr myRow = k(laneInSubgroup) / kLanesPerRow;
  Expr myColumn = k(laneInSubgroup) % kLanesPerRow * kElements;
  Expr mine = k(subgroup) * (accumulators.size() * kSide * kRowVectors);
  auto placeOf = [&](unsigned accumulator) {
    return mine + accumulator * kSide * kRowVectors;
  };
  for (int64_t i = 0; i < units.fragmentsDown; ++i)
    for (int64_t j = 0; j < units.fragmentsAcross; ++j) {
      SmallVector<Lanes> elements(accumulators.size());
      for (unsigned number = 0; number < accumulators.size(); ++number) {
        unsigned at =
            number * units.fragments() + i * units.fragmentsAcross + j;
        k.storeMatrix(totals[at], exchange, placeOf(number), kRowVectors);
      }
      k.workgroupBarrier();
      for (unsigned number = 0; number < accumulators.size(); ++number)
        for (int64_t v = 0; v < kElements; v += kVector) {
          Value at = myRow * kRowVectors + (myColumn / kVector + v / kVector);
          llvm::append_range(elements[number],
                             k.loadWorkgroupVector(exchange, units.total,
                                                   k(placeOf(number)) + at));
        }
      k.workgroupBarrier();
      Value row = k(firstRow) + (k(down) * (units.fragmentsDown * kSide) +
                                 (myRow + i * kSide));
      Expr column =
          k(firstColumn) + (k(across) * (units.fragmentsAcross * kSide) +
                            (myColumn + j * kSide));
      for (int64_t v = 0; v < kElements; v += group) {
        Value at = column + v;
        SmallVector<Lanes> part;
        for (unsigned number = 0; number < accumulators.size(); ++number)
          part.push_back(
              addInitial(number, row, at,
                         Lanes(ArrayRef(elements[number]).slice(v, group))));
        storeElements(row, at, part);
      }
    }
}

std::unique_ptr<ContractEmitter>
gpuvm::createMatrixContract(EmitterContext &context) {
  return std::make_unique<MatrixContract>(context);
}
