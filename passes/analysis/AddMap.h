//===- AddMap.h - elementwise dispatches that passes add --------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"

namespace mlir::gpuvm {

/// Computes the results of a dispatch of what it is given.
using MapBody = llvm::function_ref<SmallVector<Value>(OpBuilder &, ValueRange)>;

/// A dispatch with root `map`, for `stages`, with a name like `name` that
/// nothing in the program has.
flow::DispatchOp addMap(OpBuilder &b, Location loc, const Twine &name,
                        ArrayAttr stages, ValueRange inputs, MapBody body);

/// One that copies `values`.
flow::DispatchOp addCopies(OpBuilder &b, Location loc, const Twine &name,
                           ArrayAttr stages, ValueRange values);

} // namespace mlir::gpuvm
