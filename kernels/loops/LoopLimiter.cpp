//===- LoopLimiter.cpp - loops that end before a driver ends them ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An scf.for is paid for when it begins, an scf.while in each turn. A turn also
// pays for the last tests of the loops in it, so one that has nothing left to
// pay with costs nothing more.
//
//===----------------------------------------------------------------------===//

#include "kernels/loops/LoopLimiter.h"

#include "kernels/builder/PrivateMemory.h"
#include "kernels/loops/LongLoops.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Whether `op` is a loop that is limited.
static bool isLimited(Operation *op) {
  return isa<scf::ForOp, scf::WhileOp>(op) && mayRunLong(op);
}

using Code = llvm::iterator_range<Block::iterator>;

static Code all(Block &block) { return {block.begin(), block.end()}; }

/// Calls `visit` with the outermost loops of `code`, in branches as well.
static void forEachLoop(Code code, function_ref<void(Operation *)> visit) {
  for (Operation &op : llvm::make_early_inc_range(code)) {
    if (isa<scf::ForOp, scf::WhileOp>(op)) {
      visit(&op);
      continue;
    }
    for (mlir::Region &region : op.getRegions())
      for (Block &inner : region)
        forEachLoop(all(inner), visit);
  }
}

/// How often `loop`, which is not limited, runs with those in it.
static int64_t countShort(Operation *loop) {
  auto counted = dyn_cast<scf::ForOp>(loop);
  std::optional<int64_t> trips =
      counted ? mostIterations(counted) : std::nullopt;
  int64_t inside = countIterations(loop).value_or(0);
  return trips ? (1 + inside) * std::min(*trips, kShortLoop) : 0;
}

/// What the loops of `code` take at least, each one's last test counted.
static int64_t leastOf(Code code) {
  int64_t least = 0;
  forEachLoop(code, [&](Operation *loop) {
    if (!isLimited(loop))
      least += 1 + countShort(loop);
    else if (auto test = dyn_cast<scf::WhileOp>(loop))
      least += 1 + leastOf(all(*test.getBeforeBody()));
    else
      least += 1;
  });
  return least;
}

static bool holdsLimited(Operation *loop) {
  return loop
      ->walk([&](Operation *op) {
        return op != loop && isLimited(op) ? WalkResult::interrupt()
                                           : WalkResult::advance();
      })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

Expr LoopLimiter::load(Value memory) {
  return e(loadPrivate(b, loc, memory, b.getI32Type()));
}

void LoopLimiter::store(Value value, Value memory) {
  storePrivate(b, loc, memory, value);
}

LoopLimiter::LoopLimiter(OpBuilder &b, Location loc, Value lanes)
    : b(b), loc(loc), e(b, loc), left(allocatePrivate(b, loc, b.getI32Type())),
      ended(allocatePrivate(b, loc, b.getI32Type())) {
  shared = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  Value own = shared;
  if (lanes)
    own = e(own) / lanes;
  store(own, left);
  store(e.word(0), ended);
}

Value LoopLimiter::isAnyEnded() { return load(ended) != 0; }

/// A loop was ended early if `isEnded`.
void LoopLimiter::noteEnd(Value isEnded) {
  Expr bit = e(isEnded).extend(b.getI32Type());
  store(load(ended) | bit, ended);
}

/// The iterations of a loop as a word, 2^31 - 1 if they are more.
static Expr countTrips(OpBuilder &builder, scf::ForOp loop) {
  ExprBuilder b(builder, loop.getLoc());
  Expr lower = b(loop.getLowerBound()), upper = b(loop.getUpperBound());
  Expr span = upper - lower;
  if (getConstantIntValue(loop.getStep()) != 1)
    span = (span - 1) / loop.getStep() + 1;
  Expr trips = select(lessSigned(lower, upper), span, 0);
  if (trips.getType().isIndex())
    trips = trips.signedToWord();
  Type i32 = builder.getI32Type();
  // Trips are read without a sign.
  return trips.width() < 32 ? trips.extend(i32)
                            : min(trips, INT32_MAX).truncate(i32);
}

using P = arith::CmpIPredicate;

void LoopLimiter::limitFor(scf::ForOp loop) {
  int64_t each = 1 + leastOf(all(*loop.getBody()));
  limitIn(*loop.getBody());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop);
  Expr trips = countTrips(b, loop), now = load(left);
  Expr most = each > 1 ? now / each : now;
  Expr fits = e.make<arith::CmpIOp>(P::sle, trips, most);
  Expr price = select(fits, trips, 0);
  if (each > 1)
    price = price * each;
  store(now - price, left);
  loop.setUpperBound(select(fits, loop.getUpperBound(), loop.getLowerBound()));
  noteEnd(!fits);
}

/// One that has nothing left to pay for a turn counts as ended early, though it
/// may have been over.
void LoopLimiter::limitWhile(scf::WhileOp loop) {
  int64_t each = 1 + leastOf(all(*loop.getBeforeBody())) +
                 leastOf(all(*loop.getAfterBody()));
  limitIn(*loop.getBeforeBody());
  limitIn(*loop.getAfterBody());
  OpBuilder::InsertionGuard guard(b);
  scf::ConditionOp test = loop.getConditionOp();
  b.setInsertionPoint(test);
  Expr now = load(left), rest = now - each;
  Expr canGo = e.make<arith::CmpIOp>(P::sge, rest, e.word(0));
  Expr goes = e(test.getCondition()) & canGo;
  store(select(goes, rest, now), left);
  test.getConditionMutable().assign(goes);
  b.setInsertionPointAfter(loop);
  noteEnd(lessSigned(load(left), each));
}

/// A loop that holds no other runs in all lanes of a subgroup at once: what it
/// has for itself counts once, not for each lane.
void LoopLimiter::limitTop(Operation *loop) {
  bool owns = !holdsLimited(loop);
  Value before;
  if (owns) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop);
    before = load(left);
    owned.push_back(arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0)));
    store(e(before) + owned.back().getResult(), left);
    numOwned += times;
  }
  Operation *next = loop->getNextNode();
  if (auto counted = dyn_cast<scf::ForOp>(loop))
    limitFor(counted);
  else
    limitWhile(cast<scf::WhileOp>(loop));
  if (!owns)
    return;
  OpBuilder::InsertionGuard guard(b);
  if (next)
    b.setInsertionPoint(next);
  store(minSigned(load(left), before), left);
}

void LoopLimiter::limitIn(Block &block) {
  forEachLoop(all(block), [&](Operation *loop) {
    if (!isLimited(loop))
      return;
    if (auto counted = dyn_cast<scf::ForOp>(loop))
      limitFor(counted);
    else
      limitWhile(cast<scf::WhileOp>(loop));
  });
}

Value LoopLimiter::limit(Operation *after, int64_t runs) {
  times = runs;
  Block &block = *b.getInsertionBlock();
  auto from = after ? std::next(after->getIterator()) : block.begin();
  Code code = {from, b.getInsertionPoint()};
  fixed += times * leastOf(code);
  forEachLoop(code, [&](Operation *loop) {
    if (isLimited(loop))
      limitTop(loop);
  });
  return isAnyEnded();
}

LogicalResult LoopLimiter::finish(int64_t total, int64_t others) {
  int64_t free = total - fixed - others;
  int64_t own = numOwned ? free / 2 / numOwned : 0;
  for (arith::ConstantOp constant : owned)
    constant.setValueAttr(b.getI32IntegerAttr(std::max<int64_t>(own, 0)));
  shared.setValueAttr(
      b.getI32IntegerAttr(std::max<int64_t>(free - own * numOwned, 0)));
  return success(free > 0);
}
