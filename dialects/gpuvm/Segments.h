//===- Segments.h - the pieces of long segments -----------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cstdint>

namespace mlir::gpuvm {

/// Rows of a piece of a segment of `gpuvm.segment_reduce` with `rows` rows in
/// all (docs/reduction-order.md, section 9): few enough for one lane, and so
/// many that the pieces of the longest segment are few enough, too.
inline int64_t rowsPerPiece(int64_t rows) {
  constexpr int64_t kLeast = 256, kMostPieces = 32768;
  uint64_t needed = (rows + kMostPieces - 1) / kMostPieces;
  return std::max<int64_t>(kLeast, llvm::bit_ceil(needed));
}

} // namespace mlir::gpuvm
