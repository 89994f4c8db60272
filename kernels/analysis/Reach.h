//===- Reach.h - how far around its own an element reads --------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::gpuvm {

/// Elements of a value that are read for the element of another one at index i:
/// in dimension d those from i[dims[d]] + low[d] to i[dims[d]] + high[d],
/// modulo the dimension's size.
struct Reach {
  SmallVector<unsigned> dims;
  SmallVector<int64_t> low, high;

  /// Whether several elements are read for one, and the dimensions are those of
  /// the result, in their order.
  bool isHalo() const;
  /// Elements of the value that a tile is made of.
  int64_t boxElements(ArrayRef<int64_t> tile) const;
};

/// An offset modulo `size`, next to zero.
int64_t wrapOffset(int64_t offset, int64_t size);

/// How far elementwise `roots`, over the same loops, reach into `source`.
/// `resolve` says where a value comes from, `mayEnter` which operations are
/// followed. Nothing if they read it at places that are not at a constant
/// distance from their own.
std::optional<Reach> findReach(ArrayRef<linalg::GenericOp> roots, Value source,
                               function_ref<Value(Value)> resolve,
                               function_ref<bool(Operation *)> mayEnter);

} // namespace mlir::gpuvm
