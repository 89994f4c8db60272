//===- Magnitude.cpp - norms and maxima of messages -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/program/Magnitude.h"

#include "passes/expand/ElementBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// The element as an f32.
static Value toF32(OpBuilder &b, Location loc, Value x) {
  Type f32 = b.getF32Type(), type = x.getType();
  if (type.isF32())
    return x;
  if (type.isInteger(1))
    return arith::UIToFPOp::create(b, loc, f32, x);
  if (type.isInteger())
    return arith::SIToFPOp::create(b, loc, f32, x);
  if (type.isF16() || type.isBF16())
    return arith::ExtFOp::create(b, loc, f32, x);
  return arith::TruncFOp::create(b, loc, f32, x);
}

Value gpuvm::reduceMagnitude(OpBuilder &b, Location loc, Value payload,
                             Field field, bool ofEach) {
  auto type = cast<RankedTensorType>(payload.getType());
  int64_t rank = type.getRank(), kept = ofEach ? 1 : 0;
  AffineMap all = b.getMultiDimIdentityMap(rank);
  AffineMap own = AffineMap::get(rank, 0, all.getResults().take_front(kept),
                                 b.getContext());
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::reduction);
  std::fill_n(loops.begin(), kept, utils::IteratorType::parallel);
  auto result =
      RankedTensorType::get(type.getShape().take_front(kept), b.getF32Type());
  Value zeros =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(result, 0.0f));
  auto body = [&](OpBuilder &nested, Location l, ValueRange args) {
    Value x = toF32(nested, l, args[0]), next;
    if (field == Field::norm)
      next = arith::AddFOp::create(nested, l, args[1],
                                   arith::MulFOp::create(nested, l, x, x));
    else
      next = arith::MaximumFOp::create(nested, l, args[1],
                                       math::AbsFOp::create(nested, l, x));
    linalg::YieldOp::create(nested, l, next);
  };
  return linalg::GenericOp::create(b, loc, result, payload, zeros,
                                   ArrayRef{all, own}, loops, body)
      .getResult(0);
}

Value gpuvm::makeNorms(OpBuilder &b, Location loc, Value sums) {
  return makeElements(
             b, loc, cast<RankedTensorType>(sums.getType()).getShape(),
             b.getF32Type(), sums,
             [](ScalarBuilder &s, ArrayRef<Value>, ValueRange elements) {
               return SmallVector<Value>{
                   s.make<math::SqrtOp>(elements.front())};
             })
      .getResult(0);
}
