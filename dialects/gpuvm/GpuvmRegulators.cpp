//===- GpuvmRegulators.cpp - the machine watches itself -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// C1: numbers and counts of one shape.
static LogicalResult verifyTypes(Operation *op, Type numbers, Type counts) {
  auto f = cast<RankedTensorType>(numbers), i = cast<RankedTensorType>(counts);
  if (!f.getElementType().isF32() || !i.getElementType().isInteger(32) ||
      f.getShape() != i.getShape())
    return op->emitOpError("C1: ")
           << f << " and " << i << " are not f32 and i32 in one shape";
  return success();
}

LogicalResult RegulateOp::verify() {
  if (failed(verifyTypes(*this, getMeasure().getType(), getStable().getType())))
    return failure();
  bool finite =
      getTarget().isFinite() && getLow().isFinite() && getHigh().isFinite();
  if (!finite || getLow() > getHigh()) // C2
    return emitOpError("C2: there is nothing between ")
           << getLowAttr() << " and " << getHighAttr() << ", or nothing finite";
  return success();
}

LogicalResult RunningMeanOp::verify() {
  return verifyTypes(*this, getMean().getType(), getCount().getType());
}

LogicalResult ClockOp::verify() {
  Type i64 = IntegerType::get(getContext(), 64);
  if (getTicks().getType() != RankedTensorType::get({3}, i64)) // C1
    return emitOpError("C1: makes ")
           << getTicks().getType() << ", not a tensor<3xi64>";
  return success();
}
