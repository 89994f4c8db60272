//===- CarriedState.h - the registers of iteration values -------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An iteration that computes the next one of a value while it reads the old one
// needs a second register for it. The two then rotate: the next value becomes
// the current one. A value that is passed on unchanged
// (`flow.next %b, %new`) only changes its name. So each iteration finds its
// state where the one before left it, and nothing is copied.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"

namespace mlir::gpuvm {

/// Whether `condition` is false only in iterations whose values nothing reads:
/// it says whether `loop`, or one around it, goes on.
bool saysGoesOn(Value condition, flow::LoopOp loop);

class CarriedState {
public:
  /// Of iteration value `number` of a loop: what it is, or what it is next.
  struct Place {
    unsigned number;
    bool isNext;
  };
  /// What is in a place at the end of an iteration is in the one before it in
  /// the next iteration, and what is in the first one in the last one.
  using Rotation = SmallVector<Place>;

  /// `fixed`: values of which the next one is stored over the old one.
  CarriedState(flow::LoopOp loop, ArrayRef<unsigned> fixed);

  ArrayRef<Rotation> getRotations() const { return rotations; }
  /// The rotation that value `i` is in, and its place there; null if it is in
  /// none.
  std::pair<const Rotation *, unsigned> find(unsigned i) const;
  /// How often the places have rotated in the first iteration, so that after
  /// the last one everything is in its own.
  int64_t getPhase() const { return phase; }
  /// Whether value `i` has a place for what it is next.
  bool hasNext(unsigned i) const { return nexts[i]; }
  /// Whether an iteration stores the next value of `i`.
  bool isStored(unsigned i) const { return stored[i]; }
  /// Where value `i` is in the first iteration.
  Place getStart(unsigned i) const;

private:
  void findPlaces(ArrayRef<unsigned> fixed);
  void findRotations();
  int64_t getPeriod() const;
  bool isMadeInPlace(unsigned i);

  flow::LoopOp loop;
  SmallVector<Rotation> rotations;
  int64_t phase = 0;
  SmallVector<bool> nexts, stored;
  /// Of each value, the one that becomes it, unchanged, at the end of an
  /// iteration.
  SmallVector<std::optional<unsigned>> sources;
};

} // namespace mlir::gpuvm
