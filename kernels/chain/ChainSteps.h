//===- ChainSteps.h - the steps of a chain and what they read -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a step reads of which lane is found by emitting it: the emitter asks for
// elements of held values, and here the answer is written down instead of used.
// So the plan can never differ from what the emitted code does.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "kernels/elements/ElementEmitter.h"

namespace mlir::gpuvm {

/// How elements are dealt to the lanes of a workgroup.
struct ChainShape {
  int64_t lanes = 1;
  /// Workgroups: one per index of the leading dimension of every held value;
  /// 1 if all of it is in one workgroup.
  int64_t instances = 1;
  bool hasInstances = false;

  /// The shape of what one workgroup has of a held value.
  ArrayRef<int64_t> ownShape(Value held) const;
  int64_t ownElements(Value held) const;
  /// Elements of each lane, a power of two: neighbours in row-major order.
  int64_t itemsPerLane(int64_t elements) const;
};

/// An element of a held value that a step reads.
struct HeldRead {
  bool anywhere = true;   ///< At a place only known when it runs. Otherwise
  int64_t item = 0;       ///< this item of the lane
  int64_t lane = 0;       ///< so many lanes on, cyclically: 0 to lanes - 1.
  bool isForeign = false; ///< Of another instance, or of one not known.
};

/// Emits steps for one lane.
class StepEmitter {
public:
  /// One list of items for each held value of a step.
  using Items = SmallVector<SmallVector<Value>>;

  StepEmitter(KernelBuilder &kernel, ElementEmitter &elements,
              const ChainShape &shape);

  /// The items the lane makes in the step that ends with `hold`. Those behind
  /// the last element of a value are copies of some element.
  FailureOr<Items> emit(flow::HoldOp hold);

  /// Which element of `held` is at `indices`; to be asked while a step is
  /// emitted.
  HeldRead locate(Value held, ArrayRef<LaneIndex> indices) const;

  /// The position, in what the workgroup has of `held`, of an element at
  /// `indices`.
  Value ownPosition(Value held, ArrayRef<LaneIndex> indices);

  /// The position of item `item` of a value of `elements`, unless the lane has
  /// none: then it is less than `elements` all the same.
  Value itemPosition(int64_t elements, int64_t item);
  /// The position in the window of a position in what the workgroup has.
  Value windowPosition(int64_t elements, Value position);

  Value lane() const { return laneId; }

private:
  FailureOr<SmallVector<Value>> emitValue(Value value);
  FailureOr<SmallVector<Value>> emitInput(BlockArgument value);
  LaneIndex itemIndex(int64_t elements, int64_t item);

  KernelBuilder &k;
  ElementEmitter &elements;
  const ChainShape &shape;
  Value laneId, groupId;
  ArrayRef<int64_t> readerShape; ///< Of what is being emitted,
  int64_t readerItem = 0;        ///< and the item of it.
};

/// One loop nest of a chain.
struct ChainStep {
  mutable flow::HoldOp hold;      ///< A handle, whose getters are not const.
  SmallVector<Operation *> ops;   ///< Behind `hold`, in block order.
  SmallVector<Value, 4> sources;  ///< Held values it may read.
  unsigned kind = 0;              ///< Steps that do the same have the same.
  std::optional<unsigned> output; ///< The first result of the kernel it makes.
};

/// The step that ends with `hold`, without its kind.
ChainStep collectStep(flow::HoldOp hold);

/// Whether the step that ends with `hold` only takes inputs of the kernel into
/// registers.
bool holdsInputs(flow::HoldOp hold);

/// The steps of `kernel`. Steps are of one kind if they do the same with the
/// same inputs, with values made equally many steps before them, and with the
/// same held inputs.
std::vector<ChainStep> findSteps(flow::DispatchOp kernel);

/// What a step reads of each of its sources, in the order of `sources`. Emits
/// an error if the step holds what no kernel can.
using StepReads = SmallVector<SmallVector<HeldRead>, 4>;
FailureOr<StepReads> findReads(const ChainStep &step, const ChainShape &shape);

} // namespace mlir::gpuvm
