//===- Product.h - products that an accumulator adds up -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::gpuvm {

/// What a body multiplies and adds to an accumulator; null if it does something
/// else.
struct Product {
  Value left, right;
  explicit operator bool() const { return left != nullptr; }
};
Product matchProduct(linalg::GenericOp op, unsigned accumulator);

} // namespace mlir::gpuvm
