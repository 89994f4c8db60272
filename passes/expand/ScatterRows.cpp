//===- ScatterRows.cpp - rows that come into what is there ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/expand/ScatterRows.h"

#include "kernels/analysis/Updates.h"
#include "passes/expand/ElementBuilder.h"

using namespace mlir;
using namespace mlir::gpuvm;

Value gpuvm::scatterElements(OpBuilder &b, Location loc, Value part,
                             Value places, Value old) {
  auto flatten = [&](Value value) {
    return reshapeTo(b, loc, value, {typeOf(value).getNumElements()});
  };
  Value flat = flatten(old);
  auto rule = RuleAttr::get(b.getContext(), Rule::last);
  auto update = ScatterOp::create(b, loc, flat.getType(), flatten(part),
                                  flatten(places), flat, b.getArrayAttr(rule));
  update.setDistinct(true);
  return reshapeTo(b, loc, update.getResult(0), typeOf(old).getShape());
}

bool gpuvm::hasWordNumbers(RankedTensorType whole) {
  return whole.getNumElements() <= std::numeric_limits<int32_t>::max();
}

Value gpuvm::scatterRows(OpBuilder &b, Location loc, Value part, Value position,
                         Value old) {
  RankedTensorType whole = typeOf(old);
  int64_t slices = typeOf(position).getRank(); // Dimensions before the rows.
  int64_t rows = whole.getDimSize(slices), width = 1;
  for (int64_t size : whole.getShape().drop_front(slices + 1))
    width *= size;
  SmallVector<int64_t> shape(typeOf(part).getShape().take_front(slices + 1));
  shape.push_back(width);
  auto each = RankedTensorType::get(shape, b.getI32Type());
  auto place = [&](OpBuilder &inside, Location at, ValueRange args) {
    ExprBuilder b(inside, at);
    auto index = [&](int64_t dim) {
      return b.make<linalg::IndexOp>(dim).signedToWord();
    };
    Expr row = args.front() + index(slices), isThere = row < rows;
    if (slices)
      row = index(0) * rows + row;
    Expr first = row * width, element = first + index(slices + 1);
    linalg::YieldOp::create(inside, at, Value(select(isThere, element, -1)));
  };
  Value init = tensor::EmptyOp::create(b, loc, each, ValueRange());
  unsigned rank = shape.size();
  SmallVector<AffineExpr> number;
  if (slices)
    number.push_back(b.getAffineDimExpr(0));
  AffineMap maps[] = {AffineMap::get(rank, 0, number, b.getContext()),
                      b.getMultiDimIdentityMap(rank)};
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  Value places = linalg::GenericOp::create(b, loc, each, position, init, maps,
                                           loops, place)
                     .getResult(0);
  return scatterElements(b, loc, part, places, old);
}
