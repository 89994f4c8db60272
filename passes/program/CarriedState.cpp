//===- CarriedState.cpp - the registers of loop-carried values ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/program/CarriedState.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <numeric>

using namespace mlir;
using namespace mlir::gpuvm;

/// Each iteration of a period has descriptor sets of its own.
static constexpr int64_t kLongestPeriod = 12;

CarriedState::CarriedState(RepeatOp repeat)
    : repeat(repeat), nexts(repeat.getInitial().size()),
      stored(repeat.getInitial().size()), sources(repeat.getInitial().size()) {
  findPlaces();
  findRotations();
  if (getPeriod() > kLongestPeriod) { // Everything is copied.
    rotations.clear();
    for (unsigned i = 0; i < sources.size(); ++i) {
      stored[i] = stored[i] || sources[i];
      sources[i].reset();
      nexts[i] = false;
    }
  }
  int64_t period = getPeriod(), times = repeat.getTimes();
  phase = (period - times % period) % period;
}

int64_t CarriedState::getPeriod() const {
  int64_t period = 1;
  for (const Rotation &rotation : rotations)
    period = std::min<int64_t>(std::lcm<int64_t>(period, rotation.size()),
                               kLongestPeriod + 1);
  return period;
}

//===----------------------------------------------------------------------===//
// What can be written over
//===----------------------------------------------------------------------===//

/// Whether `use` reads each element at the index of the result, or is an
/// operand of which the operation updates a part.
static bool keepsPositions(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<StageOp, SendOp, StoreOp>(op))
    return true;
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return llvm::is_contained(scatter.getUpdatedOperands(),
                              use.getOperandNumber());
  if (isa<tensor::InsertSliceOp, tensor::InsertOp>(op))
    return use.getOperandNumber() == 1;
  if (auto linalg = dyn_cast<linalg::LinalgOp>(op))
    return linalg.getNumReductionLoops() == 0 &&
           linalg.getMatchingIndexingMap(&use).isIdentity();
  return op->hasTrait<OpTrait::Elementwise>() &&
         isa<StageOp>(op->getParentOp());
}

/// The values of the body of a repeat that `value` depends on, itself included.
static llvm::DenseSet<Value> getSources(Value value, RepeatOp repeat) {
  llvm::DenseSet<Value> sources;
  SmallVector<Value> open = {value};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!repeat.getBody().isAncestor(next.getParentRegion()) ||
        !sources.insert(next).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (auto stage = dyn_cast<StageOp>(argument.getOwner()->getParentOp()))
        open.push_back(stage.getInputs()[argument.getArgNumber()]);
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (auto stage = dyn_cast<StageOp>(op)) {
      unsigned number = cast<OpResult>(next).getResultNumber();
      SendOp send = stage.getSend();
      open.push_back(send.getPayloads()[number]);
      if (!send.getOtherwise().empty())
        open.push_back(send.getOtherwise()[number]);
      if (stage.getConditional())
        open.push_back(stage.getCondition());
    } else {
      op->walk([&](Operation *inner) {
        llvm::append_range(open, inner->getOperands());
      });
    }
  }
  return sources;
}

/// Whether the next value of `i` depends on elements of it at other indices.
static bool readsElsewhere(RepeatOp repeat, unsigned i) {
  llvm::DenseSet<Value> sources =
      getSources(repeat.getNext().getValues()[i], repeat);
  llvm::DenseSet<Value> seen;
  SmallVector<Value> open = {repeat.getBody().getArgument(i)};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!sources.contains(next) || !seen.insert(next).second)
      continue;
    for (OpOperand &use : next.getUses()) {
      Operation *op = use.getOwner();
      unsigned number = use.getOperandNumber();
      if (auto stage = dyn_cast<StageOp>(op)) {
        open.push_back(stage.getBody().getArgument(number));
      } else if (isa<SendOp>(op)) {
        // Payloads, and what is sent otherwise.
        if (auto sent = op->getParentOp()->getResults(); !sent.empty())
          open.push_back(sent[number % sent.size()]);
      } else if (keepsPositions(use)) {
        llvm::append_range(open, op->getResults());
      } else {
        // Of an operation of the stage: its region may hold the use.
        while (!isa<StageOp, RepeatOp>(op->getParentOp()))
          op = op->getParentOp();
        if (llvm::any_of(op->getResults(),
                         [&](Value made) { return sources.contains(made); }))
          return true;
      }
    }
  }
  return false;
}

/// Whether a stage other than the producer of the next value of `i` reads
/// elements of it: it would have to come before.
static bool isReadElsewhere(RepeatOp repeat, unsigned i, StageOp maker) {
  return llvm::any_of(
      repeat.getBody().getArgument(i).getUsers(), [&](Operation *user) {
        return isa<RepeatOp>(user) || (isa<StageOp>(user) && user != maker);
      });
}

/// Whether the next value of `i` is best stored over it: because it is computed
/// element by element from it, or updates a part of it, or is copied from
/// elsewhere in either case.
bool CarriedState::isMadeInPlace(unsigned i) {
  NextOp next = repeat.getNext();
  auto stage = next.getValues()[i].getDefiningOp<StageOp>();
  if (!stage || stage.getConditional() ||
      repeat.getBody().getArgument(i).use_empty())
    return true;
  if (readsElsewhere(repeat, i))
    return false;
  // A place more costs a move at the end if only the device knows when that is.
  return next.getUntil() || !isReadElsewhere(repeat, i, stage);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

void CarriedState::findPlaces() {
  Block &body = repeat.getBody().front();
  OperandRange values = repeat.getNext().getValues();
  SmallVector<bool> isSource(values.size());
  for (auto [i, value] : llvm::enumerate(values)) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != &body) {
      stored[i] = true;
    } else if (unsigned from = argument.getArgNumber(); from == i) {
      isSource[i] = true; // It stays as it is.
    } else if (isSource[from] || values[from] == value) {
      stored[i] = true; // Two are it next: a copy.
    } else {
      sources[i] = from;
      isSource[from] = true;
    }
  }
  for (unsigned i = 0; i < values.size(); ++i)
    nexts[i] = stored[i] && (isSource[i] || !isMadeInPlace(i));
}

/// Follows each value to the one that becomes it, up to a value for which there
/// is a new place, or around.
void CarriedState::findRotations() {
  SmallVector<bool> isSource(sources.size()), done(sources.size());
  for (std::optional<unsigned> source : sources)
    if (source)
      isSource[*source] = true;
  auto follow = [&](unsigned first) {
    Rotation rotation;
    for (unsigned i = first; !done[i]; i = *sources[i]) {
      done[i] = true;
      rotation.push_back({i, /*isNext=*/false});
      if (!sources[i]) {
        if (nexts[i])
          rotation.push_back({i, /*isNext=*/true});
        break;
      }
    }
    if (rotation.size() > 1)
      rotations.push_back(std::move(rotation));
  };
  for (unsigned i = 0; i < sources.size(); ++i)
    if (!isSource[i])
      follow(i);
  for (unsigned i = 0; i < sources.size(); ++i)
    follow(i);
}

CarriedState::Place CarriedState::getStart(unsigned i) const {
  for (const Rotation &rotation : rotations)
    for (auto [role, place] : llvm::enumerate(rotation))
      if (place.number == i && !place.isNext)
        return rotation[(role + phase) % rotation.size()];
  return {i, /*isNext=*/false};
}
