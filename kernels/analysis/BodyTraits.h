//===- BodyTraits.h - what the body of a kernel asks for
//------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"

namespace mlir::gpuvm {

struct BodyTraits {
  /// Vectors that a lane has in flight at most.
  static constexpr int64_t kMaxUnroll = 4;

  bool needsIndices = false; ///< Some operand is not read where it is written.
  bool linear = true;        ///< All indexing is linear.
  bool reshapes = false;
  bool isNested = false; ///< Reductions stand inside.
  bool split = false;    ///< Some operand or result takes several windows.
  bool loops = false;    ///< An element takes a loop of its own.
  int64_t ops = 1;       ///< Scalar operations per element.
  int64_t gathers = 0;   ///< Elements that one reads where its code says.
  int64_t run = 1;       ///< Neighbours that codecs prefer to decode at once.
  /// Each access to a split value is a tree of branches: code that is written
  /// out several times becomes large, and slow to compile. And of elements that
  /// take a loop each, another lane had better take the next.
  bool once() const { return split || loops; }
  int64_t maxUnroll() const { return once() ? 1 : kMaxUnroll; }
};

BodyTraits inspectBody(flow::DispatchOp kernel);

/// Whether `vector` neighbours never straddle a row, whatever is indexed how.
bool rowsHoldVectors(flow::DispatchOp kernel, int64_t vector);

/// Whether `vector` neighbours in the loops are neighbours in all that is read.
bool keepsLoopNeighbours(flow::DispatchOp kernel, const BodyTraits &traits,
                         int64_t vector);

/// The vector with which the windows of a kernel are moved 16 bytes at a time.
/// Beside wider elements narrow ones move fewer bytes: with f64 or i64 in
/// between, two 16-byte accesses per lane cost less than half-empty narrow
/// ones.
int64_t preferredVector(flow::DispatchOp kernel);

/// Whether `vector` neighbours in a result are neighbours in all that is read.
bool keepsNeighbours(flow::DispatchOp kernel, const BodyTraits &traits,
                     int64_t vector);

} // namespace mlir::gpuvm
