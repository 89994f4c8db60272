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
static Expr toF32(const Expr &x) {
  Type f32 = x.builder().ir().getF32Type();
  if (!x.isFloat())
    return x.width() == 1 ? x.toFloat(f32) : x.signedToFloat(f32);
  return x.width() < 32 ? x.extend(f32) : x.truncate(f32);
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
    Expr x = toF32(ExprBuilder(nested, l)(args[0]));
    Value next = field == Field::norm ? args[1] + x * x : max(args[1], abs(x));
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
             [](ScalarBuilder &s, ArrayRef<Expr>, ArrayRef<Expr> elements) {
               return SmallVector<Value>{sqrt(elements.front())};
             })
      .getResult(0);
}
