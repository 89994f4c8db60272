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
  std::optional<APInt> trips =
      counted ? counted.getStaticTripCount() : std::nullopt;
  int64_t inside = countIterations(loop).value_or(0);
  return trips ? (1 + inside) * int64_t(trips->getLimitedValue(kShortLoop)) : 0;
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

Value LoopLimiter::word(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
}

Value LoopLimiter::load(Value memory) {
  return loadPrivate(b, loc, memory, b.getI32Type());
}

void LoopLimiter::store(Value value, Value memory) {
  storePrivate(b, loc, memory, value);
}

LoopLimiter::LoopLimiter(OpBuilder &b, Location loc, Value lanes)
    : b(b), loc(loc), left(allocatePrivate(b, loc, b.getI32Type())),
      ended(allocatePrivate(b, loc, b.getI32Type())) {
  shared = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  Value own = shared;
  if (lanes)
    own = arith::DivUIOp::create(b, loc, own, lanes);
  store(own, left);
  store(word(0), ended);
}

Value LoopLimiter::isAnyEnded() {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, load(ended),
                               word(0));
}

/// A loop was ended early if `isEnded`.
void LoopLimiter::noteEnd(Value isEnded) {
  Value bit = arith::ExtUIOp::create(b, loc, b.getI32Type(), isEnded);
  store(arith::OrIOp::create(b, loc, load(ended), bit), ended);
}

/// The iterations of a loop as a word, 2^31 - 1 if they are more.
static Value countTrips(OpBuilder &b, scf::ForOp loop) {
  Location loc = loop.getLoc();
  Type type = loop.getLowerBound().getType(), i32 = b.getI32Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  Value span =
      arith::SubIOp::create(b, loc, loop.getUpperBound(), loop.getLowerBound());
  if (getConstantIntValue(loop.getStep()) != 1) {
    Value whole = arith::DivUIOp::create(
        b, loc, arith::SubIOp::create(b, loc, span, constant(1)),
        loop.getStep());
    span = arith::AddIOp::create(b, loc, whole, constant(1));
  }
  Value any = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                    loop.getLowerBound(), loop.getUpperBound());
  Value trips = arith::SelectOp::create(b, loc, any, span, constant(0));
  if (type.isIndex())
    trips = arith::IndexCastOp::create(b, loc, i32, trips);
  unsigned width = type.isIndex() ? 32 : type.getIntOrFloatBitWidth();
  if (width < 32)
    return arith::ExtUIOp::create(b, loc, i32, trips);
  // Trips are read without a sign.
  Type wide = width > 32 ? type : i32;
  Value most =
      arith::ConstantOp::create(b, loc, b.getIntegerAttr(wide, INT32_MAX));
  trips = arith::MinUIOp::create(b, loc, trips, most);
  return width > 32 ? arith::TruncIOp::create(b, loc, i32, trips).getResult()
                    : trips;
}

void LoopLimiter::limitFor(scf::ForOp loop) {
  int64_t each = 1 + leastOf(all(*loop.getBody()));
  limitIn(*loop.getBody());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop);
  Value trips = countTrips(b, loop);
  Value now = load(left), most = now;
  if (each > 1)
    most = arith::DivUIOp::create(b, loc, now, word(each));
  Value fits =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, trips, most);
  Value price = arith::SelectOp::create(b, loc, fits, trips, word(0));
  if (each > 1)
    price = arith::MulIOp::create(b, loc, price, word(each));
  store(arith::SubIOp::create(b, loc, now, price), left);
  Value upper = arith::SelectOp::create(b, loc, fits, loop.getUpperBound(),
                                        loop.getLowerBound());
  loop.setUpperBound(upper);
  Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  noteEnd(arith::XOrIOp::create(b, loc, fits, yes));
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
  Value now = load(left);
  Value rest = arith::SubIOp::create(b, loc, now, word(each));
  Value canGo =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, rest, word(0));
  Value goes = arith::AndIOp::create(b, loc, test.getCondition(), canGo);
  store(arith::SelectOp::create(b, loc, goes, rest, now), left);
  test.getConditionMutable().assign(goes);
  b.setInsertionPointAfter(loop);
  noteEnd(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, load(left),
                                word(each)));
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
    store(arith::AddIOp::create(b, loc, before, owned.back()), left);
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
  store(arith::MinSIOp::create(b, loc, load(left), before), left);
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
