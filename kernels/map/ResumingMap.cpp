//===- ResumingMap.cpp - the elements of maps whose loops run long --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes of the map have left elements to this kernel. Drivers count the turns
// of a subgroup, so a workgroup has many more lanes than it looks after: in the
// first round lane i makes what lane i has left, for so many turns as the
// driver surely allows. What is not done then goes on in the next rounds,
// kSlice at a time, each round in lanes that have not looped yet.
//
//===----------------------------------------------------------------------===//

#include "kernels/loops/LongLoops.h"
#include "kernels/loops/ResumableCode.h"
#include "kernels/map/MapEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
/// Lanes of a subgroup of llvmpipe, whose vectors have 256 bits unless
/// LP_NATIVE_VECTOR_WIDTH says otherwise.
constexpr int64_t kSlice = 8;

/// Operations that a turn of the machine holds: some 14 KB of SPIR-V.
constexpr int64_t kTurnOps = 540;
constexpr int64_t kMaxUnroll = 16;

/// An element may loop so often in any case (docs/arithmetic.md).
constexpr int64_t kLeastIterations = 1'000'000;

class ResumingMap : RootEmitter {
public:
  ResumingMap(EmitterContext &context, Block &code)
      : RootEmitter(context), code(code),
        own(lanesOfResuming(context.layout.elements)) {}
  LogicalResult run();

private:
  void layOut();
  int64_t tryLayout(bool cutsAll);
  Value turnsNow();
  SmallVector<Value> emitRound(Value first, ValueRange state);
  void finish(Value first, Value isGivenUp);
  Value countRest() { return k.loadWorkgroup(rest, word(), k.index(0)); }
  Type word() { return k.ir().getI32Type(); }

  Block &code;
  std::optional<ResumableCode> machine;
  int64_t own; ///< Lanes that a workgroup looks after.
  int64_t rounds = 0, turns = 0, unroll = 1; ///< Rounds behind the first one.
  Value rest; ///< How many of them the first round has left,
  Value list; ///< and which.
};
} // namespace

/// How long the machine may run in a round; how often an element may loop at
/// least.
int64_t ResumingMap::tryLayout(bool cutsAll) {
  machine.emplace(k, code, cutsAll);
  int64_t most = (c.layout.lanes - own) / kSlice;
  if (machine->turnBackEdges() == 0)
    unroll = std::clamp<int64_t>(
        (kTurnOps - machine->turnOps()) / machine->innerOps() + 1, 1,
        kMaxUnroll);
  int64_t eachTurn = 1 + unroll * machine->turnBackEdges();
  // A round without work goes through all loops once.
  int64_t idle = 3 + eachTurn + machine->outsideBackEdges();
  rounds = std::clamp<int64_t>(kMaxSubgroupIterations / 2 / idle - 1, 1, most);
  turns = (kMaxSubgroupIterations - (rounds + 1) * idle) / eachTurn;
  // Where a lane makes several elements, that is a loop around those of each.
  bool several = c.layout.groups * own < c.layout.elements;
  return (rounds + 1) * turns * machine->leastIterations(/*inside=*/several);
}

/// Each turn of the machine pays for the short loops of all its states, whether
/// the lane comes to them or not, so they are cut where that leaves too little.
void ResumingMap::layOut() {
  if (tryLayout(/*cutsAll=*/false) < kLeastIterations)
    tryLayout(/*cutsAll=*/true);
}

/// How long the machine may run: less where several slices share a subgroup.
Value ResumingMap::turnsNow() {
  Value size = k.subgroupSize(), now = k.index(turns);
  for (int64_t slices : {2, 8})
    now = select(kSlice * slices / 2 < k(size),
                 k.index(std::max<int64_t>(turns / slices, 1)), now);
  return now;
}

/// What lanes from `first` on have left. `state`: the round, the first place of
/// the list that is worked on, and whether work on it begins.
SmallVector<Value> ResumingMap::emitRound(Value first, ValueRange state) {
  Value round = state[0], base = state[1], begins = state[2];
  Expr lane = k.laneId();
  Expr isFirst = k(round) == 0;
  Expr place = lane - (k.index(own - kSlice) + k(round) * kSlice);
  Expr inSlice = !isFirst & (place < kSlice);
  Value slot = min(place, kSlice - 1);
  Expr at = k(base) + slot;
  Expr listed = inSlice & (at < k(countRest()).toIndex());
  Value next = k(k.loadWorkgroup(list, word(), min(at, own - 1))).toIndex();
  Value mine = k(first) + min(lane, own - 1);
  Value hasLeft = !(k(k.load(c.bindings.scratch[0], word(), mine)) == 0);
  Expr begun = isFirst & (lane < own) & hasLeft;
  Expr active = begun | listed;
  machine->begin(active);
  k.ifThen(listed & !k(begins), [&] { machine->restore(slot); });
  machine->run(k(first) + select(isFirst, lane, next), turnsNow(), unroll);
  Value isLeft = active & !k(machine->isDone());
  k.ifThen(isFirst & isLeft, [&] {
    Value free = k.atomicWorkgroup(arith::AtomicRMWKind::addi, rest, k.index(0),
                                   k.word(1));
    k.storeWorkgroup(list, lane.toWord(), k(free).toIndex());
  });
  k.ifThen(inSlice, [&] { machine->save(slot); });
  k.workgroupBarrier();
  Value done = !isFirst;
  for (int64_t i = 0; i < kSlice; ++i)
    done = k(done) & machine->isSavedDone(k.index(i));
  k.workgroupBarrier();
  return {k(round) + 1, k(base) + select(k(done), k.index(kSlice), 0),
          k(done) | isFirst};
}

/// Leaves all words as they were before the map. The last workgroup takes back
/// the count of all.
void ResumingMap::finish(Value first, Value isGivenUp) {
  unsigned words = c.bindings.scratch[1];
  auto store = [&](LoopWord which, uint32_t value) {
    k.store(words, k.word(value), k.index(which));
  };
  k.ifThen(k.laneId() < own, [&] {
    k.store(c.bindings.scratch[0], k.word(0), k(first) + k.laneId());
  });
  k.ifThen(k.laneId() == 0, [&] {
    k.ifThen(isGivenUp, [&] { store(kUnfinished, 1); });
    Value before = k.atomicIncrement(words, k.index(kArrived));
    k.ifThen(k(before) == c.layout.groups - 1, [&] {
      store(kGroups, 0);
      store(kArrived, 0);
    });
  });
}

LogicalResult ResumingMap::run() {
  layOut();
  machine->allocateSaved(kSlice);
  rest = k.allocateWorkgroup(word(), 1);
  list = k.allocateWorkgroup(word(), own);
  k.ifThen(k.laneId() == 0,
           [&] { k.storeWorkgroup(rest, k.word(0), k.index(0)); });
  k.workgroupBarrier();
  Value first = k.groupId() * own;
  Value yes =
      arith::ConstantOp::create(k.ir(), k.loc(), k.ir().getBoolAttr(true));
  auto goesOn = [&](ValueRange state) {
    Expr hasWork = k(state[1]) < k(countRest()).toIndex();
    return (k(state[0]) == 0) | (hasWork & (k(state[0]) < rounds + 1));
  };
  SmallVector<Value> state =
      k.loopWhile({k.index(0), k.index(0), yes}, goesOn,
                  [&](ValueRange now) { return emitRound(first, now); });
  finish(first, k(state[1]) < k(countRest()).toIndex());
  return success();
}

/// All that lane `lane` of the map has left.
static LogicalResult emitLeft(EmitterContext &c, Value lane) {
  KernelBuilder &k = c.kernel;
  int64_t lanes = c.layout.groups * lanesOfResuming(c.layout.elements);
  if (lanes >= c.layout.elements)
    return emitElement(c, lane);
  Value word = k.load(c.bindings.scratch[0], k.ir().getI32Type(), lane);
  Expr stored = (k(word) - 1).toIndex();
  LogicalResult result = success();
  k.loop(k(lane) + stored * lanes, k.index(c.layout.elements), k.index(lanes),
         {}, [&](Value i, ValueRange) {
           result = emitElement(c, i);
           return SmallVector<Value>();
         });
  return result;
}

LogicalResult gpuvm::emitResumingMap(EmitterContext &c) {
  OpBuilder &b = c.kernel.ir();
  // Owns the code of a lane, which the machine copies.
  Block code;
  Value lane = code.addArgument(b.getIndexType(), c.kernel.loc());
  LogicalResult result = success();
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&code);
    result = emitLeft(c, lane);
  }
  return failed(result) ? result : ResumingMap(c, code).run();
}
