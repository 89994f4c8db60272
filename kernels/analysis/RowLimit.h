//===- RowLimit.h - reductions of rows that may not be there ----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::gpuvm {

/// Only the first rows of a loop change what a reduction makes.
struct RowLimit {
  unsigned loop;
  Value count; ///< How many: a tensor<i32>, less than 1 if there are none.
};

/// That of a reduction which combines, from a count on, what changes nothing,
/// as gpuvm-lower-bounded leaves it; nothing for any other one.
std::optional<RowLimit> getRowLimit(linalg::GenericOp op);

} // namespace mlir::gpuvm
