//===- ChainPlan.cpp - how a chain is laid over workgroups ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/chain/ChainPlan.h"

#include "dialects/gpuvm/ScalarBody.h"
#include "dialects/gpuvm/Target.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Elements a lane takes where there are enough: a lane's own work then hides
/// the exchange with its neighbours, and half of a multiprocessor's lanes are
/// enough to keep it busy.
static constexpr int64_t kItemsPerLane = 8;
/// A subgroup of the devices that matter, and what they all allow a workgroup.
static constexpr int64_t kMinLanes = 32, kMaxLanes = 1024;
/// Registers that held values may take, of the 64 Ki words that the lanes of a
/// workgroup share on one multiprocessor; the other half is for computing.
static constexpr int64_t kMaxRegisterWords = 32 * 1024;
/// And in one lane, whatever the workgroup: compilers spill beyond 255.
static constexpr int64_t kMaxLaneWords = 128;
/// Workgroups of a dispatch that every device allows in one dimension.
static constexpr int64_t kMaxInstances = 65535;
/// A lane's straight-line code stays below so many scalar operations.
static constexpr int64_t kMaxEmittedOps = 8 * 1024;

int64_t HeldValue::rowOf(int64_t item) const {
  int64_t row = 0;
  for (int64_t before : shared.set_bits()) {
    if (before == item)
      return row;
    ++row;
  }
  llvm_unreachable("the item is not shared");
}

//===----------------------------------------------------------------------===//
// The shape
//===----------------------------------------------------------------------===//

/// The leading dimension that all held values have, or 0.
static int64_t commonLeadingSize(ArrayRef<ChainStep> steps) {
  int64_t size = 0;
  for (const ChainStep &step : steps)
    for (Value value : step.hold.getHeld()) {
      auto type = cast<RankedTensorType>(value.getType());
      if (type.getRank() == 0 || (size && type.getDimSize(0) != size))
        return 0;
      size = type.getDimSize(0);
    }
  return size;
}

static ChainShape shapeFor(ArrayRef<ChainStep> steps, int64_t instances) {
  ChainShape shape;
  shape.hasInstances = instances > 1;
  shape.instances = std::max<int64_t>(instances, 1);
  int64_t most = 1;
  for (const ChainStep &step : steps)
    for (Value value : step.hold.getHeld())
      most = std::max(most, shape.ownElements(value));
  int64_t wanted = llvm::PowerOf2Ceil(llvm::divideCeil(most, kItemsPerLane));
  shape.lanes = std::clamp(wanted, kMinLanes, kMaxLanes);
  return shape;
}

/// The most elements a lane has of a held value.
static int64_t mostItems(const ChainPlan &plan) {
  int64_t most = 1;
  for (const ChainStep &step : plan.steps)
    for (Value value : step.hold.getHeld())
      most = std::max(most,
                      plan.shape.itemsPerLane(plan.shape.ownElements(value)));
  return most;
}

/// Fills in what each kind of step reads, unless that does not matter: what
/// cannot be held anyway need not be emitted to find out.
static LogicalResult findAllReads(ChainPlan &plan) {
  plan.reads.clear();
  plan.registerWords = mostItems(plan);
  if (plan.registerWords > kMaxLaneWords)
    return success();
  for (const ChainStep &step : plan.steps) {
    if (step.kind != plan.reads.size())
      continue;
    FailureOr<StepReads> reads = findReads(step, plan.shape);
    if (failed(reads))
      return failure();
    plan.reads.push_back(std::move(*reads));
  }
  return success();
}

static bool hasForeignReads(const ChainPlan &plan) {
  for (const StepReads &reads : plan.reads)
    for (const SmallVector<HeldRead> &ofSource : reads)
      for (const HeldRead &read : ofSource)
        if (read.isForeign)
          return true;
  return false;
}

static LogicalResult chooseShape(ChainPlan &plan) {
  int64_t instances = commonLeadingSize(plan.steps);
  if (instances > kMaxInstances)
    instances = 1;
  plan.shape = shapeFor(plan.steps, instances);
  if (failed(findAllReads(plan)))
    return failure();
  if (!plan.shape.hasInstances || !hasForeignReads(plan))
    return success();
  plan.shape = shapeFor(plan.steps, 1);
  return findAllReads(plan);
}

//===----------------------------------------------------------------------===//
// Held values
//===----------------------------------------------------------------------===//

static void describeHeldValues(ChainPlan &plan) {
  for (auto [i, step] : llvm::enumerate(plan.steps))
    for (Value value : step.hold.getHeld()) {
      HeldValue &held = plan.held[value];
      held.step = i;
      held.items = plan.shape.itemsPerLane(plan.shape.ownElements(value));
      held.shared.resize(held.items);
    }
  for (auto [i, step] : llvm::enumerate(plan.steps))
    for (auto [source, reads] :
         llvm::zip_equal(step.sources, plan.reads[step.kind])) {
      HeldValue &held = plan.held.find(source)->second;
      held.lastRead = i;
      for (const HeldRead &read : reads) {
        if (!read.anywhere && read.lane == 0)
          continue;
        held.lastShared = i;
        if (read.anywhere)
          held.shared.set();
        else
          held.shared.set(read.item);
      }
    }
}

static int64_t wordsOf(Value held) {
  Type type = cast<RankedTensorType>(held.getType()).getElementType();
  return type.getIntOrFloatBitWidth() > 32 ? 2 : 1;
}

static int64_t countRegisterWords(const ChainPlan &plan) {
  SmallVector<int64_t> change(plan.steps.size() + 1, 0);
  for (const auto &[value, held] : plan.held) {
    int64_t words = held.items * wordsOf(value);
    change[held.step] += words;
    change[std::max(held.step, held.lastRead) + 1] -= words;
  }
  int64_t now = 0, most = 0;
  for (int64_t words : change)
    most = std::max(most, now += words);
  return most;
}

static int64_t countOps(const ChainPlan &plan, const ChainStep &step) {
  int64_t ops = 1, items = 1;
  for (Operation *op : step.ops)
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      ops += countScalarOps(generic);
  for (Value value : step.hold.getHeld())
    items = std::max(items, plan.held.find(value)->second.items);
  return ops * items;
}

std::string ChainPlan::whyNot() const {
  auto tooMuch = [](StringRef what, int64_t is, int64_t limit) {
    return (Twine("its ") + what + " (" + Twine(is) + ", at most " +
            Twine(limit) + ")")
        .str();
  };
  if (workgroupBytes > maxWorkgroupBytes)
    return tooMuch("bytes of workgroup memory", workgroupBytes,
                   maxWorkgroupBytes);
  int64_t words = std::min(kMaxRegisterWords / shape.lanes, kMaxLaneWords);
  if (registerWords > words)
    return tooMuch("words held in each lane", registerWords, words);
  if (emittedOps > kMaxEmittedOps)
    return tooMuch("operations in the code of a lane", emittedOps,
                   kMaxEmittedOps);
  return "";
}

FailureOr<ChainPlan> gpuvm::planChain(flow::DispatchOp kernel) {
  ChainPlan plan;
  plan.maxWorkgroupBytes = getMainTarget(kernel).getWorkgroupBytes();
  plan.steps = findSteps(kernel);
  if (failed(chooseShape(plan)))
    return failure();
  if (plan.reads.empty())
    return plan;
  describeHeldValues(plan);
  for (const ChainStep &step : plan.steps)
    plan.stepOps.push_back(countOps(plan, step));
  findLoops(plan);
  assignSlots(plan);
  plan.registerWords = countRegisterWords(plan);
  for (const ChainSegment &segment : plan.segments)
    for (unsigned i = 0; i < segment.length; ++i)
      plan.emittedOps += plan.stepOps[segment.first + i];
  return plan;
}
