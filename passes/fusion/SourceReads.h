//===- SourceReads.h - the reads of an operation ----------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

/// Where a value that enters an operation comes from when it is followed
/// through stage arguments, messages and sends.
using ResolveFn = std::function<Value(Value)>;

/// A value that an operation reads, resolved and followed through slices and
/// reshapes.
struct SourceRead {
  Value source;
  bool direct;   ///< Read at the index of the loops.
  AffineMap map; ///< From the loops to it; null through slices and reshapes.
  bool byRoot = false;    ///< By a root, directly or through moves, and ...
  bool once = false;      ///< ... each element about once.
  bool isTable = false;   ///< By a body, wherever it likes.
  bool isUpdated = false; ///< By a root, which writes its results there.
};
/// The values that `op`, a generic or a root, reads.
SmallVector<SourceRead> getReads(Operation *op, const ResolveFn &resolve);

} // namespace mlir::gpuvm
