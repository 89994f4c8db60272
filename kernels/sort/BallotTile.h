//===- BallotTile.h - ranks by ballots of subgroups -------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the variants of kernels that sort, for subgroups of 32 lanes, or
// of fewer for tests. The lanes of a workgroup hold a tile of elements in
// registers: a subgroup has neighbours, and its lanes deal them out among
// themselves. A round puts the tile in the stable order of eight bits of the
// keys: eight ballots tell a lane which lanes of its subgroup hold the same
// digit, and each subgroup has a counter of its own for each digit, so that
// order is that of the elements whichever is first. After Adinets and Merrill,
// "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/builder/KeyImage.h"
#include "kernels/family/RootEmitter.h"
#include "kernels/sort/SortLayout.h"

namespace mlir::gpuvm {

class BallotTile {
public:
  /// Bits of a round.
  static constexpr int64_t kBits = 8;
  static constexpr int64_t kDigits = 1 << kBits;
  using Values = SmallVector<Value>;

  /// For tiles of the kernel's lanes, a power of two from 32 to 1024, each with
  /// as many elements as its sort says.
  BallotTile(EmitterContext &context, KeyImage &key);
  /// Allocates the workgroup memory.
  void allocate();

  /// The place in the tile of element `item` of this lane.
  Value place(int64_t item);

  /// Whether digits are this lane's: kDigits / lanes neighbours, one at least.
  Value hasDigit();
  /// Where each element of the lane goes in the order of a digit, and of each
  /// of the lane's digits how many elements have a lower one, and itself.
  struct Ranks {
    Values places, begins, counts;
  };
  /// Of the digits from bit `shift` of the keys on. Elements are words, w to
  /// each: of element e words e * w to e * w + w - 1, those of the key first.
  Ranks rank(ValueRange elements, Value shift);

  /// Takes element i of a lane to place to(i), and then from place from(i).
  Values exchange(ValueRange elements, function_ref<Value(int64_t item)> to,
                  function_ref<Value(int64_t item)> from);

  /// Puts elements in the order of their keys.
  Values sort(ValueRange elements);

  /// The number of this lane as subgroups count lanes.
  Value lane;

private:
  Value findSame(Value digit);
  Values countOwn(ArrayRef<Value> digits);
  void placeDigits(Ranks &ranks);
  Value counter(Value subgroup, Value digit);

  KernelBuilder &k;
  KeyImage &key;
  int64_t subgroupLanes, lanes, items;
  Value subgroup, laneInSubgroup;
  Value words; ///< Workgroup memory: counters, then a word of each element.
  Value sums;  ///< Of subgroups.
};

} // namespace mlir::gpuvm
