//===- ExpandGroups.h - patterns of groups and joins ------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/PatternMatch.h"

namespace mlir::gpuvm {

/// Patterns that leave of gpuvm.scatter what atomic operations can do.
void populateExpandScatterPatterns(RewritePatternSet &patterns);

/// A pattern that expands gpuvm.segment_reduce into loops over tables.
void populateExpandSegmentsPatterns(RewritePatternSet &patterns);

/// Patterns that expand gpuvm.expand, distinct and match into sorts, scans and
/// searches.
void populateExpandKeysPatterns(RewritePatternSet &patterns);

} // namespace mlir::gpuvm
