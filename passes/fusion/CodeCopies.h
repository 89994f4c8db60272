//===- CodeCopies.h - copies of the code of a value -------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of a rematerialised operation is emitted once for each point at
// which it is read, through all consumers that are rematerialised themselves. A
// chain of n operations that each read two elements of the one before would be
// 2^n copies. What is written more often than the stage says that it is read is
// copied; what would be copied more than a few times gets a place in memory. So
// the code of a stage is linear in what the stage says.
//
// Points are told apart as ElementEmitter does. Those that affine maps lead to
// are the same if the maps are. A point that a table or a row's number leads to
// is one of its own for each place that reads it.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "passes/fusion/SourceReads.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::gpuvm {

/// On an operation that is not computed again where it is read.
inline constexpr StringLiteral kHasPlaceAttr = "gpuvm.has_place";

/// Takes operations, readers first, and says which may be computed where they
/// are read.
class CodeCopies {
public:
  /// Scalar operations that are copied into the code of one operation that has
  /// a place: enough for 8 sums of neighbours, each of those of the one before.
  static constexpr int64_t kMostCopied = 24;
  /// Scalar operations of one value that are copied into several of these.
  static constexpr int64_t kMostSpread = 256;

  explicit CodeCopies(ResolveFn resolve) : resolve(std::move(resolve)) {}

  /// Whether the copies stay few if `op` is computed where it is read.
  bool areFew(Operation *op) const;
  /// `op` is computed where it is read.
  void inlineIntoReaders(Operation *op);
  /// `op` is computed once, at a place of its own.
  void place(Operation *op);

private:
  using Point = unsigned;
  struct PointData {
    unsigned origin; ///< Where the indices are that `map` takes.
    AffineMap map;
  };

  struct Reads {
    llvm::SmallSetVector<Point, 4> points;
    llvm::SmallSetVector<std::pair<Operation *, unsigned>, 4> sites;
  };

  unsigned originAt(Point from, Operation *reader, unsigned number);
  Point pointAt(unsigned origin, AffineMap map);
  Point step(Point from, AffineMap map, Operation *reader, unsigned number);
  void read(Value value, Point at, Operation *reader, unsigned number);
  void readElsewhere(Value value, Point from, Operation *reader,
                     unsigned number);
  void readGeneric(linalg::GenericOp op, Point at);
  void readMove(Operation *op, Point at);
  void readAll(Operation *op, Point at);
  Reads readsOfResults(Operation *op) const;
  /// Copies of `op` in the code of each operation that has a place.
  llvm::MapVector<unsigned, int64_t> countCopies(Operation *op) const;
  /// The number of the operation with a place whose code `at` is in.
  unsigned placedAt(Point at) const { return placedOf[points[at].origin]; }

  ResolveFn resolve;
  std::vector<PointData> points;
  std::vector<unsigned> placedOf;    ///< By origin.
  std::vector<unsigned> firstOrigin; ///< By number of placed operation.
  std::vector<int64_t> copied;       ///< The same: operations, so far.
  llvm::DenseMap<std::tuple<Point, Operation *, unsigned>, unsigned> originOf;
  llvm::DenseMap<std::pair<unsigned, AffineMap>, Point> pointOf;
  llvm::DenseMap<Value, Reads> readsOf;
};

} // namespace mlir::gpuvm
