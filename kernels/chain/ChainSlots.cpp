//===- ChainSlots.cpp - workgroup memory and barriers of a chain ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the steps as they will run. A barrier is needed before a step reads a
// slot that was written since the last one, and before a step writes a slot
// that was read or written since the last one; a second slot mostly saves the
// latter.
//
//===----------------------------------------------------------------------===//

#include "kernels/chain/ChainPlan.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
struct SlotState {
  unsigned busyUntil = 0;  ///< The last step that reads what it holds.
  bool isBusy = false;     ///< It holds something that is still read.
  bool isReserved = false; ///< For a value that a loop carries.
  bool isTouched = false;  ///< Read or written since the last barrier.
  bool isWritten = false;  ///< Written since the last barrier.
};

class SlotAssigner {
public:
  explicit SlotAssigner(ChainPlan &plan) : plan(plan) {
    plan.barriers.resize(plan.steps.size());
  }
  void run();

private:
  void walkStep(unsigned step);
  void walkLoop(const ChainSegment &loop);
  void read(unsigned step);
  void place(unsigned step, Value value);
  int findSlot(unsigned step, const ChainSlot &wanted);
  int addSlot(const ChainSlot &wanted);
  void barrier();

  ChainPlan &plan;
  SmallVector<SlotState> states;
  DenseMap<Value, int> reserved; ///< Slots of values that a loop carries.
};
} // namespace

static int64_t slotBytes(const ChainSlot &slot) {
  unsigned bits = slot.type.getIntOrFloatBitWidth();
  return slot.elements * (bits == 1 ? 4 : bits / 8);
}

void SlotAssigner::barrier() {
  for (SlotState &state : states)
    state.isTouched = state.isWritten = false;
}

int SlotAssigner::addSlot(const ChainSlot &wanted) {
  plan.slots.push_back(wanted);
  plan.workgroupBytes += slotBytes(wanted);
  states.emplace_back();
  return states.size() - 1;
}

/// A slot that holds nothing any more: better one that needs no barrier, even
/// a new one.
int SlotAssigner::findSlot(unsigned step, const ChainSlot &wanted) {
  int free = -1;
  for (auto [i, slot] : llvm::enumerate(plan.slots)) {
    SlotState &state = states[i];
    if (slot.type != wanted.type || slot.elements < wanted.elements ||
        state.isReserved || (state.isBusy && state.busyUntil > step))
      continue;
    if (!state.isTouched)
      return i;
    free = i;
  }
  bool fits = plan.workgroupBytes + slotBytes(wanted) <= plan.maxWorkgroupBytes;
  return free < 0 || fits ? addSlot(wanted) : free;
}

void SlotAssigner::read(unsigned step) {
  SmallVector<int> slots;
  const ChainStep &own = plan.steps[step];
  for (auto [source, reads] :
       llvm::zip_equal(own.sources, plan.reads[own.kind]))
    if (llvm::any_of(reads, [](const HeldRead &read) {
          return read.anywhere || read.lane != 0;
        }))
      slots.push_back(plan.held.find(source)->second.slot);
  if (llvm::any_of(slots, [&](int slot) { return states[slot].isWritten; })) {
    plan.barriers[step].beforeReads = true;
    barrier();
  }
  for (int slot : slots)
    states[slot].isTouched = true;
}

/// Finds the slot of a value that the step makes, if other lanes read it.
void SlotAssigner::place(unsigned step, Value value) {
  HeldValue &held = plan.held.find(value)->second;
  if (held.shared.none())
    return;
  Type type = cast<RankedTensorType>(value.getType()).getElementType();
  int64_t rows = held.shared.count();
  auto own = reserved.find(value);
  held.slot = own != reserved.end()
                  ? own->second
                  : findSlot(step, {type, rows * plan.shape.lanes});
  states[held.slot].busyUntil = held.lastShared;
  states[held.slot].isBusy = true;
}

void SlotAssigner::walkStep(unsigned step) {
  read(step);
  SmallVector<int> slots;
  for (Value value : plan.steps[step].hold.getHeld()) {
    place(step, value);
    if (int slot = plan.held.find(value)->second.slot; slot >= 0)
      slots.push_back(slot);
  }
  if (llvm::any_of(slots, [&](int slot) { return states[slot].isTouched; })) {
    plan.barriers[step].beforeWrites = true;
    barrier();
  }
  for (int slot : slots)
    states[slot].isTouched = states[slot].isWritten = true;
}

/// A value that the next turn reads is made in the slot that the one before it
/// was made in. What the last turn has touched is not followed.
void SlotAssigner::walkLoop(const ChainSegment &loop) {
  auto touchAll = [&] {
    for (SlotState &state : states)
      state.isTouched = state.isWritten = true;
  };
  auto heldOf = [&](unsigned step) { return plan.steps[step].hold.getHeld(); };
  unsigned end = loop.first + loop.length;
  for (unsigned i = loop.first; i < end; ++i)
    for (auto [value, before] :
         llvm::zip_equal(heldOf(i), heldOf(i - loop.length)))
      if (plan.held.find(value)->second.lastShared >= end) {
        int slot = plan.held.find(before)->second.slot;
        reserved[value] = slot;
        states[slot].isReserved = true;
      }
  touchAll();
  for (unsigned i = loop.first; i < end; ++i)
    walkStep(i);
  touchAll();
  // From here on the slots hold what the last turn made.
  unsigned skipped = (loop.repeats - 1) * loop.length;
  for (unsigned i = loop.first; i < end; ++i)
    for (auto [value, last] : llvm::zip_equal(heldOf(i), heldOf(i + skipped))) {
      HeldValue &held = plan.held.find(last)->second;
      held.slot = plan.held.find(value)->second.slot;
      if (held.slot < 0)
        continue;
      SlotState &state = states[held.slot];
      state.isReserved = false;
      state.busyUntil = held.lastShared;
    }
}

void SlotAssigner::run() {
  for (const ChainSegment &segment : plan.segments) {
    if (segment.repeats > 1) {
      walkLoop(segment);
      continue;
    }
    for (unsigned i = 0; i < segment.length; ++i)
      walkStep(segment.first + i);
  }
}

void gpuvm::assignSlots(ChainPlan &plan) { SlotAssigner(plan).run(); }
