//===- CarriedState.h - where what a repeat carries lies --------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A turn of a repeat that makes something new of what it carries, and reads it
// while it does, needs a second place for that. Then the two places take turns:
// what was next is current. What is handed on as it was (`next %b, %new`) only
// changes its name. So each turn finds its state where the turn before left it,
// and nothing is copied.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

class CarriedState {
public:
  /// Of value `number` of a repeat: what it is, or what it is next.
  struct Place {
    unsigned number;
    bool isNext;
  };
  /// What is in a place at the end of a turn is in the one before it in the
  /// next turn, and what is in the first one in the last one.
  using Rotation = SmallVector<Place>;

  explicit CarriedState(RepeatOp repeat);

  ArrayRef<Rotation> getRotations() const { return rotations; }
  /// How often the places have changed in the first turn, so that after the
  /// last one everything is in its own.
  int64_t getPhase() const { return phase; }
  /// Whether value `i` has a place for what it is next.
  bool hasNext(unsigned i) const { return nexts[i]; }
  /// Whether a turn stores what value `i` is next.
  bool isStored(unsigned i) const { return stored[i]; }
  /// Where value `i` is in the first turn.
  Place getStart(unsigned i) const;

private:
  void findPlaces();
  void findRotations();
  int64_t getPeriod() const;
  bool isMadeInPlace(unsigned i);

  RepeatOp repeat;
  SmallVector<Rotation> rotations;
  int64_t phase = 0;
  SmallVector<bool> nexts, stored;
  /// Of each value, the one that becomes it at the end of a turn as it is.
  SmallVector<std::optional<unsigned>> sources;
};

} // namespace mlir::gpuvm
