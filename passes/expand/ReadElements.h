//===- ReadElements.h - an operation that reads elements in another order -===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::gpuvm {

/// An elementwise operation of `type` whose element at i is the one of `source`
/// at map(i).
Value readElements(OpBuilder &b, Value source, RankedTensorType type,
                   AffineMap map);

} // namespace mlir::gpuvm
