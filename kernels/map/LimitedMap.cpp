//===- LimitedMap.cpp - maps that leave elements whose loops run long -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a driver ends loops. llvmpipe before Mesa 24.3 runs both sides of every
// branch, and a loop's body once more for no lane, so an element is written out
// once, and what a lane leaves is said at its end, in plain stores. Elements
// are dealt as those of a map without vectors are, whose workgroups may be
// fewer.
//
//===----------------------------------------------------------------------===//

#include "kernels/builder/PrivateMemory.h"
#include "kernels/loops/LongLoops.h"
#include "kernels/loops/LoopLimiter.h"
#include "kernels/map/MapEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class LimitedMap : RootEmitter {
public:
  explicit LimitedMap(EmitterContext &context)
      : RootEmitter(context),
        limiter(k.ir(), k.loc(), k.subgroupSize().toWord()),
        lanes(c.layout.groups * c.layout.lanes),
        times(llvm::divideCeil(c.layout.elements, lanes)) {}
  LogicalResult run();

private:
  void emitElement(Value i);
  void leave(Value thread);

  LoopLimiter limiter;
  int64_t lanes, times; ///< A lane takes so many elements at most.
  Value stored;         ///< How many it has stored: memory of an invocation.
};
} // namespace

void LimitedMap::emitElement(Value i) {
  OpBuilder &b = k.ir();
  Block::iterator at = b.getInsertionPoint();
  Operation *before =
      at == b.getInsertionBlock()->begin() ? nullptr : &*std::prev(at);
  auto mayStore = [&] {
    Expr yes = !k(limiter.limit(before, times));
    if (times > 1) {
      Value one = select(yes, k.word(1), k.word(0));
      Value count = loadPrivate(b, k.loc(), stored, b.getI32Type());
      storePrivate(b, k.loc(), stored, k(count) + one);
    }
    return yes;
  };
  check(gpuvm::emitElement(c, i, mayStore));
}

/// Says what lane `thread` leaves, if it does.
void LimitedMap::leave(Value thread) {
  Value count = k.word(1);
  if (times > 1)
    count =
        k(loadPrivate(k.ir(), k.loc(), stored, k.ir().getI32Type())) + count;
  k.ifThen(limiter.isAnyEnded(), [&] {
    k.store(c.bindings.scratch[0], count, thread);
    k.store(c.bindings.scratch[1],
            k.word(lanes / lanesOfResuming(c.layout.elements)),
            k.index(kGroups));
  });
}

LogicalResult LimitedMap::run() {
  Expr thread = k.groupId() * c.layout.lanes + k.laneId();
  Value end = k.index(c.layout.elements);
  if (times > 1) {
    stored = allocatePrivate(k.ir(), k.loc(), k.ir().getI32Type());
    storePrivate(k.ir(), k.loc(), stored, k.word(0));
    k.loop(
        thread, end, k.index(lanes), {},
        [&](Value i, ValueRange) {
          emitElement(i);
          return SmallVector<Value>();
        },
        /*runs=*/true);
  } else if (lanes == c.layout.elements) {
    emitElement(thread);
  } else {
    k.ifThen(thread < end, [&] { emitElement(thread); });
  }
  leave(thread);
  if (failed(limiter.finish(kMaxSubgroupIterations, times + 1)))
    return c.op.emitError("the loops of a body run too often for ")
           << c.layout.elements << " elements (a lane takes " << times
           << ", and some devices end loops after 65535 turns)";
  return failure(failed_);
}

LogicalResult gpuvm::emitLimitedMap(EmitterContext &c) {
  return LimitedMap(c).run();
}
