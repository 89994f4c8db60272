//===- SubgroupAttention.h - few query rows, in subgroups -------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the emitter. Each subgroup walks over keys of its own: a few
// lanes share a row of keys and the row of values of the same number, and what
// lanes need of each other, they shuffle. Subgroups meet once, at the end.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/attention/AttentionEmitter.h"

namespace mlir::gpuvm {

class SubgroupAttention : public AttentionEmitter {
public:
  using AttentionEmitter::AttentionEmitter;

private:
  void allocate() override;
  void sumKeys(const Split &split) override;

  /// What a lane carries from tile to tile, of each query row: its sums of
  /// weighted values, the subgroup's largest score, and its sum of weights.
  struct Carried {
    SmallVector<Values> sums;
    Values tops, weights;
    Values all() const;
  };
  Carried takeApart(ValueRange values);
  Values addTile(Value number, Carried carried, ArrayRef<Values> queries);
  Value sumOver(Value value, int64_t first, int64_t end);
  void combineSubgroups(Carried carried, const Split &split);
  /// Sums over the rows that the subgroup takes at once, of which each lane
  /// keeps some elements; returns the first one's number among the lane's.
  Value scatterSums(SmallVectorImpl<Values> &sums);
  Values withAllRows(Values rows);

  Value subgroup, rowAcross; ///< This lane's.
};

} // namespace mlir::gpuvm
