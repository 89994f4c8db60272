//===- CarriedState.cpp - the registers of iteration values ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/plan/CarriedState.h"

#include "kernels/analysis/Alternative.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <numeric>

using namespace mlir;
using namespace mlir::gpuvm;

/// Each iteration of a period has descriptor sets of its own.
static constexpr int64_t kLongestPeriod = 12;

bool gpuvm::saysGoesOn(Value condition, flow::LoopOp loop) {
  for (; loop; loop = loop->getParentOfType<flow::LoopOp>())
    if (condition && condition == loop.getWhile())
      return true;
  return false;
}

CarriedState::CarriedState(flow::LoopOp loop, ArrayRef<unsigned> fixed)
    : loop(loop), nexts(loop.getInitial().size()),
      stored(loop.getInitial().size()), sources(loop.getInitial().size()) {
  findPlaces(fixed);
  findRotations();
  if (getPeriod() > kLongestPeriod) { // Everything is copied.
    rotations.clear();
    for (unsigned i = 0; i < sources.size(); ++i) {
      stored[i] = stored[i] || sources[i];
      sources[i].reset();
      nexts[i] = false;
    }
  }
  int64_t period = getPeriod(), times = loop.getTimes();
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

static Value outsideOf(flow::DispatchOp dispatch, Value inside) {
  auto argument = dyn_cast<BlockArgument>(inside);
  return argument ? dispatch.getInputs()[argument.getArgNumber()] : Value();
}

static YieldOp yieldOf(flow::DispatchOp dispatch) {
  return cast<YieldOp>(dispatch.getBody().front().getTerminator());
}

/// Whether `use`, in the body of a dispatch, reads each element at the index of
/// the result, or is an operand of which the operation updates a part.
static bool keepsPositions(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<flow::HoldOp>(op))
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
         isa<flow::DispatchOp>(op->getParentOp());
}

/// The values of the body of a loop that `value` depends on, itself included.
static llvm::DenseSet<Value> getSources(Value value, flow::LoopOp loop) {
  llvm::DenseSet<Value> sources;
  SmallVector<Value> open = {value};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!loop.getBody().isAncestor(next.getParentRegion()) ||
        !sources.insert(next).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (auto dispatch =
              dyn_cast<flow::DispatchOp>(argument.getOwner()->getParentOp()))
        open.push_back(outsideOf(dispatch, argument));
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (auto dispatch = dyn_cast<flow::DispatchOp>(op))
      open.push_back(yieldOf(dispatch)
                         .getValues()[cast<OpResult>(next).getResultNumber()]);
    else
      op->walk([&](Operation *inner) {
        llvm::append_range(open, inner->getOperands());
      });
  }
  return sources;
}

/// Whether the next value of `i` depends on elements of it at other indices.
static bool readsElsewhere(flow::LoopOp loop, unsigned i) {
  llvm::DenseSet<Value> sources =
      getSources(loop.getEnd().getValues()[i], loop);
  llvm::DenseSet<Value> seen;
  SmallVector<Value> open = {loop.getBody().getArgument(i)};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!sources.contains(next) || !seen.insert(next).second)
      continue;
    for (OpOperand &use : next.getUses()) {
      Operation *op = use.getOwner();
      unsigned number = use.getOperandNumber();
      if (auto dispatch = dyn_cast<flow::DispatchOp>(op)) {
        if (number < dispatch.getInputs().size())
          open.push_back(dispatch.getBody().getArgument(number));
      } else if (isa<YieldOp>(op) && isa<flow::DispatchOp>(op->getParentOp())) {
        open.push_back(op->getParentOp()->getResult(number));
      } else if (keepsPositions(use)) {
        llvm::append_range(open, op->getResults());
      } else {
        // Of an operation of the dispatch: its region may hold the use.
        while (!isa<flow::DispatchOp, flow::LoopOp>(op->getParentOp()))
          op = op->getParentOp();
        if (llvm::any_of(op->getResults(),
                         [&](Value made) { return sources.contains(made); }))
          return true;
      }
    }
  }
  return false;
}

/// Whether a command other than the one that computes the next value of `i`
/// reads it: it would have to come before.
static bool isReadElsewhere(flow::LoopOp loop, unsigned i,
                            flow::DispatchOp maker) {
  return llvm::any_of(loop.getBody().getArgument(i).getUsers(),
                      [&](Operation *user) {
                        return isa<CommandOpInterface>(user) && user != maker &&
                               user != loop.getEnd();
                      });
}

/// Whether the next value of `i` is the old one on some condition.
static bool isKept(flow::LoopOp loop, unsigned i, OpResult next) {
  auto dispatch = cast<flow::DispatchOp>(next.getOwner());
  Value made = yieldOf(dispatch).getValues()[next.getResultNumber()];
  while (auto generic = made.getDefiningOp<linalg::GenericOp>()) {
    std::optional<Alternative> choice = getAlternative(generic);
    if (!choice)
      break;
    if (outsideOf(dispatch, choice->no) == loop.getBody().getArgument(i) &&
        !saysGoesOn(outsideOf(dispatch, choice->condition), loop))
      return true;
    made = choice->yes;
  }
  return false;
}

/// Whether the next value of `i` is best stored over it: because it is computed
/// element by element from it, or updates a part of it, or is copied from
/// elsewhere in either case.
bool CarriedState::isMadeInPlace(unsigned i) {
  Value next = loop.getEnd().getValues()[i];
  auto maker = next.getDefiningOp<flow::DispatchOp>();
  if (!maker || maker->getParentOp() != loop ||
      isKept(loop, i, cast<OpResult>(next)))
    return true;
  if (readsElsewhere(loop, i))
    return false;
  // A place more costs a move at the end if only the device knows when that is.
  return loop.getGo() || !isReadElsewhere(loop, i, maker);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

void CarriedState::findPlaces(ArrayRef<unsigned> fixed) {
  Block &body = loop.getBody().front();
  OperandRange values = loop.getEnd().getValues();
  SmallVector<bool> isSource(values.size());
  for (unsigned i : fixed)
    isSource[i] = true; // Others get a copy.
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
    nexts[i] = stored[i] && !llvm::is_contained(fixed, i) &&
               (isSource[i] || !isMadeInPlace(i));
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

std::pair<const CarriedState::Rotation *, unsigned>
CarriedState::find(unsigned i) const {
  for (const Rotation &rotation : rotations)
    for (auto [role, place] : llvm::enumerate(rotation))
      if (place.number == i && !place.isNext)
        return {&rotation, role};
  return {nullptr, 0};
}

CarriedState::Place CarriedState::getStart(unsigned i) const {
  auto [rotation, role] = find(i);
  return rotation ? (*rotation)[(role + phase) % rotation->size()]
                  : Place{i, /*isNext=*/false};
}
