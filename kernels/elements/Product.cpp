//===- Product.cpp - products that an accumulator adds up -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/elements/Product.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::gpuvm;

Product gpuvm::matchProduct(linalg::GenericOp op, unsigned accumulator) {
  Value next = op.getBody()->getTerminator()->getOperand(accumulator);
  Operation *add = next.getDefiningOp();
  if (!isa_and_present<arith::AddFOp, arith::AddIOp>(add))
    return {};
  Value total = op.getRegionOutputArgs()[accumulator];
  bool totalIsLeft = add->getOperand(0) == total;
  if (!totalIsLeft && add->getOperand(1) != total)
    return {};
  Operation *product = add->getOperand(totalIsLeft ? 1 : 0).getDefiningOp();
  if (!isa_and_present<arith::MulFOp, arith::MulIOp>(product))
    return {};
  return {product->getOperand(0), product->getOperand(1)};
}
