//===- ExpandSort.h - sorts as steps of one dispatch each -------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/PatternMatch.h"

namespace mlir::gpuvm {

/// `gpuvm.sort` and `gpuvm.top_k` in terms of the steps that GpuvmSort.td lists
/// after them (docs/rationale/sort.md).
void populateExpandSortPatterns(RewritePatternSet &patterns);

} // namespace mlir::gpuvm
