//===- ElementBody.cpp - the body of an operation, for some lanes ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/elements/ElementEmitter.h"

#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace mlir;
using namespace mlir::gpuvm;

static ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

LogicalResult
ElementEmitter::bindInputs(linalg::GenericOp op, Point at, Clones &clones,
                           function_ref<Value(OpOperand &)> given) {
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument.use_empty() || clones.front().contains(argument))
      continue;
    if (Value value = given ? given(operand) : Value()) {
      for (IRMapping &clone : clones)
        clone.map(argument, value);
      continue;
    }
    Point source = throughMap(at, op.getMatchingIndexingMap(&operand),
                              shapeOf(operand.get()));
    FailureOr<Lanes> elements = emit(operand.get(), source);
    if (failed(elements))
      return failure();
    for (auto [clone, element] : llvm::zip_equal(clones, *elements))
      clone.map(argument, element);
  }
  return success();
}

/// Neighbours often share a quotient of their index by a constant, and their
/// remainders are known: said so, what is computed of these is computed once.
/// Null if `op` is nothing of the kind.
Value ElementEmitter::divideIndex(Operation &op, Point at, int64_t lane) {
  auto index = op.getNumOperands() == 2
                   ? op.getOperand(0).getDefiningOp<linalg::IndexOp>()
                   : linalg::IndexOp();
  IntegerAttr constant;
  if (!index || !isa<arith::DivUIOp, arith::RemUIOp>(op) ||
      !matchPattern(op.getOperand(1), m_Constant(&constant)) ||
      constant.getInt() < 1)
    return Value();
  LaneIndex dim = indicesOf(at)[index.getDim()];
  int64_t divisor = constant.getInt(), offset = dim.stride * lane;
  int64_t common = std::gcd(dim.divisor, divisor);
  bool quotient = isa<arith::DivUIOp>(op);
  if (offset < 0)
    return Value();
  if (common == divisor)
    return quotient ? kernel(dim.base) / divisor + offset / divisor
                    : kernel.index(offset % divisor);
  if (offset >= common)
    return Value();
  return quotient ? kernel(dim.base) / divisor
                  : kernel(dim.base) % divisor + offset;
}

/// The element of a table at `indices`; outside of it, one at its border.
FailureOr<Value> ElementEmitter::readTable(Value table, ValueRange indices) {
  SmallVector<LaneIndex> place;
  for (auto [index, size] : llvm::zip_equal(indices, shapeOf(table)))
    place.push_back({min(kernel(index), size - 1), 0, 1, 0, size - 1});
  Scope outer = exchange(Scope());
  FailureOr<Lanes> element = emit(table, point(place, shapeOf(table)));
  exchange(std::move(outer));
  if (failed(element))
    return failure();
  return element->front();
}

/// Replaces what reads tables inside of `op`, a branch or a loop.
LogicalResult ElementEmitter::readTables(Operation *op) {
  OpBuilder::InsertionGuard guard(kernel.ir());
  SmallVector<tensor::ExtractOp> extracts;
  op->walk([&](tensor::ExtractOp extract) { extracts.push_back(extract); });
  for (tensor::ExtractOp extract : extracts) {
    kernel.ir().setInsertionPoint(extract);
    FailureOr<Value> element =
        readTable(extract.getTensor(), extract.getIndices());
    if (failed(element))
      return failure();
    extract.replaceAllUsesWith(*element);
    extract.erase();
  }
  return success();
}

LogicalResult ElementEmitter::cloneBody(linalg::GenericOp op, Point at,
                                        int64_t lane, Clones &clones) {
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      LaneIndex dim = indicesOf(at)[index.getDim()];
      clones[lane].map(index.getResult(), laneValue(dim, lane));
    } else if (Value known = divideIndex(inner, at, lane)) {
      clones[lane].map(inner.getResult(0), known);
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
      SmallVector<Value> indices;
      for (Value index : extract.getIndices())
        indices.push_back(clones[lane].lookupOrDefault(index));
      FailureOr<Value> element = readTable(extract.getTensor(), indices);
      if (failed(element))
        return failure();
      clones[lane].map(extract.getResult(), *element);
    } else if (failed(readTables(kernel.ir().clone(inner, clones[lane])))) {
      return failure();
    }
  }
  return success();
}

FailureOr<SmallVector<Lanes>>
ElementEmitter::emitBody(linalg::GenericOp op, Point at, ValueRange values,
                         ArrayRef<Lanes> accumulators,
                         function_ref<Value(OpOperand &)> given) {
  Clones clones(now.lanes);
  if (!accumulators.empty())
    for (auto [argument, own] :
         llvm::zip_equal(op.getRegionOutputArgs(), accumulators))
      for (auto [clone, value] : llvm::zip_equal(clones, own))
        clone.map(argument, value);
  if (failed(bindInputs(op, at, clones, given)))
    return failure();
  for (int64_t lane = 0; lane < now.lanes; ++lane)
    if (failed(cloneBody(op, at, lane, clones)))
      return failure();
  SmallVector<Lanes> results;
  for (Value value : values) {
    Lanes &result = results.emplace_back();
    for (const IRMapping &clone : clones)
      result.push_back(clone.lookupOrDefault(value));
  }
  return results;
}
