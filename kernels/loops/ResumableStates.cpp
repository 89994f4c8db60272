//===- ResumableStates.cpp - which state of resumable code has what -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/loops/ResumableCode.h"

#include "dialects/gpuvm/ScalarBody.h"
#include "kernels/loops/LongLoops.h"

using namespace mlir;
using namespace mlir::gpuvm;

static bool isConstant(Operation *op) {
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

static bool isLoop(Operation *op) { return isa<scf::ForOp, scf::WhileOp>(op); }

/// Of a loop that is short.
static int64_t countTrips(scf::ForOp loop) {
  return std::min(mostIterations(loop).value_or(kShortLoop), kShortLoop);
}

/// The counts that the loops of `op` take at most, where they are not cut. A
/// loop's last test counts as well; a loop that is hardly ever entered gets as
/// many as a short one.
static int64_t countBackEdges(Operation *op) {
  int64_t inside = 0;
  for (mlir::Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      inside += countBackEdges(&inner);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return 1 + countTrips(loop) * (1 + inside);
  return isa<scf::WhileOp>(op) ? 1 + kShortLoop * (1 + inside) : inside;
}

/// The iterations of short loops in `block`, but for those in branches.
static int64_t countKnownIterations(Block &block) {
  int64_t count = 0;
  for (auto loop : block.getOps<scf::ForOp>())
    if (!mayRunLong(loop))
      count += countTrips(loop) * (1 + countKnownIterations(*loop.getBody()));
  return count;
}

/// Whether the code is cut at `op`: at a loop that may run long, or at a branch
/// that holds one.
bool ResumableCode::isCut(Operation *op) const {
  if (!cutsAll)
    return mayRunLong(op);
  return (isLoop(op) || isa<scf::IfOp>(op)) &&
         op->walk([](Operation *inner) {
             return isLoop(inner) ? WalkResult::interrupt()
                                  : WalkResult::advance();
           }).wasInterrupted();
}

int64_t ResumableCode::leastIterations(bool inside) const {
  std::optional<int64_t> least;
  for (State state = kStart + 1; state < states.size(); ++state) {
    Operation *loop = states[state].op;
    if (state == end || !isLoop(loop) || (inside && loop->getBlock() == &code))
      continue;
    int64_t own = 1;
    for (mlir::Region &region : loop->getRegions())
      own += cutsAll ? 0 : countKnownIterations(region.front());
    least = std::min(least.value_or(own), own);
  }
  return least ? *least : leastIterations(/*inside=*/false);
}

bool ResumableCode::isInner(State state) const {
  Operation *loop = states[state].op;
  if (state == end || !loop || !isLoop(loop))
    return false;
  return !loop->walk([&](Operation *op) {
                bool isOther = op != loop && isLoop(op) && isCut(op);
                return isOther ? WalkResult::interrupt()
                               : WalkResult::advance();
              })
              .wasInterrupted();
}

int64_t ResumableCode::innerOps() const {
  int64_t count = inner;
  for (State state = 0; state < states.size(); ++state)
    count += isInner(state) ? kStateOps : 0;
  return count;
}

ResumableCode::State ResumableCode::addState(Operation *op) {
  states.emplace_back().op = op;
  return states.size() - 1;
}

void ResumableCode::define(ValueRange values, State state, bool isCarried) {
  for (Value value : values) {
    definedIn[value] = state;
    if (isCarried)
      carried.insert(value);
  }
}

void ResumableCode::use(ValueRange values, State state) {
  for (Value value : values) {
    if (!definedIn.contains(value))
      continue; // From outside, or of an operation that is not cut.
    if (isConstant(value.getDefiningOp()))
      states[state].constants.insert(value.getDefiningOp());
    else
      states[state].values.insert(value);
  }
}

void ResumableCode::useAll(Operation *op, State state) {
  op->walk([&](Operation *inner) { use(inner->getOperands(), state); });
}

/// Numbers what is in `block`, which `state` comes to; the state that its end
/// is in.
ResumableCode::State ResumableCode::number(Block &block, State state) {
  for (Operation &op : block) {
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && isCut(&op)) {
      state = numberFor(loop, state);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op); loop && isCut(&op)) {
      state = numberWhile(loop, state);
    } else if (auto branch = dyn_cast<scf::IfOp>(op); branch && isCut(&op)) {
      state = numberIf(branch, state);
    } else {
      useAll(&op, state);
      define(op.getResults(), state);
      bool isOutside = state == kStart || state == end;
      (isOutside ? outside : turn) += countBackEdges(&op);
      int64_t own = 1 + countScalarOps(&op);
      ops += isOutside ? 0 : own;
      inner += isInner(state) ? own : 0;
    }
  }
  return state;
}

/// The state behind `op`, whose results are known in `state`.
ResumableCode::State ResumableCode::numberAfter(Operation *op, State state) {
  if (op != last) {
    define(op->getResults(), state);
    return state;
  }
  end = addState(op);
  define(op->getResults(), end, /*isCarried=*/true);
  return end;
}

ResumableCode::State ResumableCode::numberFor(scf::ForOp loop, State state) {
  use(loop.getLowerBound(), state);
  use(loop.getInitArgs(), state);
  State header = stateOf[loop] = addState(loop);
  define(loop.getBody()->getArguments(), header, /*isCarried=*/true);
  use(loop.getBody()->getArguments(), header);
  use(loop.getUpperBound(), header);
  State back = number(*loop.getBody(), header);
  use(loop.getStep(), back);
  use(loop.getInductionVar(), back);
  return numberAfter(loop, header);
}

ResumableCode::State ResumableCode::numberWhile(scf::WhileOp loop,
                                                State state) {
  use(loop.getInits(), state);
  State header = stateOf[loop] = addState(loop);
  define(loop.getBeforeArguments(), header, /*isCarried=*/true);
  use(loop.getBeforeArguments(), header);
  State test = number(*loop.getBeforeBody(), header);
  define(loop.getAfterArguments(), test);
  number(*loop.getAfterBody(), test);
  return numberAfter(loop, test);
}

ResumableCode::State ResumableCode::numberIf(scf::IfOp branch, State state) {
  use(branch.getCondition(), state);
  number(*branch.thenBlock(), state);
  if (branch.elseBlock())
    number(*branch.elseBlock(), state);
  if (branch == last) {
    State after = numberAfter(branch, state);
    return stateOf[branch] = after;
  }
  State after = stateOf[branch] = addState(branch);
  define(branch.getResults(), after, /*isCarried=*/true);
  return after;
}
