//===- DeepHalos.cpp - one exchange for several iterations ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A repeat that needs a few rows of neighbours in each iteration may get as
// many as several iterations need at once, and compute those between again:
// blocks have a margin then, which is right for one row less after each row of
// a neighbour that is read.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Target.h"
#include "passes/program/Partitioner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::gpuvm;

/// Whether all that ranks exchange in the body of a repeat is halos.
static bool exchangesHalos(RepeatOp plain) {
  bool has = false;
  WalkResult result = plain.getBody().walk([&](Operation *op) {
    has |= isa<UpdateHaloOp>(op);
    bool isOther = op->hasTrait<IsExchange>() && !isa<UpdateHaloOp>(op);
    return isOther || isa<RepeatOp>(op) ? WalkResult::interrupt()
                                        : WalkResult::advance();
  });
  return has && !result.wasInterrupted();
}

/// A block with a margin; what is whole stays so.
Value Partitioner::widen(Value block, Axis axis, const Margin &wanted) {
  if (!axis)
    return block;
  RankedTensorType type = payloadType(block.getType());
  return UpdateHaloOp::create(
      b, block.getLoc(),
      withRows(type, *axis, type.getDimSize(*axis) + 2 * wanted.rows), block,
      *axis, wanted.rows, wanted.rows, wanted.wraps);
}

/// The rows of its margin that an iteration makes wrong; none if blocks with a
/// margin cannot say what the next ones are.
std::optional<int64_t> Partitioner::findLoss(RepeatOp repeat, RepeatOp plain,
                                             ArrayRef<Axis> cuts) {
  llvm::StringSet<> before = names;
  size_t numRemarks = remarks.size();
  SmallVector<Value> initial;
  for (auto [block, axis] : llvm::zip_equal(plain.getInitial(), cuts))
    initial.push_back(widen(block, axis, margin));
  isMarginRefused = false;
  RepeatOp copy = build(repeat, initial, cuts);
  int64_t loss = 0;
  for (auto [value, axis] :
       llvm::zip_equal(repeat.getNext().getValues(), cuts)) {
    if (axisOf(value) != axis)
      refuseMargin();
    loss = std::max(loss, lossOf(value));
  }
  // At the seam a row of a window would be one of either end.
  if (margin.wraps && margin.hasEnds)
    refuseMargin();
  copy.erase();
  names = before;
  remarks.resize(numRemarks);
  if (isMarginRefused)
    return std::nullopt;
  return loss;
}

/// The operations on numbers in the body of a repeat, as many as take the time
/// of one: functions take that of several.
static double countOperations(RepeatOp plain) {
  constexpr double kFunction = 8;
  double operations = 0;
  plain.getBody().walk([&](linalg::GenericOp loops) {
    double each = 0;
    loops.getBody()->walk([&](Operation *op) {
      if (isa<math::MathDialect>(op->getDialect()))
        each += kFunction;
      else if (isa<arith::ArithDialect>(op->getDialect()) &&
               !isa<arith::ConstantOp>(op))
        ++each;
    });
    for (int64_t range : loops.getStaticLoopRanges())
      each *= static_cast<double>(range);
    operations += each;
  });
  return operations;
}

/// The nanoseconds that a row of all iteration values takes in one iteration:
/// it is read and written, or computed, which a device does with some numbers
/// while it moves a byte.
static double estimateRow(TargetAttr target, RepeatOp plain, int64_t block,
                          int64_t rowBytes) {
  constexpr double kPerByte = 4;
  double bytes =
      std::max(2 * static_cast<double>(rowBytes),
               countOperations(plain) / static_cast<double>(block) / kPerByte);
  return 1e3 * bytes / static_cast<double>(target.getBytesPerUs());
}

/// Into how many iterations an exchange is best divided: each of them computes
/// the rows of the margin, too. A divisor of all of them.
static int64_t chooseIterations(TargetAttr target, int64_t times, int64_t loss,
                                int64_t block, double row) {
  double exchange =
      static_cast<double>(target.getExchangeNs() + target.getDispatchNs());
  int64_t best = 1;
  double least = exchange;
  constexpr int64_t kMost = 64;
  for (int64_t k = 2; k <= std::min(times, kMost) && k * loss <= block / 2;
       ++k) {
    if (times % k != 0)
      continue;
    auto count = static_cast<double>(k);
    double cost =
        exchange / count + 2 * count * static_cast<double>(loss) * row;
    if (cost < least) {
      best = k;
      least = cost;
    }
  }
  return best;
}

/// The rows of `value` without `rows` of them at either end of an axis.
static Value withoutMargin(Partitioner &all, OpBuilder &b, Value value,
                           int64_t axis, int64_t rows) {
  RankedTensorType type = payloadType(value.getType());
  auto *body = new Block;
  Location loc = value.getLoc();
  Value wide = body->addArgument(type, loc);
  OpBuilder inside(b.getContext());
  inside.setInsertionPointToStart(body);
  Value own = sliceRows(inside, loc, wide, axis, inside.getIndexAttr(rows),
                        type.getDimSize(axis) - 2 * rows);
  SendOp::create(inside, loc, own);
  return all.addStage(loc, all.uniqueName("own"), value, body)
      .getMessages()
      .front();
}

std::optional<SmallVector<Value>>
Partitioner::deepen(RepeatOp repeat, RepeatOp plain, ArrayRef<Axis> cuts) {
  auto times = static_cast<int64_t>(repeat.getTimes());
  bool isNumbered =
      repeat.getBody().getNumArguments() != repeat.getInitial().size();
  if (margin.rows != 0 || isNumbered || repeat.getNext().getUntil() ||
      times < 2 || !exchangesHalos(plain))
    return std::nullopt;
  Margin wanted;
  wanted.rows = 1;
  int64_t rowBytes = 0;
  for (auto [value, axis] : llvm::zip_equal(repeat.getInitial(), cuts)) {
    if (!axis)
      continue;
    RankedTensorType type = payloadType(value.getType());
    int64_t length = type.getDimSize(*axis);
    if (wanted.length != 0 && wanted.length != length)
      return std::nullopt;
    wanted.length = length;
    rowBytes += static_cast<int64_t>(tensorBytes(type)) / length;
  }
  if (wanted.length == 0)
    return std::nullopt;
  OpBuilder::InsertionGuard guard(b);
  margin = wanted;
  std::optional<int64_t> loss = findLoss(repeat, plain, cuts);
  widened.clear(); // Of another margin.
  wanted.wraps = margin.wraps;
  margin = {};
  int64_t block = wanted.length / ranks;
  if (!loss || *loss == 0)
    return std::nullopt;
  TargetAttr target = getMainTarget(repeat);
  int64_t k = chooseIterations(target, times, *loss, block,
                               estimateRow(target, plain, block, rowBytes));
  if (k == 1)
    return std::nullopt;
  wanted.rows = k * *loss;
  // The repeat of exchanges, around that of iterations.
  Location loc = repeat.getLoc();
  auto outer = cast<RepeatOp>(b.cloneWithoutRegions(*repeat.getOperation()));
  outer.setSymName(uniqueName(repeat.getSymName() + ".exchanges"));
  outer.setTimes(times / k);
  outer->setOperands(plain.getInitial());
  for (auto [result, type] :
       llvm::zip_equal(outer.getLast(), plain->getResultTypes()))
    result.setType(type);
  Block *body = b.createBlock(&outer.getBody());
  SmallVector<Value> wide;
  for (auto [result, axis] : llvm::zip_equal(outer.getLast(), cuts)) {
    Value carried = body->addArgument(result.getType(), loc);
    wide.push_back(widen(carried, axis, wanted));
  }
  margin = wanted;
  RepeatOp inner = build(repeat, wide, cuts);
  inner.setTimes(k);
  close(repeat, inner, cuts);
  margin = {};
  widened.clear();
  SmallVector<Value> own;
  for (auto [value, axis] : llvm::zip_equal(inner.getLast(), cuts))
    own.push_back(axis ? withoutMargin(*this, b, value, *axis, wanted.rows)
                       : Value(value));
  NextOp::create(b, loc, own, Value());
  return SmallVector<Value>(outer.getLast());
}
