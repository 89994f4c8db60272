//===- ResumableCode.cpp - loops that can be left and taken up again ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A state is a piece of code that begins at the beginning, at the header of a
// loop, or behind a branch that holds a loop, and ends where another one
// begins. What one state computes and another one uses lies in a slot.
//
//===----------------------------------------------------------------------===//

#include "kernels/loops/ResumableCode.h"

#include "dialects/gpuvm/ScalarBody.h"
#include "kernels/builder/PrivateMemory.h"
#include "kernels/loops/LongLoops.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// The counter of a lane that is through, or has nothing to do.
static constexpr uint32_t kDone = UINT32_MAX;

ResumableCode::ResumableCode(KernelBuilder &kernel, Block &code, bool cutsAll)
    : k(kernel), code(code), cutsAll(cutsAll) {
  for (Operation &op : code)
    if (isCut(&op))
      last = &op;
  addState(nullptr);
  number(code, kStart);
  findSlots();
  counter = allocatePrivate(k.ir(), k.loc(), k.ir().getI32Type());
}

void ResumableCode::findSlots() {
  for (auto [state, uses] : llvm::enumerate(states))
    for (Value value : uses.values)
      if (carried.contains(value) || definedIn[value] != state)
        if (Slot &slot = slots[value]; !slot.memory)
          slot.memory = allocatePrivate(k.ir(), k.loc(), value.getType());
}

//===----------------------------------------------------------------------===//
// The code of a state
//===----------------------------------------------------------------------===//

SmallVector<Value> ResumableCode::mapped(ValueRange values) {
  SmallVector<Value> result;
  for (Value value : values)
    result.push_back(map.lookupOrDefault(value));
  return result;
}

/// Puts into their slots what `values` are `now`.
void ResumableCode::keep(ValueRange values, ValueRange now) {
  for (auto [value, own] : llvm::zip(values, now))
    if (auto slot = slots.find(value); slot != slots.end())
      storePrivate(k.ir(), k.loc(), slot->second.memory, own);
}

void ResumableCode::go(State state) {
  storePrivate(k.ir(), k.loc(), counter, k.word(state));
}

Value ResumableCode::isIn(State state) {
  return k(loadPrivate(k.ir(), k.loc(), counter, k.ir().getI32Type())) == state;
}

/// From `at` to where another state begins.
void ResumableCode::emitFrom(Block *block, Block::iterator at) {
  for (; at != block->end(); ++at) {
    if (isCut(&*at))
      return enter(&*at);
    if (at->hasTrait<OpTrait::IsTerminator>())
      return leave(&*at);
    Operation *copy = k.ir().clone(*at, map);
    keep(at->getResults(), copy->getResults());
  }
  storePrivate(k.ir(), k.loc(), counter, k.word(kDone));
}

void ResumableCode::enter(Operation *cut) {
  if (auto loop = dyn_cast<scf::ForOp>(cut)) {
    keep(loop.getInductionVar(), mapped(loop.getLowerBound()));
    keep(loop.getRegionIterArgs(), mapped(loop.getInitArgs()));
    return go(stateOf[cut]);
  }
  if (auto loop = dyn_cast<scf::WhileOp>(cut)) {
    keep(loop.getBeforeArguments(), mapped(loop.getInits()));
    return go(stateOf[cut]);
  }
  auto branch = cast<scf::IfOp>(cut);
  auto emitSide = [&](Block *side) {
    if (side)
      emitFrom(side, side->begin());
    else
      go(stateOf[cut]);
    return SmallVector<Value>();
  };
  k.choose(
      map.lookupOrDefault(branch.getCondition()), {},
      [&] { return emitSide(branch.thenBlock()); },
      [&] { return emitSide(branch.elseBlock()); });
}

/// At the end of a block of a cut operation.
void ResumableCode::leave(Operation *terminator) {
  if (auto condition = dyn_cast<scf::ConditionOp>(terminator))
    return leaveWhileTest(condition);
  Operation *parent = terminator->getParentOp();
  SmallVector<Value> values = mapped(terminator->getOperands());
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    keep(loop.getRegionIterArgs(), values);
    keep(loop.getInductionVar(),
         arith::AddIOp::create(k.ir(), k.loc(),
                               map.lookupOrDefault(loop.getInductionVar()),
                               map.lookupOrDefault(loop.getStep()))
             .getResult());
  } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    keep(loop.getBeforeArguments(), values);
  } else {
    keep(parent->getResults(), values);
  }
  go(stateOf[parent]);
}

void ResumableCode::leaveWhileTest(scf::ConditionOp condition) {
  auto loop = cast<scf::WhileOp>(condition->getParentOp());
  SmallVector<Value> values = mapped(condition.getArgs());
  auto again = [&] {
    for (auto [argument, value] :
         llvm::zip_equal(loop.getAfterArguments(), values))
      map.map(argument, value);
    keep(loop.getAfterArguments(), values);
    emitFrom(loop.getAfterBody(), loop.getAfterBody()->begin());
    return SmallVector<Value>();
  };
  auto through = [&] {
    finishLoop(loop, values);
    return SmallVector<Value>();
  };
  k.choose(map.lookupOrDefault(condition.getCondition()), {}, again, through);
}

void ResumableCode::finishLoop(Operation *loop, ValueRange results) {
  keep(loop->getResults(), results);
  if (loop == last)
    return go(end);
  for (auto [result, value] : llvm::zip_equal(loop->getResults(), results))
    map.map(result, value);
  emitFrom(loop->getBlock(), std::next(loop->getIterator()));
}

void ResumableCode::emitHeader(scf::ForOp loop) {
  Value within =
      arith::CmpIOp::create(k.ir(), k.loc(), arith::CmpIPredicate::slt,
                            map.lookupOrDefault(loop.getInductionVar()),
                            map.lookupOrDefault(loop.getUpperBound()));
  auto again = [&] {
    emitFrom(loop.getBody(), loop.getBody()->begin());
    return SmallVector<Value>();
  };
  auto through = [&] {
    finishLoop(loop, mapped(loop.getRegionIterArgs()));
    return SmallVector<Value>();
  };
  k.choose(within, {}, again, through);
}

void ResumableCode::emit(State state) {
  const Uses &uses = states[state];
  Value i = map.lookup(code.getArgument(0));
  map.clear();
  map.map(code.getArgument(0), i);
  k.ifThen(isIn(state), [&] {
    for (Operation *constant : uses.constants)
      k.ir().clone(*constant, map);
    for (Value value : uses.values)
      if (carried.contains(value) || definedIn[value] != state)
        map.map(value,
                loadPrivate(k.ir(), k.loc(), slots.find(value)->second.memory,
                            value.getType()));
    Operation *op = uses.op;
    if (!op)
      emitFrom(&code, code.begin());
    else if (state == end || isa<scf::IfOp>(op))
      emitFrom(op->getBlock(), std::next(op->getIterator()));
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      emitHeader(loop);
    else
      emitFrom(cast<scf::WhileOp>(op).getBeforeBody(),
               cast<scf::WhileOp>(op).getBeforeBody()->begin());
  });
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

void ResumableCode::begin(Value active) {
  storePrivate(k.ir(), k.loc(), counter,
               select(k(active), k.word(kStart), k.word(kDone)));
}

Value ResumableCode::isDone() {
  return k(loadPrivate(k.ir(), k.loc(), counter, k.ir().getI32Type())) == kDone;
}

void ResumableCode::run(Value i, Value turns, int64_t unroll) {
  map.map(code.getArgument(0), i);
  emit(kStart);
  auto goesOn = [&](ValueRange state) {
    Expr through = k(isIn(end)) | isDone();
    return (k(state[0]) < turns) & !through;
  };
  k.loopWhile(ValueRange{k.index(0)}, goesOn, [&](ValueRange state) {
    for (int64_t u = 0; u < unroll; ++u)
      for (State s = kStart + 1; s < states.size(); ++s)
        if (s != end && (u == 0 || isInner(s)))
          emit(s);
    return SmallVector<Value>{k(state[0]) + 1};
  });
  emit(end);
}

void ResumableCode::allocateSaved(int64_t count) {
  Type word = k.ir().getI32Type();
  savedCounter = k.allocateWorkgroup(word, count);
  for (auto &[value, slot] : slots)
    slot.saved = k.allocateWorkgroup(
        value.getType().isIndex() ? word : value.getType(), count);
}

void ResumableCode::save(Value at) {
  Type word = k.ir().getI32Type();
  k.storeWorkgroup(savedCounter, loadPrivate(k.ir(), k.loc(), counter, word),
                   at);
  for (auto &[value, slot] : slots) {
    Type type = value.getType().isIndex() ? word : value.getType();
    k.storeWorkgroup(slot.saved,
                     loadPrivate(k.ir(), k.loc(), slot.memory, type), at);
  }
}

void ResumableCode::restore(Value at) {
  Type word = k.ir().getI32Type();
  storePrivate(k.ir(), k.loc(), counter,
               k.loadWorkgroup(savedCounter, word, at));
  for (auto &[value, slot] : slots) {
    Type type = value.getType().isIndex() ? word : value.getType();
    storePrivate(k.ir(), k.loc(), slot.memory,
                 k.loadWorkgroup(slot.saved, type, at));
  }
}

Value ResumableCode::isSavedDone(Value at) {
  Type word = k.ir().getI32Type();
  return k(k.loadWorkgroup(savedCounter, word, at)) == kDone;
}

void ResumableCode::markSavedDone(Value at) {
  k.storeWorkgroup(savedCounter, k.word(kDone), at);
}
