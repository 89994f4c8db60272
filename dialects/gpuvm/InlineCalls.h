//===- InlineCalls.h - functions in the place of their calls ----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::gpuvm {

/// Inlines functions of one block each. All calls together may add so many
/// operations: a few lines that call each other twice would add any number of
/// them.
class CallInliner {
public:
  explicit CallInliner(size_t mostOperations)
      : mostOperations(mostOperations) {}

  /// The calls of `caller` but for those of functions inside of it.
  LogicalResult inlineCalls(Operation *caller);
  /// Counts the operations of `callee`, which are added to what calls it; emits
  /// an error, which begins with `rule`, at `call` if they are too many.
  LogicalResult add(Operation *callee, Operation *call, StringRef rule = "");

private:
  LogicalResult inlineCall(func::CallOp call);

  size_t mostOperations, added = 0;
  SmallVector<Operation *> open; ///< Each is called by the one before it.
};

} // namespace mlir::gpuvm
