//===- LowerBoundedLinalg.cpp - loops over bounded rows -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "passes/program/GuardBody.h"
#include "passes/types/BoundLowering.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// An element past the count is replaced by the neutral element.
LogicalResult BoundLowering::hideFromReduction(linalg::GenericOp op,
                                               StringAttr symbol,
                                               unsigned loop) {
  Block &body = *op.getBody();
  Operation *yield = body.getTerminator();
  for (auto [accumulator, value] :
       llvm::zip_equal(op.getRegionOutputArgs(), yield->getOperands())) {
    Operation *combine = value.getDefiningOp();
    std::optional<TypedAttr> neutral = combine && combine->getNumOperands() == 2
                                           ? arith::getNeutralElement(combine)
                                           : std::nullopt;
    int element = -1;
    if (neutral)
      for (int side : {0, 1})
        if (combine->getOperand(1 - side) == accumulator)
          element = side;
    if (element < 0)
      return op.emitOpError("cannot reduce rows whose number only the device "
                            "knows: nothing is known that changes nothing");
    OpBuilder inside(combine);
    ScalarBuilder s(inside, op.getLoc());
    Expr isThere = isInside(s, s.make<linalg::IndexOp>(loop), symbol);
    combine->setOperand(element,
                        gpuvm::select(isThere, combine->getOperand(element),
                                      s.constant(*neutral)));
  }
  return success();
}

/// The body runs for rows that are there.
void BoundLowering::guardRows(linalg::GenericOp op, StringAttr symbol,
                              unsigned loop) {
  guardBody(op, [&](ScalarBuilder &s) {
    OpBuilder inside(op.getBody()->getTerminator());
    Value row = linalg::IndexOp::create(inside, op.getLoc(), loop);
    return isInside(s, s(row), symbol);
  });
}

/// The loop over the rows that bounded operands have; none if it is not one.
static std::optional<unsigned> findRowLoop(linalg::GenericOp op) {
  std::optional<unsigned> rows;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isBoundedValue(operand.get()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto dim = dyn_cast<AffineDimExpr>(map.getResult(0));
    if (!dim || (rows && *rows != dim.getPosition()))
      return std::nullopt;
    rows = dim.getPosition();
  }
  return rows;
}

LogicalResult BoundLowering::lowerLinalg(linalg::LinalgOp op) {
  IRRewriter rewriter(b);
  rewriter.setInsertionPoint(op);
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic) {
    FailureOr<linalg::GenericOp> made = linalg::generalizeNamedOp(rewriter, op);
    if (failed(made))
      return op.emitOpError("cannot work on rows whose number only the device "
                            "knows");
    generic = *made;
  }
  FailureOr<StringAttr> symbol = symbolFor(generic, generic->getOperands());
  if (failed(symbol))
    return failure();
  std::optional<unsigned> rows = findRowLoop(generic);
  if (!rows)
    return generic.emitOpError("walks over rows whose number only the device "
                               "knows by something else than one loop");
  setSymbol(generic, *symbol);
  bool needs = needsElements(generic);
  if (generic.getIteratorTypesArray()[*rows] == utils::IteratorType::parallel) {
    if (needs)
      guardRows(generic, *symbol, *rows);
    return success();
  }
  if (needs)
    return generic.emitOpError("reads tables or loops in a reduction of rows "
                               "whose number only the device knows; make its "
                               "elements before");
  return hideFromReduction(generic, *symbol, *rows);
}
