//===- ResumingMap.cpp - maps whose loops are longer than a driver's ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Such drivers count the turns of a subgroup. So a workgroup has many more
// lanes than elements: in the first round lane i computes element i of the
// tile, for so many turns as the driver surely allows. Elements that are not
// done then go on in the next rounds, kSlice at a time, each round in lanes
// that have not looped yet.
//
//===----------------------------------------------------------------------===//

#include "kernels/LongLoops.h"
#include "kernels/ResumableCode.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
/// Lanes of a subgroup of llvmpipe, whose vectors have 256 bits unless
/// LP_NATIVE_VECTOR_WIDTH says otherwise.
constexpr int64_t kSlice = 8;

/// Below 65,535, after which the driver ends the loops of a subgroup.
constexpr int64_t kBackEdges = 60000;

/// Operations that a turn of the machine holds: some 14 KB of SPIR-V.
constexpr int64_t kTurnOps = 540;
constexpr int64_t kMaxUnroll = 16;

class ResumingMap : RootEmitter {
public:
  ResumingMap(EmitterContext &context, Block &code)
      : RootEmitter(context), machine(context.kernel, code),
        elements(configureKernel(context.op).lanes) {}
  LogicalResult run();

private:
  LogicalResult layOut();
  Value turnsNow();
  void emitTile(Value tile);
  SmallVector<Value> emitRound(Value first, ValueRange state);
  Value countRest() { return k.loadWorkgroup(rest, word(), k.index(0)); }
  Type word() { return k.ir().getI32Type(); }

  ResumableCode machine;
  int64_t elements; ///< That a workgroup takes at once.
  int64_t rounds = 0, turns = 0, unroll = 1; ///< Rounds behind the first one.
  Value rest; ///< How many elements the first round has left,
  Value list; ///< and which.
};
} // namespace

/// How long the machine may run in a round.
LogicalResult ResumingMap::layOut() {
  int64_t tiles = llvm::divideCeil(c.config.elements, elements);
  int64_t perGroup = llvm::divideCeil(tiles, c.config.groups);
  int64_t most = (c.config.lanes - elements) / kSlice;
  if (machine.turnBackEdges() == 0)
    unroll = std::clamp<int64_t>(
        kTurnOps / std::max<int64_t>(machine.turnOps(), 1), 1, kMaxUnroll);
  int64_t eachTurn = 1 + unroll * machine.turnBackEdges();
  // A round without elements goes through all loops once.
  int64_t idle = 3 + eachTurn + machine.outsideBackEdges();
  int64_t budget = kBackEdges / perGroup;
  rounds = std::clamp<int64_t>(budget / 2 / idle - 1, 1, most);
  turns = (budget - (rounds + 1) * idle) / eachTurn;
  if (turns > 0)
    return success();
  return c.op.emitError("the loops of a body run too often for ")
         << c.config.elements << " elements (a lane takes " << perGroup
         << ", and some devices end loops after 65535 turns)";
}

/// How long the machine may run: less where several slices share a subgroup.
Value ResumingMap::turnsNow() {
  Value size = k.subgroupSize(), now = k.index(turns);
  for (int64_t slices : {2, 8})
    now = k.select(k.less(k.index(kSlice * slices / 2), size),
                   k.index(std::max<int64_t>(turns / slices, 1)), now);
  return now;
}

/// `state`: the round, the first place of the list that is worked on, and
/// whether work on it begins.
SmallVector<Value> ResumingMap::emitRound(Value first, ValueRange state) {
  Value round = state[0], base = state[1], begins = state[2];
  Value lane = k.laneId();
  int64_t own = elements;
  Value isFirst = k.equal(round, k.index(0));
  Value place = k.sub(lane, k.add(k.index(own - kSlice), k.mul(round, kSlice)));
  Value inSlice = k.both(k.negate(isFirst), k.less(place, k.index(kSlice)));
  Value slot = k.min(place, k.index(kSlice - 1));
  Value at = k.add(base, slot);
  Value listed = k.both(inSlice, k.less(at, k.toIndex(countRest())));
  Value next =
      k.toIndex(k.loadWorkgroup(list, word(), k.min(at, k.index(own - 1))));
  Value element = k.add(first, k.select(isFirst, lane, next));
  Value begun = k.both(k.both(isFirst, k.less(lane, k.index(own))),
                       k.less(element, k.index(c.config.elements)));
  Value active = k.either(begun, listed);
  machine.begin(active);
  k.ifThen(k.both(listed, k.negate(begins)), [&] { machine.restore(slot); });
  machine.run(element, turnsNow(), unroll);
  Value left = k.both(active, k.negate(machine.isDone()));
  k.ifThen(k.both(isFirst, left), [&] {
    Value free = k.atomicWorkgroup(arith::AtomicRMWKind::addi, rest, k.index(0),
                                   k.word(1));
    k.storeWorkgroup(list, k.toWord(lane), k.toIndex(free));
  });
  k.ifThen(inSlice, [&] { machine.save(slot); });
  k.workgroupBarrier();
  Value done = k.negate(isFirst);
  for (int64_t i = 0; i < kSlice; ++i)
    done = k.both(done, machine.isSavedDone(k.index(i)));
  k.workgroupBarrier();
  return {k.add(round, k.index(1)),
          k.add(base, k.select(done, k.index(kSlice), k.index(0))),
          k.either(done, isFirst)};
}

void ResumingMap::emitTile(Value tile) {
  Value isLeader = k.equal(k.laneId(), k.index(0));
  k.workgroupBarrier(); // All have read what the last tile has left.
  k.ifThen(isLeader, [&] { k.storeWorkgroup(rest, k.word(0), k.index(0)); });
  k.workgroupBarrier();
  Value first = k.mul(tile, elements);
  Value yes =
      arith::ConstantOp::create(k.ir(), k.loc(), k.ir().getBoolAttr(true));
  auto goesOn = [&](ValueRange state) {
    Value hasWork = k.less(state[1], k.toIndex(countRest()));
    return k.either(k.equal(state[0], k.index(0)),
                    k.both(hasWork, k.less(state[0], k.index(rounds + 1))));
  };
  SmallVector<Value> state =
      k.loopWhile({k.index(0), k.index(0), yes}, goesOn,
                  [&](ValueRange now) { return emitRound(first, now); });
  Value givenUp = k.less(state[1], k.toIndex(countRest()));
  k.ifThen(k.both(isLeader, givenUp),
           [&] { k.store(c.layout.scratch.front(), k.word(1), k.index(0)); });
}

LogicalResult ResumingMap::run() {
  if (failed(layOut()))
    return failure();
  machine.allocateSaved(kSlice);
  rest = k.allocateWorkgroup(word(), 1);
  list = k.allocateWorkgroup(word(), elements);
  int64_t tiles = llvm::divideCeil(c.config.elements, elements);
  if (tiles == c.config.groups)
    emitTile(k.groupId());
  else
    k.loop(k.groupId(), k.index(tiles), k.index(c.config.groups), {},
           [&](Value tile, ValueRange) {
             emitTile(tile);
             return SmallVector<Value>();
           });
  return success();
}

LogicalResult gpuvm::emitResumingMap(EmitterContext &c) {
  OpBuilder &b = c.kernel.ir();
  // Owns the code of an element, which the machine copies.
  Block code;
  Value i = code.addArgument(b.getIndexType(), c.kernel.loc());
  LogicalResult result = success();
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&code);
    result = emitElement(c, i);
  }
  return failed(result) ? result : ResumingMap(c, code).run();
}
