//===- ShiftedRows.h - rows of blocks that come from others -----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices, padding and concatenations along the axis that is cut, and reads at
// places near an element's own, need a few rows of the neighbours' blocks.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "passes/program/CutLoops.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::gpuvm {

/// Where the rows of a value along an axis come from.
struct ShiftedRows {
  /// Rows `begin` to `end` - 1: row i is row i + shift of `source`, or, without
  /// one, holds `fill`.
  struct Piece {
    int64_t begin = 0, end = 0;
    Value source;
    int64_t shift = 0;
    TypedAttr fill;
  };
  int64_t axis = 0;
  SmallVector<Piece> pieces; ///< In order; they are all rows.

  static ShiftedRows of(Value source, int64_t axis);
  int64_t getLength() const { return pieces.empty() ? 0 : pieces.back().end; }
  /// How many rows all sources have; none if not all have as many.
  std::optional<int64_t> getSourceLength() const;
};

/// The rows of what `op` makes of operands whose rows are known: of a slice,
/// padding or a concatenation that leaves all other axes as they are. None of
/// anything else.
std::optional<ShiftedRows>
shiftRows(Operation *op,
          function_ref<std::optional<ShiftedRows>(Value)> rowsOf);

/// How far the row that is read lies from the own one, at most.
struct RowReach {
  int64_t before = 0, after = 0; ///< Rows; neither is negative.
  bool wraps = false;            ///< The first row comes after the last one.

  bool isOwn() const { return before == 0 && after == 0; }
  void add(const RowReach &other);
  bool operator==(const RowReach &) const = default;
  /// Rows `shift` to `shift` + `extra` - 1 from the own one on, of `length`.
  static RowReach of(int64_t shift, int64_t extra, int64_t length);
};

/// The number `shift` or one that is the same modulo `length`, nearest to 0.
int64_t nearestShift(int64_t shift, int64_t length);

/// An index less the number of a loop is `least` to `most`, modulo the length
/// of the axis if it wraps.
struct RowDistance {
  int64_t least = 0, most = 0;
  bool wraps = false;
};

/// How far an index into an axis of `length` rows lies from the number of the
/// loop `loop` of `op`, which has as many iterations, and whose body it is in;
/// none if that is not known.
std::optional<RowDistance> distanceOf(Value index, linalg::GenericOp op,
                                      unsigned loop, int64_t length);

/// The rows that `table` is read at along `axis` in the body of `op`, from the
/// number of a loop; none if they are not near it, or not only read.
std::optional<RowReach> reachOfTable(linalg::GenericOp op, Value table,
                                     int64_t axis, unsigned loop);

} // namespace mlir::gpuvm
