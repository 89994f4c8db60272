//===- KernelGroups.h - grouping of operations into kernels ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel is one loop nest. Operations can share it if all of them have the
// same iteration space and pass each other elements only at the same index.
// These are elementwise operations among themselves, reductions over that space
// among themselves and with elementwise producers and by-products, and
// elementwise consumers of the results of reductions (the epilogue). Where a
// workgroup or a lane has all elements of a result, an operation over that
// space may also read the result, of its own row: a row kernel, such as
// softmax.
//
// An elementwise operation whose results others read around their own place, as
// a blur does, may share their kernel, too: a workgroup computes it once for
// its tile and the halo of that (kernels/map/HaloTile.h), where this takes less
// time than a kernel more.
//
// An operation that is the root of a kernel (RootOpInterface) has one of its
// own, with elementwise consumers of its results if it has a place for them.
//
// Cheap elementwise operations that are read at other indices (broadcast,
// transposed, sliced, by a root) are `virtual`: not computed anywhere of their
// own but again in every kernel that reads them. So are those that a root alone
// reads, and once, whatever they cost.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "passes/fusion/GroupingLimits.h"
#include "passes/fusion/SourceReads.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::gpuvm {

struct KernelGroup {
  SmallVector<Operation *> ops; ///< In program order.
  Root root = Root::map;
  /// Those whose results a workgroup holds for its tile.
  llvm::DenseSet<Operation *> held;
};

/// Why two groups are two.
struct Refusal {
  enum class Limit {
    None,       ///< They were not tried, or have nothing to do with each other.
    Operations, ///< They would have `value` scalar operations, of `limit`.
    Windows,    ///< They would have `value` windows, of `limit`.
    Loops,    ///< One has loops in its body, the other is no elementwise code.
    Elements, ///< They do not walk the same elements.
    Halo, ///< Tiles with halos would take `value` ns more, and save `limit`.
    Order ///< Another group has to run between them.
  };
  Limit kind = Limit::None;
  int64_t value = 0, limit = 0;
};

/// In words, as a part of a sentence; "" for `None`.
std::string toText(const Refusal &refusal);

struct Grouping {
  SmallVector<KernelGroup> groups; ///< In program order of their first op.
  llvm::DenseSet<Operation *> virtualOps;
  /// Of the last two groups that are of two stages, and of which one reads
  /// results of the other, but for those that `mayShare` keeps apart.
  Refusal refusal;
  /// Of the last group that holds values; "" if there is none.
  std::string halo;
};

/// Groups `ops` (generics and roots in program order, possibly of several
/// stages). `mayShare(a, b)` says whether two operations may be in one kernel
/// at all. `known` are groups of parts of them, which are kept where they may
/// be.
Grouping groupOps(ArrayRef<Operation *> ops, const ResolveFn &resolve,
                  function_ref<bool(Operation *, Operation *)> mayShare,
                  const GroupingLimits &limits,
                  ArrayRef<KernelGroup> known = {});

/// What only moves elements between `ops`, which are all of their blocks, and
/// would do so in too many of them.
SmallVector<Operation *>
findCrowdedMoves(ArrayRef<Operation *> ops, const ResolveFn &resolve,
                 function_ref<bool(Operation *, Operation *)> mayShare,
                 const GroupingLimits &limits);

} // namespace mlir::gpuvm
