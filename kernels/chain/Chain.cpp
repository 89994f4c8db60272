//===- Chain.cpp - kernels of dependent steps in one workgroup ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits what ChainPlan.h says: each lane makes its items of a step's values,
// puts those that other lanes read into their slot, and goes on to the next
// step. A loop carries the items that its next turn reads.
//
//===----------------------------------------------------------------------===//

#include "kernels/chain/ChainPlan.h"
#include "kernels/chain/StepKernels.h"
#include "kernels/family/Family.h"
#include "kernels/family/ResultStores.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class ChainEmitter : protected RootEmitter {
public:
  ChainEmitter(EmitterContext &context, ChainPlan plan);
  LogicalResult run();

private:
  void emitStep(unsigned step);
  void emitLoop(const ChainSegment &loop);
  void share(Value held);
  void storeOutputs(flow::HoldOp hold);
  void store(unsigned binding, Value held);
  FailureOr<Value> read(Value held, ArrayRef<LaneIndex> indices);
  Value slotIndex(int64_t row, Value lane);
  Value laneOn(int64_t distance);

  ChainPlan plan;
  StepEmitter emitter;
  DenseMap<Value, SmallVector<Value>> items; ///< Of the lane, of held values.
  SmallVector<Value> slots;
  DenseMap<int64_t, Value> neighbours; ///< Numbers of the lanes further on.
};
} // namespace

ChainEmitter::ChainEmitter(EmitterContext &context, ChainPlan chainPlan)
    : RootEmitter(context), plan(std::move(chainPlan)),
      emitter(k, context.elements, plan.shape) {
  c.elements.onHeld([this](Value held, ArrayRef<LaneIndex> indices) {
    return read(held, indices);
  });
}

//===----------------------------------------------------------------------===//
// What lanes share
//===----------------------------------------------------------------------===//

/// A lane's number plus `distance`, cyclically; computed once, at the start.
Value ChainEmitter::laneOn(int64_t distance) {
  Value &lane = neighbours[distance];
  if (!lane) {
    OpBuilder::InsertionGuard guard(k.ir());
    k.ir().setInsertionPointAfterValue(emitter.lane());
    lane = (k(emitter.lane()) + distance) % plan.shape.lanes;
  }
  return lane;
}

/// Neighbouring lanes have neighbouring elements, so that all of them can be
/// accessed at once.
Value ChainEmitter::slotIndex(int64_t row, Value lane) {
  return k(lane) + row * plan.shape.lanes;
}

void ChainEmitter::share(Value value) {
  const HeldValue &held = plan.held.find(value)->second;
  for (int64_t item : held.shared.set_bits())
    k.storeWorkgroup(slots[held.slot], items[value][item],
                     slotIndex(held.rowOf(item), emitter.lane()));
}

FailureOr<Value> ChainEmitter::read(Value value, ArrayRef<LaneIndex> indices) {
  const HeldValue &held = plan.held.find(value)->second;
  HeldRead at = emitter.locate(value, indices);
  if (!at.anywhere && at.lane == 0)
    return items[value][at.item];
  Type type = cast<RankedTensorType>(value.getType()).getElementType();
  Value memory = slots[held.slot];
  if (!at.anywhere)
    return k.loadWorkgroup(memory, type,
                           slotIndex(held.rowOf(at.item), laneOn(at.lane)));
  Value position = emitter.ownPosition(value, indices);
  Expr row = k(position) % held.items * plan.shape.lanes;
  return k.loadWorkgroup(memory, type, row + k(position) / held.items);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void ChainEmitter::store(unsigned binding, Value held) {
  const SmallVector<Value> &own = items[held];
  int64_t count = plan.shape.ownElements(held);
  int64_t perLane = own.size();
  int64_t capacity = plan.shape.lanes * perLane;
  Expr first = k(emitter.lane()) * perLane;
  auto storeBlock = [&] {
    k.storeVector(binding, own, emitter.windowPosition(count, first));
  };
  if (capacity == count)
    return storeBlock();
  if (count % perLane == 0)
    return k.ifThen(first < count, storeBlock);
  for (auto [i, value] : llvm::enumerate(own)) {
    Expr position = first + i;
    k.ifThen(position < count, [&] {
      k.store(binding, value, emitter.windowPosition(count, position));
    });
  }
}

void ChainEmitter::storeOutputs(flow::HoldOp hold) {
  for (auto [value, binding] : getStoredResults(c))
    if (value.getDefiningOp() == hold)
      store(binding, value);
}

void ChainEmitter::emitStep(unsigned step) {
  flow::HoldOp hold = plan.steps[step].hold;
  if (plan.barriers[step].beforeReads)
    k.workgroupBarrier();
  FailureOr<StepEmitter::Items> made = emitter.emit(hold);
  if (failed(made)) {
    failed_ = true;
    return;
  }
  for (auto [value, own] : llvm::zip_equal(hold.getHeld(), *made))
    items[value] = std::move(own);
  if (plan.barriers[step].beforeWrites)
    k.workgroupBarrier();
  for (Value value : hold.getHeld())
    share(value);
  if (plan.steps[step].output)
    storeOutputs(hold);
}

void ChainEmitter::emitLoop(const ChainSegment &loop) {
  struct Carried {
    Value before, own, last; ///< Of the turn before, the first, the last one.
    size_t items;
  };
  SmallVector<Carried> carried;
  SmallVector<Value> initial;
  unsigned end = loop.first + loop.length;
  unsigned skipped = (loop.repeats - 1) * loop.length;
  auto heldOf = [&](unsigned step) { return plan.steps[step].hold.getHeld(); };
  for (unsigned i = loop.first; i < end; ++i)
    for (auto [before, own, last] : llvm::zip_equal(
             heldOf(i - loop.length), heldOf(i), heldOf(i + skipped)))
      if (plan.held.find(own)->second.lastRead >= end) {
        const SmallVector<Value> &first = items[before];
        carried.push_back({before, own, last, first.size()});
        llvm::append_range(initial, first);
      }
  auto eachValue = [&](Value Carried::*which, ValueRange values) {
    for (const Carried &value : carried) {
      items[value.*which] = SmallVector<Value>(values.take_front(value.items));
      values = values.drop_front(value.items);
    }
  };
  SmallVector<Value> results =
      k.loop(k.index(0), k.index(loop.repeats), k.index(1), initial,
             [&](Value, ValueRange values) {
               eachValue(&Carried::before, values);
               for (unsigned i = loop.first; i < end; ++i)
                 emitStep(i);
               SmallVector<Value> next;
               for (const Carried &value : carried)
                 llvm::append_range(next, items[value.own]);
               return next;
             });
  eachValue(&Carried::last, results);
}

LogicalResult ChainEmitter::run() {
  for (const ChainSlot &slot : plan.slots)
    slots.push_back(k.allocateWorkgroup(slot.type, slot.elements));
  for (const ChainSegment &segment : plan.segments) {
    if (segment.repeats > 1) {
      emitLoop(segment);
      continue;
    }
    for (unsigned i = 0; i < segment.length; ++i)
      emitStep(segment.first + i);
  }
  return failure(failed_);
}

//===----------------------------------------------------------------------===//
// The family
//===----------------------------------------------------------------------===//

namespace {
struct ChainLayout : LayoutOf<ChainLayout> {};

class ChainFamily : public KernelFamily {
public:
  bool takes(flow::DispatchOp) const override {
    return true;
  } // It holds results (C4).
  /// A chain that cannot be planned cannot be emitted either, which says so.
  std::unique_ptr<KernelLayout> layOut(flow::DispatchOp kernel,
                                       TargetAttr) const override {
    auto layout = std::make_unique<ChainLayout>();
    if (!isOfMaps(kernel)) {
      if (std::optional<StepsPlan> plan = planSteps(kernel)) {
        layout->groups = plan->numInstances();
        layout->lanes = plan->lanes;
      }
      return layout;
    }
    FailureOr<ChainPlan> plan = planChain(kernel);
    if (succeeded(plan)) {
      layout->lanes = plan->shape.lanes;
      layout->groups = plan->shape.instances;
    }
    return layout;
  }

  SmallVector<LaunchForm> specialForms(flow::DispatchOp kernel) const override {
    if (isOfMaps(kernel))
      return KernelFamily::specialForms(kernel);
    return {};
  }

  bool worksInPlace(flow::DispatchOp kernel, unsigned operand,
                    unsigned result) const override {
    return !isOfMaps(kernel) && stepsWorkInPlace(kernel, operand, result);
  }

  LogicalResult emit(EmitterContext &context) const override {
    if (!isOfMaps(context.op)) {
      std::optional<StepsPlan> plan = planSteps(context.op);
      if (!plan)
        return context.op.emitError("no workgroup can run its steps");
      return emitSteps(context, std::move(*plan));
    }
    FailureOr<ChainPlan> plan = planChain(context.op);
    if (failed(plan))
      return failure();
    return ChainEmitter(context, std::move(*plan)).run();
  }
};
} // namespace

namespace mlir::gpuvm {
const KernelFamily &getChainFamily() {
  static const ChainFamily family;
  return family;
}
} // namespace mlir::gpuvm
