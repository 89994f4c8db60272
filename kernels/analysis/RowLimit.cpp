//===- RowLimit.cpp - reductions of rows that may not be there ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/RowLimit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Of `condition`, which says that a row is less than a count.
static std::optional<RowLimit> getLimit(Value condition) {
  auto less = condition.getDefiningOp<arith::CmpIOp>();
  if (!less || less.getPredicate() != arith::CmpIPredicate::slt)
    return std::nullopt;
  auto word = less.getLhs().getDefiningOp<arith::IndexCastOp>();
  auto row =
      word ? word.getIn().getDefiningOp<linalg::IndexOp>() : linalg::IndexOp();
  auto count = less.getRhs().getDefiningOp<tensor::ExtractOp>();
  if (!row || !count || !count.getIndices().empty())
    return std::nullopt;
  return RowLimit{static_cast<unsigned>(row.getDim()), count.getTensor()};
}

/// Of what is combined into one accumulator.
static std::optional<RowLimit> getLimit(Value accumulator, Value yielded) {
  Operation *combine = yielded.getDefiningOp();
  if (!combine || combine->getNumOperands() != 2)
    return std::nullopt;
  std::optional<TypedAttr> neutral = arith::getNeutralElement(combine);
  bool isFirst = combine->getOperand(0) == accumulator;
  if (!neutral || (!isFirst && combine->getOperand(1) != accumulator))
    return std::nullopt;
  auto element =
      combine->getOperand(isFirst ? 1 : 0).getDefiningOp<arith::SelectOp>();
  Attribute behind;
  if (!element || !matchPattern(element.getFalseValue(), m_Constant(&behind)) ||
      behind != *neutral)
    return std::nullopt;
  return getLimit(element.getCondition());
}

std::optional<RowLimit> gpuvm::getRowLimit(linalg::GenericOp op) {
  std::optional<RowLimit> limit;
  for (auto [accumulator, yielded] :
       llvm::zip_equal(op.getRegionOutputArgs(),
                       op.getBody()->getTerminator()->getOperands())) {
    std::optional<RowLimit> own = getLimit(accumulator, yielded);
    if (!own ||
        (limit && (own->loop != limit->loop || own->count != limit->count)))
      return std::nullopt;
    limit = own;
  }
  return limit;
}
