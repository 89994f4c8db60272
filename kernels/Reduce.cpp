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

#include "kernels/Emitter.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {

/// One accumulator: result `number` of reduction `op`.
struct Accumulator {
  linalg::GenericOp op;
  unsigned number;
  Operation *combine; ///< Null if the order is sequential.
  Value element;      ///< What is combined, a value of the body.
  Type type;
  Value workgroup; ///< kLanes elements of workgroup memory.
};

class ReduceEmitter {
public:
  explicit ReduceEmitter(EmitterContext &context);
  LogicalResult run();

private:
  using Values = SmallVector<Value>; ///< One per accumulator.

  // Layouts.
  void emitSequential();
  void emitGroupPerResult();
  void emitParts();

  // Loops.
  Values reducePart(Value result, Value part);
  Value inRow(Value row);
  Values accumulateRows(Values values, Value result, Value first, Value end,
                        int64_t count);
  Values accumulateRow(Values values, Value result, Value row);
  Values accumulateLeftover(Values values, Value result, Value owner);
  Values sequentialBody(Values values, Value result, Value element);
  void combineLanes(Values values, function_ref<void(Values totals)> use);
  void foldPartials(Value result);
  void finish(Values totals, Value result);
  void storeByProducts(ElementEmitter::Point at, Value condition);

  // Parts.
  ElementEmitter::Point loopPoint(Value result, LaneIndex element);
  ElementEmitter::Point resultPoint(Value result);
  Value identity(const Accumulator &accumulator);
  Value combine(const Accumulator &accumulator, Value a, Value b);
  Values identities();
  FailureOr<SmallVector<Lanes>> elementsAt(ElementEmitter::Point at,
                                           int64_t lanes);
  bool check(LogicalResult result) {
    failed_ |= failed(result);
    return succeeded(result);
  }

  EmitterContext &c;
  KernelBuilder &k;
  linalg::GenericOp first;
  SmallVector<Accumulator> accumulators;
  SmallVector<std::pair<Value, unsigned>> byProducts, results; // value, binding
  Value lane;
  Value last; ///< Workgroup memory: whether this workgroup is the last one.
  bool failed_ = false;
};

} // namespace

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

Value ReduceEmitter::combine(const Accumulator &accumulator, Value a, Value b) {
  IRMapping mapping;
  linalg::GenericOp op = accumulator.op;
  BlockArgument out = op.getRegionOutputArgs()[accumulator.number];
  bool accumulatorFirst = accumulator.combine->getOperand(0) == out;
  mapping.map(accumulator.combine->getOperand(0), accumulatorFirst ? a : b);
  mapping.map(accumulator.combine->getOperand(1), accumulatorFirst ? b : a);
  return k.ir().clone(*accumulator.combine, mapping)->getResult(0);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> rangesOf(linalg::GenericOp op,
                                     utils::IteratorType wanted) {
  SmallVector<int64_t> ranges;
  for (auto [range, iterator] :
       llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (iterator == wanted)
      ranges.push_back(range);
  return ranges;
}

/// Takes a row-major position apart, the last index first.
static SmallVector<LaneIndex> delinearize(KernelBuilder &k, LaneIndex position,
                                          ArrayRef<int64_t> shape) {
  SmallVector<LaneIndex> indices(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    if (dim == 0) {
      indices[0] = position;
      break;
    }
    indices[dim] = {k.rem(position.base, shape[dim]), position.stride,
                    std::gcd(position.divisor, shape[dim])};
    position = {k.div(position.base, shape[dim]), 0, 1};
  }
  return indices;
}

ElementEmitter::Point ReduceEmitter::loopPoint(Value result,
                                               LaneIndex element) {
  SmallVector<int64_t> loops = first.getStaticLoopRanges();
  if (c.config.flat) {
    if (c.config.results == 1)
      return c.elements.flatPoint(element, loops);
    LaneIndex flat = {k.add(k.mul(result, c.config.elements), element.base),
                      element.stride,
                      std::gcd(element.divisor, c.config.elements)};
    return c.elements.flatPoint(flat, loops);
  }
  auto parallel = rangesOf(first, utils::IteratorType::parallel);
  auto reduction = rangesOf(first, utils::IteratorType::reduction);
  SmallVector<LaneIndex> outer = delinearize(k, {result, 0, 1}, parallel);
  SmallVector<LaneIndex> inner = delinearize(k, element, reduction);
  SmallVector<LaneIndex> indices;
  auto nextOuter = outer.begin(), nextInner = inner.begin();
  for (utils::IteratorType iterator : first.getIteratorTypesArray())
    indices.push_back(iterator == utils::IteratorType::parallel ? *nextOuter++
                                                                : *nextInner++);
  return c.elements.point(indices, loops);
}

/// The place of a result in the tensor of results.
ElementEmitter::Point ReduceEmitter::resultPoint(Value result) {
  auto parallel = rangesOf(first, utils::IteratorType::parallel);
  SmallVector<LaneIndex> outer = delinearize(k, {result, 0, 1}, parallel);
  SmallVector<LaneIndex> indices;
  auto next = outer.begin();
  for (utils::IteratorType iterator : first.getIteratorTypesArray())
    indices.push_back(iterator == utils::IteratorType::parallel
                          ? *next++
                          : LaneIndex{k.index(0), 0, 1});
  OpOperand *init = first.getDpsInitOperand(0);
  return c.elements.throughMap(
      c.elements.point(indices, first.getStaticLoopRanges()),
      first.getMatchingIndexingMap(init),
      cast<RankedTensorType>(init->get().getType()).getShape());
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
         eachResult);
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
  Values totals =
      k.loop(lane, k.index(parts), k.index(KernelConfig::kLanes), identities(),
             [&](Value part, ValueRange carried) {
               Values next;
               Value at = k.add(k.mul(result, parts), part);
               for (auto [i, a] : llvm::enumerate(accumulators))
                 next.push_back(combine(
                     a, carried[i], k.load(c.layout.scratch[i], a.type, at)));
               return next;
             });
  combineLanes(totals, [&](Values totals) {
    Value zero =
        arith::ConstantOp::create(k.ir(), k.loc(), k.ir().getI32IntegerAttr(0));
    k.store(counter, zero, result);
    finish(totals, result);
  });
}

//===----------------------------------------------------------------------===//
// The loop over a part
//===----------------------------------------------------------------------===//

ReduceEmitter::Values ReduceEmitter::reducePart(Value result, Value part) {
  constexpr int64_t row = ReductionOrder::kElementsPerRow;
  const ReductionOrder &order = c.config.order;
  int64_t fullRows = c.config.elements / row;
  int64_t fullTurns = fullRows / order.rowsPerTurn();
  // This lane group's first row in a turn.
  Value group = k.div(lane, ReductionOrder::kLaneGroup);
  auto firstRow = [&](Value turn) {
    return k.add(k.mul(turn, order.rowsPerTurn()),
                 k.mul(group, order.rowsPerGroup));
  };
  Values values = identities();
  if (fullTurns > 0)
    values = k.loop(part, k.index(fullTurns), k.index(order.parts), values,
                    [&](Value turn, ValueRange carried) {
                      Value first = firstRow(turn);
                      Value end = k.add(first, k.index(order.rowsPerGroup));
                      return accumulateRows(Values(carried), result, first, end,
                                            order.rowsPerGroup);
                    });
  if (c.config.elements == fullTurns * order.rowsPerTurn() * row)
    return values;
  // The last turn, which has fewer rows or an incomplete one.
  Value owner = k.equal(part, k.index(fullTurns % order.parts));
  Value first = k.min(firstRow(k.index(fullTurns)), k.index(fullRows));
  Value end =
      k.min(k.add(first, k.index(order.rowsPerGroup)), k.index(fullRows));
  end = arith::SelectOp::create(k.ir(), k.loc(), owner, end, first);
  if (fullRows % order.rowsPerTurn() != 0)
    values = accumulateRows(values, result, first, end, /*count=*/0);
  if (c.config.elements == fullRows * row)
    return values;
  int64_t ownerGroup = fullRows % order.rowsPerTurn() / order.rowsPerGroup;
  owner = arith::AndIOp::create(k.ir(), k.loc(), owner,
                                k.equal(group, k.index(ownerGroup)));
  return accumulateLeftover(values, result, owner);
}

/// Rows [first, end): `count` of them, or any number if `count` is 0.
ReduceEmitter::Values ReduceEmitter::accumulateRows(Values values, Value result,
                                                    Value first, Value end,
                                                    int64_t count) {
  int64_t unroll = count == 0 ? 1 : std::min(c.config.unroll, count);
  auto bundle = [&](Value row, ValueRange carried) {
    Values next(carried);
    c.elements.begin(c.config.vector);
    for (int64_t u = 0; u < unroll; ++u)
      next = accumulateRow(next, result, k.add(row, k.index(u)));
    return next;
  };
  if (unroll == count)
    return bundle(first, values);
  return k.loop(first, end, k.index(unroll), values, bundle);
}

FailureOr<SmallVector<Lanes>>
ReduceEmitter::elementsAt(ElementEmitter::Point at, int64_t lanes) {
  SmallVector<Lanes> all;
  for (Accumulator &a : accumulators) {
    // The accumulators are not part of the elements; anything stands for them.
    SmallVector<Lanes> unused;
    for (Accumulator &other : accumulators)
      if (other.op == a.op)
        unused.push_back(Lanes(lanes, identity(other)));
    auto elements = c.elements.emitBody(a.op, at, a.element, unused);
    if (failed(elements))
      return failure();
    all.push_back(elements->front());
  }
  return all;
}

/// The first element of this lane in a row.
Value ReduceEmitter::inRow(Value row) {
  return k.add(k.mul(row, ReductionOrder::kElementsPerRow),
               k.mul(k.rem(lane, ReductionOrder::kLaneGroup),
                     ReductionOrder::kElementsPerLane));
}

ReduceEmitter::Values ReduceEmitter::accumulateRow(Values values, Value result,
                                                   Value row) {
  int64_t vector = c.config.vector;
  Value base = inRow(row);
  for (int64_t v = 0; v < ReductionOrder::kElementsPerLane; v += vector) {
    ElementEmitter::Point at =
        loopPoint(result, {k.add(base, k.index(v)), 1, vector});
    auto elements = elementsAt(at, vector);
    if (!check(elements))
      return values;
    for (auto [i, a] : llvm::enumerate(accumulators))
      for (Value element : (*elements)[i])
        values[i] = combine(a, values[i], element);
    storeByProducts(at, Value());
  }
  return values;
}

/// The elements behind the last full row: they belong to one lane group, and a
/// lane without an element combines the identity.
ReduceEmitter::Values
ReduceEmitter::accumulateLeftover(Values values, Value result, Value owner) {
  Value limit = k.index(c.config.elements);
  Value base =
      inRow(k.index(c.config.elements / ReductionOrder::kElementsPerRow));
  auto body = [&](Value v, ValueRange carried) {
    Value element = k.add(base, v);
    Value valid = k.less(element, limit);
    Value clamped = k.min(element, k.index(c.config.elements - 1));
    c.elements.begin(1);
    ElementEmitter::Point at = loopPoint(result, {clamped, 0, 1});
    auto elements = elementsAt(at, 1);
    if (!check(elements))
      return Values(carried);
    Values next;
    for (auto [i, a] : llvm::enumerate(accumulators)) {
      Value chosen = arith::SelectOp::create(
          k.ir(), k.loc(), valid, (*elements)[i].front(), identity(a));
      next.push_back(combine(a, carried[i], chosen));
    }
    storeByProducts(at, valid);
    return next;
  };
  Value count = arith::SelectOp::create(
      k.ir(), k.loc(), owner, k.index(ReductionOrder::kElementsPerLane),
      k.index(0));
  return k.loop(k.index(0), count, k.index(1), values, body);
}

/// Stores the elementwise results at `at`, if `condition` (when given) holds.
void ReduceEmitter::storeByProducts(ElementEmitter::Point at, Value condition) {
  for (auto [value, binding] : byProducts) {
    FailureOr<Lanes> elements = c.elements.emit(value, at);
    if (!check(elements))
      return;
    LaneIndex where = c.elements.position(at);
    int64_t count = elements->size();
    auto storeAll = [&, target = binding] {
      if (count > 1 && where.stride == 1 && where.divisor % count == 0)
        return k.storeVector(target, *elements, where.base);
      for (int64_t lane = 0; lane < count; ++lane)
        k.store(target, (*elements)[lane],
                k.add(where.base, k.index(lane * where.stride)));
    };
    if (condition)
      k.ifThen(condition, storeAll);
    else
      storeAll();
  }
}

//===----------------------------------------------------------------------===//
// Combining lanes and finishing
//===----------------------------------------------------------------------===//

/// Combines the lanes' values, 16 neighbours and then the 16 groups, and has
/// lane 0 use the totals.
void ReduceEmitter::combineLanes(Values values,
                                 function_ref<void(Values totals)> use) {
  constexpr int64_t group = ReductionOrder::kLaneGroup;
  auto fold = [&](const Accumulator &a, int64_t stride) {
    Value first = k.mul(lane, group * stride);
    auto next = [&](Value j, ValueRange total) -> Values {
      Value at = k.add(first, k.mul(j, stride));
      return {
          combine(a, total.front(), k.loadWorkgroup(a.workgroup, a.type, at))};
    };
    return k
        .loop(k.index(1), k.index(group), k.index(1),
              {k.loadWorkgroup(a.workgroup, a.type, first)}, next)
        .front();
  };
  for (auto [i, a] : llvm::enumerate(accumulators))
    k.storeWorkgroup(a.workgroup, values[i], lane);
  k.workgroupBarrier();
  k.ifThen(k.less(lane, k.index(group)), [&] {
    for (Accumulator &a : accumulators)
      k.storeWorkgroup(a.workgroup, fold(a, 1), k.mul(lane, group));
  });
  k.workgroupBarrier();
  k.ifThen(k.equal(lane, k.index(0)), [&] {
    Values totals;
    for (Accumulator &a : accumulators)
      totals.push_back(fold(a, group));
    use(totals);
  });
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
