//===- ChainPlan.h - how a chain is laid over workgroups ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel with root `chain` runs its steps one behind the other in one
// workgroup. The elements of a held value are dealt to the lanes in blocks of
// neighbours, and each lane keeps its own in registers. What a later step reads
// of another lane's elements the owner also puts into workgroup memory - for a
// stencil that is a few elements at the edges of its block, for a transposition
// all of them - and a barrier comes before it is read there.
//
// Steps that do the same become one loop. This plan says which, what is put
// where and when a barrier is needed; Chain.cpp emits what it says.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "kernels/chain/ChainSteps.h"

#include "llvm/ADT/BitVector.h"

namespace mlir::gpuvm {

/// A piece of workgroup memory that held values share, one after the other.
struct ChainSlot {
  Type type;
  int64_t elements;
};

/// What is known of a held value.
struct HeldValue {
  unsigned step = 0;       ///< That makes it.
  int64_t items = 1;       ///< Elements of one lane.
  llvm::BitVector shared;  ///< The items that other lanes read.
  unsigned lastRead = 0;   ///< The last step that reads it at all,
  unsigned lastShared = 0; ///< and in another lane; 0 if none does.
  int slot = -1;           ///< Where the shared items go; -1 if nowhere.

  /// The place of an item among the shared ones.
  int64_t rowOf(int64_t item) const;
};

/// When the lanes wait for each other in a step.
struct StepBarriers {
  bool beforeReads = false;
  bool beforeWrites = false; ///< Of the slots.
};

/// `length` steps from step `first` on, done `repeats` times over: repetition r
/// stands for the steps from first + r * length on.
struct ChainSegment {
  unsigned first, length, repeats;
};

struct ChainPlan {
  ChainShape shape;
  std::vector<ChainStep> steps;
  std::vector<StepReads> reads; ///< By kind of step.
  std::vector<int64_t> stepOps; ///< Scalar operations of a lane, by step.
  DenseMap<Value, HeldValue> held;
  std::vector<StepBarriers> barriers; ///< By step; those of loops' first turn.
  std::vector<ChainSegment> segments;
  std::vector<ChainSlot> slots;
  int64_t workgroupBytes = 0;
  int64_t maxWorkgroupBytes = 0; ///< Of the target.
  int64_t registerWords = 0;     ///< Of held values, in a lane, at most.
  int64_t emittedOps = 0;        ///< Scalar operations in a lane's code.

  /// Why no workgroup can run this; empty if one can.
  std::string whyNot() const;
};

/// Finds the loops of a chain (ChainLoops.cpp) and fills in the segments.
void findLoops(ChainPlan &plan);

/// Finds slots for what lanes share and fills in the barriers (ChainSlots.cpp).
void assignSlots(ChainPlan &plan);

/// The plan of a kernel with root `chain`. Emits an error if a step holds what
/// no kernel can.
FailureOr<ChainPlan> planChain(flow::DispatchOp kernel);

} // namespace mlir::gpuvm
