//===- Reduce.cpp - kernels around reductions -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One or more reductions over the same loops, with elementwise producers read
// through, elementwise by-products stored on the way, and elementwise consumers
// of the results as the epilogue. docs/reduction-order.md fixes the order;
// three layouts follow from it:
//
//  - sequential: a lane per result;
//  - one part: a workgroup per result;
//  - several parts: a workgroup per part writes a partial; the last workgroup
//    of a result to finish (a counter tells) combines the partials
//    and sets the counter back to zero for the next execution.
//
//===----------------------------------------------------------------------===//

#include "kernels/ReduceEmitter.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

/// Whether `value` depends on the result of a reduction.
static bool followsReduction(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (generic && generic.getNumReductionLoops() != 0)
    return true;
  return llvm::any_of(op->getOperands(), followsReduction);
}

ReduceEmitter::ReduceEmitter(EmitterContext &context)
    : c(context), k(context.kernel) {
  for (linalg::GenericOp op : getReductions(c.op)) {
    if (!first)
      first = op;
    std::optional<Combiner> combiner = matchCombiner(op);
    for (auto [i, init] : llvm::enumerate(op.getDpsInits())) {
      Type type = cast<RankedTensorType>(init.getType()).getElementType();
      bool tree = !c.config.order.sequential;
      accumulators.push_back(
          {op, static_cast<unsigned>(i), tree ? combiner->ops[i] : nullptr,
           tree ? combiner->elements[i] : Value(), type, Value()});
    }
  }
  auto yield = cast<YieldOp>(c.op.getBody().front().getTerminator());
  SmallVector<int64_t> loops = first.getStaticLoopRanges();
  for (auto [value, binding] :
       llvm::zip_equal(yield.getValues(), c.layout.outputs)) {
    bool overLoops =
        !followsReduction(value) &&
        cast<RankedTensorType>(value.getType()).getShape() == ArrayRef(loops);
    (overLoops ? byProducts : results).push_back({value, binding});
  }
}

LogicalResult ReduceEmitter::run() {
  lane = k.laneId();
  if (!c.config.order.sequential)
    for (Accumulator &accumulator : accumulators)
      accumulator.workgroup =
          k.allocateWorkgroup(accumulator.type, KernelConfig::kLanes);
  if (c.config.order.sequential)
    emitSequential();
  else if (c.config.order.parts == 1)
    emitGroupPerResult();
  else
    emitParts();
  return failure(failed_);
}

/// x such that combine(x, a) = a, bit for bit.
Value ReduceEmitter::identity(const Accumulator &accumulator) {
  Type type = accumulator.type;
  OpBuilder &b = k.ir();
  Operation *op = accumulator.combine;
  auto floating = [&](auto make) {
    auto floatType = cast<FloatType>(type);
    return arith::ConstantOp::create(
        b, k.loc(), b.getFloatAttr(type, make(floatType.getFloatSemantics())));
  };
  auto integer = [&](APInt value) {
    return arith::ConstantOp::create(b, k.loc(), b.getIntegerAttr(type, value));
  };
  if (isa<arith::AddFOp>(op))
    return floating([](auto &s) { return APFloat::getZero(s, true); });
  if (isa<arith::MulFOp>(op))
    return floating([](auto &s) { return APFloat(s, 1); });
  if (isa<arith::MinimumFOp>(op))
    return floating([](auto &s) { return APFloat::getInf(s); });
  if (isa<arith::MaximumFOp>(op))
    return floating([](auto &s) { return APFloat::getInf(s, true); });
  if (isa<arith::MinNumFOp, arith::MaxNumFOp>(op))
    return floating([](auto &s) { return APFloat::getNaN(s); });
  unsigned width = type.getIntOrFloatBitWidth();
  if (isa<arith::MulIOp>(op))
    return integer(APInt(width, 1));
  if (isa<arith::AndIOp, arith::MinUIOp>(op))
    return integer(APInt::getAllOnes(width));
  if (isa<arith::MinSIOp>(op))
    return integer(APInt::getSignedMaxValue(width));
  if (isa<arith::MaxSIOp>(op))
    return integer(APInt::getSignedMinValue(width));
  return integer(APInt::getZero(width)); // addi, ori, xori, maxui
}

ReduceEmitter::Values ReduceEmitter::identities() {
  return llvm::to_vector(llvm::map_range(
      accumulators, [&](const Accumulator &a) { return identity(a); }));
}

/// The body's operation on an accumulator and an element; numbers are flushed
/// where the body flushes them.
Value ReduceEmitter::combine(const Accumulator &accumulator, Value a, Value b) {
  Operation *op = accumulator.combine;
  auto flushIf = [&](bool flushes, Value value) -> Value {
    return flushes ? FlushOp::create(k.ir(), k.loc(), value) : value;
  };
  if (op->getOperand(0) == accumulator.element)
    std::swap(a, b);
  IRMapping mapping;
  for (auto [operand, value] : llvm::zip_equal(op->getOperands(), Values{a, b}))
    mapping.map(operand, flushIf(operand.getDefiningOp<FlushOp>(), value));
  Value result = k.ir().clone(*op, mapping)->getResult(0);
  return flushIf(isa<FlushOp>(*op->user_begin()), result);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

void ReduceEmitter::emitSequential() {
  Value thread = k.add(k.mul(k.groupId(), KernelConfig::kLanes), lane);
  auto eachResult = [&](Value result, ValueRange) {
    c.elements.begin(1);
    ElementEmitter::Point at = resultPoint(result);
    Values start;
    for (Accumulator &a : accumulators) {
      auto init = c.elements.emit(a.op.getDpsInits()[a.number], at);
      if (!check(init))
        return Values();
      start.push_back(init->front());
    }
    Values totals =
        k.loop(k.index(0), k.index(c.config.elements), k.index(1), start,
               [&](Value element, ValueRange carried) {
                 return sequentialBody(Values(carried), result, element);
               });
    finish(totals, result);
    return Values();
  };
  k.loop(thread, k.index(c.config.results),
         k.index(c.config.groups * KernelConfig::kLanes), {}, eachResult);
}

ReduceEmitter::Values ReduceEmitter::sequentialBody(Values values, Value result,
                                                    Value element) {
  c.elements.begin(1);
  ElementEmitter::Point at = loopPoint(result, {element, 0, 1});
  Values next;
  for (linalg::GenericOp op : getReductions(c.op)) {
    SmallVector<Lanes> carried;
    for (unsigned i = 0; i < op.getNumDpsInits(); ++i)
      carried.push_back({values[next.size() + i]});
    auto yielded = c.elements.emitBody(
        op, at, op.getBody()->getTerminator()->getOperands(), carried);
    if (!check(yielded))
      return values;
    for (Lanes &lanes : *yielded)
      next.push_back(lanes.front());
  }
  storeByProducts(at, Value());
  return next;
}

void ReduceEmitter::emitGroupPerResult() {
  auto eachResult = [&](Value result, ValueRange) {
    combineLanes(reducePart(result, k.index(0)),
                 [&](Values totals) { finish(totals, result); });
    k.workgroupBarrier(); // Workgroup memory is used again.
    return Values();
  };
  k.loop(k.groupId(), k.index(c.config.results), k.index(c.config.groups), {},
         eachResult, /*runs=*/true);
}

void ReduceEmitter::emitParts() {
  int64_t parts = c.config.order.parts;
  last = k.allocateWorkgroup(k.ir().getI32Type(), 1);
  Value group = k.groupId();
  Value result = k.div(group, parts), part = k.rem(group, parts);
  unsigned counter = c.layout.scratch.back();
  combineLanes(reducePart(result, part), [&](Values totals) {
    for (auto [i, total] : llvm::enumerate(totals)) {
      k.store(c.layout.scratch[i], total, group);
      k.markCoherent(c.layout.scratch[i]);
    }
    k.deviceMemoryBarrier(); // The partials come before the count.
    Value count = k.atomicIncrement(counter, result);
    k.storeWorkgroup(last, count, k.index(0));
  });
  k.workgroupBarrier();
  Value count = k.loadWorkgroup(last, k.ir().getI32Type(), k.index(0));
  Value limit = arith::ConstantOp::create(k.ir(), k.loc(),
                                          k.ir().getI32IntegerAttr(parts - 1));
  k.ifThen(k.equal(count, limit), [&] { foldPartials(result); });
}

void ReduceEmitter::foldPartials(Value result) {
  int64_t parts = c.config.order.parts;
  unsigned counter = c.layout.scratch.back();
  k.deviceMemoryBarrier(); // The count comes before the partials.
  static_assert(KernelConfig::kLanes == ReductionOrder::kLanes);
  Value valid = k.less(lane, k.index(parts));
  Value at = k.add(k.mul(result, parts), k.min(lane, k.index(parts - 1)));
  Values totals;
  for (auto [i, a] : llvm::enumerate(accumulators)) {
    Value partial = k.load(c.layout.scratch[i], a.type, at);
    totals.push_back(
        arith::SelectOp::create(k.ir(), k.loc(), valid, partial, identity(a)));
  }
  combineLanes(totals, [&](Values totals) {
    Value zero =
        arith::ConstantOp::create(k.ir(), k.loc(), k.ir().getI32IntegerAttr(0));
    k.store(counter, zero, result);
    finish(totals, result);
  });
}

//===----------------------------------------------------------------------===//
// Combining lanes and finishing
//===----------------------------------------------------------------------===//

/// Combines the lanes' values, 16 neighbours and then the 16 groups, and has
/// lane 0 use the totals.
void ReduceEmitter::combineLanes(Values values,
                                 function_ref<void(Values totals)> use) {
  constexpr int64_t group = ReductionOrder::kLaneGroup;
  auto load = [&](Value at) {
    Values loaded;
    for (Accumulator &a : accumulators)
      loaded.push_back(k.loadWorkgroup(a.workgroup, a.type, at));
    return loaded;
  };
  auto store = [&](Values stored, Value at) {
    for (auto [a, value] : llvm::zip_equal(accumulators, stored))
      k.storeWorkgroup(a.workgroup, value, at);
  };
  auto fold = [&](int64_t stride) {
    Value first = k.mul(lane, group * stride);
    return k.loop(k.index(1), k.index(group), k.index(1), load(first),
                  [&](Value j, ValueRange totals) {
                    Values next = load(k.add(first, k.mul(j, stride)));
                    for (auto [i, a] : llvm::enumerate(accumulators))
                      next[i] = combine(a, totals[i], next[i]);
                    return next;
                  });
  };
  store(values, lane);
  k.workgroupBarrier();
  k.ifThen(k.less(lane, k.index(group)),
           [&] { store(fold(1), k.mul(lane, group)); });
  k.workgroupBarrier();
  k.ifThen(k.equal(lane, k.index(0)), [&] { use(fold(group)); });
}

/// init combined with the total, the epilogue, and the stores; one lane.
void ReduceEmitter::finish(Values totals, Value result) {
  c.elements.begin(1);
  ElementEmitter::Point at = resultPoint(result);
  for (auto [a, total] : llvm::zip_equal(accumulators, totals)) {
    Value whole = total;
    if (a.combine) {
      auto init = c.elements.emit(a.op.getDpsInits()[a.number], at);
      if (!check(init))
        return;
      whole = combine(a, init->front(), total);
    }
    c.elements.bind(a.op->getResult(a.number), whole);
  }
  for (auto [value, binding] : results) {
    FailureOr<Lanes> element = c.elements.emit(value, at);
    if (!check(element))
      return;
    k.store(binding, element->front(), c.elements.position(at).base);
  }
}

/// Lavapipe (Mesa 22.3) ends the loops of an invocation after 65,536 iterations
/// in all, without a word; what would need more is refused.
static constexpr int64_t kMaxIterations = 65000;

LogicalResult gpuvm::emitReduce(EmitterContext &context) {
  const KernelConfig &config = context.config;
  int64_t lanes = config.groups * KernelConfig::kLanes;
  int64_t iterations =
      int64_t(llvm::divideCeil(config.results, lanes)) * config.elements;
  if (config.order.sequential && iterations > kMaxIterations)
    return context.op.emitError("a lane takes ")
           << iterations << " elements one after the other, more than "
           << kMaxIterations
           << ": the reduction's body is no associative operation, or it has "
              "too many results";
  return ReduceEmitter(context).run();
}
