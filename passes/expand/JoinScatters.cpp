//===- JoinScatters.cpp - merging of scatters to the same positions -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stage that stores a row of several symbols at the same index scatters
// several times to the same positions. One scatter takes all updates: one
// dispatch, and the positions are computed where they are needed.
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/Updates.h"
#include "passes/Passes.h"
#include "passes/analysis/Effects.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"

#include "llvm/ADT/Statistic.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_JOINSCATTERS
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

#define DEBUG_TYPE "gpuvm-join-scatters"
ALWAYS_ENABLED_STATISTIC(numJoined, "Scatters joined with others");

/// Updates of one scatter: these, their producers and the results need windows
/// of one kernel.
static constexpr size_t kMostUpdates = 8;
/// Elements of an update: more of them keep a device busy by themselves. With
/// 1,000,000, eight in one kernel are 3 % slower than eight concurrent kernels
/// on an H200, with 65,536 and fewer 2 % to 4 % faster.
static constexpr int64_t kMostElements = 1 << 17;

namespace {

struct JoinScatters : gpuvm::impl::JoinScattersBase<JoinScatters> {
  void runOnOperation() override;
};

/// Scatters of a block that become one, in the place of the first.
class JoinedScatters {
public:
  explicit JoinedScatters(ScatterOp first)
      : all{first}, numUpdates(first.getUpdates().size()) {}
  bool add(ScatterOp op);
  void join();

private:
  bool canHoist(Operation *op) const;

  SmallVector<ScatterOp> all;
  size_t numUpdates;
  llvm::SetVector<Operation *> hoisted; ///< The others depend on these.
};

} // namespace

static bool isSmall(ScatterOp op) {
  return llvm::all_of(op.getUpdates(), [](Value update) {
    return typeOf(update).getNumElements() <= kMostElements;
  });
}

/// Whether `op`, which is after the first scatter, may move before it.
bool JoinedScatters::canHoist(Operation *op) const {
  if (isa<ScatterOp>(op))
    return false;
  auto load = dyn_cast<LoadOp>(op);
  if (!load)
    return isPure(op);
  Place loaded = getPlace(load);
  for (Operation *o = all.front(); o != op; o = o->getNextNode())
    if (auto store = dyn_cast<StoreOp>(o);
        store && getPlace(store).overlaps(loaded))
      return false;
  return true;
}

bool JoinedScatters::add(ScatterOp op) {
  ScatterOp first = all.front();
  auto rowsOf = [](ScatterOp scatter) {
    return typeOf(scatter.getInitial().front()).getDimSize(0);
  };
  if (op.getPositions() != first.getPositions() ||
      rowsOf(op) != rowsOf(first) || op.getDistinct() != first.getDistinct() ||
      numUpdates + op.getUpdates().size() > kMostUpdates)
    return false;
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *o) {
    return o->getBlock() == first->getBlock() && first->isBeforeInBlock(o);
  };
  // Fails only for operations that are not there yet.
  (void)getBackwardSlice(op.getOperation(), &slice, options);
  if (!llvm::all_of(slice, [&](Operation *o) { return canHoist(o); }))
    return false;
  auto readsFirst = [&](Operation *o) {
    return llvm::any_of(o->getOperands(), [&](Value operand) {
      return operand.getDefiningOp() == first;
    });
  };
  if (readsFirst(op) || llvm::any_of(slice, readsFirst))
    return false;
  hoisted.insert_range(slice);
  all.push_back(op);
  numUpdates += op.getUpdates().size();
  return true;
}

void JoinedScatters::join() {
  if (all.size() == 1)
    return;
  numJoined += all.size();
  ScatterOp first = all.front();
  for (Operation *op : topologicalSort(hoisted))
    op->moveBefore(first);
  SmallVector<Value> updates, initial, results;
  SmallVector<Attribute> rules;
  SmallVector<Location> locations;
  for (ScatterOp op : all) {
    llvm::append_range(updates, op.getUpdates());
    llvm::append_range(initial, op.getInitial());
    llvm::append_range(results, op.getResults());
    llvm::append_range(rules, op.getRules());
    locations.push_back(op.getLoc());
  }
  OpBuilder b(first);
  auto whole = ScatterOp::create(
      b, b.getFusedLoc(locations), TypeRange(ValueRange(results)), updates,
      first.getPositions(), initial, b.getArrayAttr(rules));
  whole.setDistinct(first.getDistinct());
  for (auto [old, result] : llvm::zip_equal(results, whole.getResults()))
    old.replaceAllUsesWith(result);
  for (ScatterOp op : all)
    op.erase();
}

void JoinScatters::runOnOperation() {
  for (auto stage : listOps<StageOp>(getOperation())) {
    SmallVector<JoinedScatters> found;
    for (auto op : stage.getBody().getOps<ScatterOp>())
      if (isSmall(op) && llvm::none_of(found, [&](JoinedScatters &others) {
            return others.add(op);
          }))
        found.emplace_back(op);
    for (JoinedScatters &scatters : found)
      scatters.join();
  }
}
