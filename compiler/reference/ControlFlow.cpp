//===- ControlFlow.cpp - scf.if, scf.for and scf.while on many elements ---===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A branch or a loop of a body is done for the points that take it, in runs of
// neighbours: a point that does not take it must not divide by zero there.
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/ScalarCode.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::gpuvm::reference;

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

FailureOr<ScalarCode::Steps>
ScalarCode::compileBlock(Block &block, const Environment &outside) {
  Steps own;
  std::swap(own, steps);
  LogicalResult result = success();
  for (Operation &op : block.without_terminator())
    if (succeeded(result))
      result = addStep(&op, outside);
  std::swap(own, steps);
  if (failed(result))
    return failure();
  return own;
}

LogicalResult ScalarCode::addMoves(Operation *user, ValueRange from,
                                   ValueRange to, const Environment &outside,
                                   Moves &moves) {
  for (auto [source, target] : llvm::zip_equal(from, to)) {
    std::optional<vm::DType> type = getDType(source.getType());
    if (!type)
      return user->emitOpError("hands over a ")
             << source.getType() << ", which the machine does not have";
    if (failed(addOutside(user, source, outside)))
      return failure();
    moves.push_back({static_cast<uint8_t *>(elements(target)),
                     static_cast<const uint8_t *>(elements(source)),
                     byteSize(*type), flagsOf.lookup(target),
                     flagsOf.lookup(source)});
  }
  return success();
}

void ScalarCode::move(const Moves &moves, int64_t first, int64_t count) {
  for (const Move &m : moves) {
    std::memcpy(m.to + first * m.bytes, m.from + first * m.bytes,
                count * m.bytes);
    if (m.toFlags)
      std::memcpy(m.toFlags + first, m.fromFlags + first, count);
  }
}

/// Calls `visit` for each longest run of points in [first, first + count) that
/// agree in `flags`, with the flag.
template <typename Visit>
static LogicalResult forEachRun(const uint8_t *flags, int64_t first,
                                int64_t count, const Visit &visit) {
  int64_t end = first + count;
  for (int64_t at = first, next; at < end; at = next) {
    uint8_t flag = flags[at];
    for (next = at + 1; next < end && flags[next] == flag;)
      ++next;
    if (failed(visit(at, next - at, flag != 0)))
      return failure();
  }
  return success();
}

static bool hasAny(const uint8_t *flags, int64_t first, int64_t count) {
  return std::memchr(flags + first, 1, count) != nullptr;
}

//===----------------------------------------------------------------------===//
// scf.if
//===----------------------------------------------------------------------===//

LogicalResult ScalarCode::addIf(Operation *op, const Environment &outside) {
  auto branch = cast<scf::IfOp>(op);
  if (failed(addOutside(op, branch.getCondition(), outside)))
    return failure();
  for (Value result : branch.getResults())
    addValue(result);
  Region taken[2];
  Block *blocks[2] = {branch.elseBlock(), branch.thenBlock()};
  for (auto [region, block] : llvm::zip_equal(taken, blocks)) {
    if (!block)
      continue;
    FailureOr<Steps> compiled = compileBlock(*block, outside);
    if (failed(compiled))
      return failure();
    region.steps = std::move(*compiled);
    if (failed(addMoves(op, block->getTerminator()->getOperands(),
                        branch.getResults(), outside, region.moves)))
      return failure();
  }
  auto *flags = static_cast<const uint8_t *>(elements(branch.getCondition()));
  steps.push_back(requireStep(op, branch.getCondition()));
  steps.push_back(
      [=, otherwise = taken[0], then = taken[1]](int64_t first, int64_t count) {
        return forEachRun(
            flags, first, count,
            [&](int64_t at, int64_t length, bool flag) -> LogicalResult {
              const Region &region = flag ? then : otherwise;
              if (failed(run(region.steps, at, length)))
                return failure();
              move(region.moves, at, length);
              return success();
            });
      });
  return success();
}

//===----------------------------------------------------------------------===//
// scf.for
//===----------------------------------------------------------------------===//

namespace {
/// The numbers that a loop counts with: `index` and integers, signed.
struct Counter {
  uint8_t *values;
  uint64_t bytes;

  int64_t get(int64_t point) const {
    uint64_t value = 0;
    std::memcpy(&value, values + point * bytes, bytes);
    unsigned unused = 64 - 8 * bytes;
    return static_cast<int64_t>(value << unused) >> unused;
  }
  void set(int64_t point, int64_t value) const {
    std::memcpy(values + point * bytes, &value, bytes);
  }
};
} // namespace

/// The next number; none if the type does not hold it.
static std::optional<int64_t> advance(const Counter &counter, int64_t value,
                                      int64_t step) {
  int64_t next;
  if (llvm::AddOverflow(value, step, next))
    return std::nullopt;
  int64_t most = INT64_MAX >> (64 - 8 * counter.bytes);
  return next > most ? std::nullopt : std::optional(next);
}

LogicalResult ScalarCode::addFor(Operation *op, const Environment &outside) {
  auto loop = cast<scf::ForOp>(op);
  if (loop.getUnsignedCmp())
    return op->emitOpError("with an unsigned comparison is not known");
  for (Value bound :
       {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}) {
    if (failed(addOutside(op, bound, outside)))
      return failure();
    steps.push_back(requireStep(op, bound));
  }
  auto counterOf = [&](Value value) {
    return Counter{static_cast<uint8_t *>(elements(value)),
                   byteSize(*getDType(value.getType()))};
  };
  addValue(loop.getInductionVar());
  Moves begin, yield, store; // By way of buffers: values may change places.
  for (auto [argument, result] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults())) {
    values[result] = addValue(argument);
    flagsOf[result] = flags(argument);
  }
  if (failed(addMoves(op, loop.getInitArgs(), loop.getRegionIterArgs(), outside,
                      begin)))
    return failure();
  FailureOr<Steps> body = compileBlock(*loop.getBody(), outside);
  if (failed(body) ||
      failed(addMoves(op, loop.getYieldedValues(), loop.getRegionIterArgs(),
                      outside, yield)))
    return failure();
  for (Move &m : yield) {
    auto *buffer = static_cast<uint8_t *>(addBuffer());
    auto *flags = m.toFlags ? static_cast<uint8_t *>(addBuffer()) : nullptr;
    store.push_back({m.to, buffer, m.bytes, m.toFlags, flags});
    m.to = buffer;
    m.toFlags = flags;
  }
  Counter i = counterOf(loop.getInductionVar());
  Counter lower = counterOf(loop.getLowerBound());
  Counter upper = counterOf(loop.getUpperBound());
  Counter step = counterOf(loop.getStep());
  auto *active = static_cast<uint8_t *>(addBuffer());
  auto advanceAll = [=](int64_t at, int64_t length) -> LogicalResult {
    for (int64_t p = at; p < at + length; ++p) {
      std::optional<int64_t> next = advance(i, i.get(p), step.get(p));
      active[p] = next && *next < upper.get(p);
      if (!next)
        return op->emitOpError("counts past the greatest number of its type");
      i.set(p, *next);
    }
    return success();
  };
  auto iterate = [=, limit = limit, body = std::move(*body)](
                     int64_t at, int64_t length, bool goesOn) -> LogicalResult {
    if (!goesOn)
      return success();
    if (failed(limit->take(op, (1 + body.size()) * length)) ||
        failed(run(body, at, length)))
      return failure();
    move(yield, at, length);
    move(store, at, length);
    return advanceAll(at, length);
  };
  steps.push_back([=](int64_t first, int64_t count) -> LogicalResult {
    move(begin, first, count);
    for (int64_t p = first; p < first + count; ++p) {
      if (step.get(p) <= 0)
        return op->emitOpError("counts in steps of ") << step.get(p);
      i.set(p, lower.get(p));
      active[p] = lower.get(p) < upper.get(p);
    }
    while (hasAny(active, first, count))
      if (failed(forEachRun(active, first, count, iterate)))
        return failure();
    return success();
  });
  return success();
}

//===----------------------------------------------------------------------===//
// scf.while
//===----------------------------------------------------------------------===//

LogicalResult ScalarCode::addWhile(Operation *op, const Environment &outside) {
  auto loop = cast<scf::WhileOp>(op);
  auto add = [&](ValueRange list) {
    for (Value value : list)
      addValue(value);
  };
  add(loop.getBeforeArguments());
  add(loop.getAfterArguments());
  add(loop.getResults());
  Moves begin, leave;
  Region before, after;
  if (failed(addMoves(op, loop.getInits(), loop.getBeforeArguments(), outside,
                      begin)))
    return failure();
  FailureOr<Steps> test = compileBlock(*loop.getBeforeBody(), outside);
  scf::ConditionOp condition = loop.getConditionOp();
  if (failed(test) ||
      failed(addOutside(op, condition.getCondition(), outside)) ||
      failed(addMoves(op, condition.getArgs(), loop.getAfterArguments(),
                      outside, before.moves)) ||
      failed(
          addMoves(op, condition.getArgs(), loop.getResults(), outside, leave)))
    return failure();
  FailureOr<Steps> body = compileBlock(*loop.getAfterBody(), outside);
  if (failed(body) ||
      failed(addMoves(op, loop.getYieldOp().getOperands(),
                      loop.getBeforeArguments(), outside, after.moves)))
    return failure();
  before.steps = std::move(*test);
  after.steps = std::move(*body);
  auto *active = static_cast<uint8_t *>(addBuffer());
  auto *holds =
      static_cast<const uint8_t *>(elements(condition.getCondition()));
  Step isKnown = requireStep(op, condition.getCondition());
  uint64_t stepsOfTurn = 1 + before.steps.size() + after.steps.size();
  auto decide = [=, limit = limit](int64_t at, int64_t length,
                                   bool goesOn) -> LogicalResult {
    if (!goesOn)
      return success();
    if (failed(limit->take(op, stepsOfTurn * length)) ||
        failed(run(before.steps, at, length)) || failed(isKnown(at, length)))
      return failure();
    return forEachRun(holds, at, length,
                      [&](int64_t p, int64_t n, bool again) -> LogicalResult {
                        std::memset(active + p, again, n);
                        move(again ? before.moves : leave, p, n);
                        return success();
                      });
  };
  auto iterate = [=](int64_t at, int64_t length, bool goesOn) -> LogicalResult {
    if (!goesOn)
      return success();
    if (failed(run(after.steps, at, length)))
      return failure();
    move(after.moves, at, length);
    return success();
  };
  steps.push_back([=](int64_t first, int64_t count) -> LogicalResult {
    move(begin, first, count);
    std::memset(active + first, 1, count);
    while (hasAny(active, first, count))
      if (failed(forEachRun(active, first, count, decide)) ||
          failed(forEachRun(active, first, count, iterate)))
        return failure();
    return success();
  });
  return success();
}

LogicalResult ScalarCode::addControlFlow(Operation *op,
                                         const Environment &outside) {
  if (isa<scf::IfOp>(op))
    return addIf(op, outside);
  if (isa<scf::ForOp>(op))
    return addFor(op, outside);
  if (isa<scf::WhileOp>(op))
    return addWhile(op, outside);
  return op->emitError("the interpreter does not know ")
         << op->getName() << " inside " << op->getParentOp()->getName();
}
