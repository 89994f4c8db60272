//===- ReduceCombine.cpp - what combines two values, and all lanes' -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/reduce/ReduceEmitter.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// What lanes begin with
//===----------------------------------------------------------------------===//

/// x such that op(x, a) = a, bit for bit.
Expr ReduceEmitter::identity(Operation *op) {
  Type type = op->getResult(0).getType();
  auto constant = [&](auto number) { return e.constant(type, number); };
  using Limits = std::numeric_limits<double>;
  if (isa<arith::AddFOp>(op))
    return constant(-0.0);
  if (isa<arith::MulFOp, arith::MulIOp>(op))
    return constant(1);
  if (isa<arith::MinimumFOp>(op))
    return constant(Limits::infinity());
  if (isa<arith::MaximumFOp>(op))
    return constant(-Limits::infinity());
  if (isa<arith::MinNumFOp, arith::MaxNumFOp>(op))
    return constant(Limits::quiet_NaN());
  if (isa<arith::AndIOp, arith::MinUIOp>(op))
    return constant(-1);
  unsigned width = type.getIntOrFloatBitWidth();
  if (isa<arith::MinSIOp>(op))
    return constant(llvm::maxIntN(width));
  if (isa<arith::MaxSIOp>(op))
    return constant(llvm::minIntN(width));
  return constant(0); // addi, ori, xori, maxui
}

/// The outputs' initial values, as partial results that come before all
/// elements.
ReduceEmitter::Values ReduceEmitter::initials(ElementEmitter::Point at) {
  Values values;
  for (const Reduction &reduction : reductions) {
    linalg::GenericOp op = reduction.op;
    for (auto [init, accumulator] :
         llvm::zip_equal(op.getDpsInits(), op.getRegionOutputArgs())) {
      auto value = c.elements.emit(init, at);
      values.push_back(check(value) ? value->front()
                                    : e.constant(accumulator.getType(), 0));
    }
    if (!reduction.combiner)
      continue;
    for (size_t i = 0; i < reduction.combiner->choices.size(); ++i)
      values.push_back(e.word(-1));
    for (size_t i = 0; i < reduction.combiner->claims.size(); ++i)
      values.push_back(e.truth(true));
  }
  return values;
}

/// What a lane has before its first element: an identity; the initial value,
/// which only a better element replaces; nothing.
ReduceEmitter::Values ReduceEmitter::startValues(Value result) {
  c.elements.begin(1);
  bool chooses = llvm::any_of(reductions, [](const Reduction &reduction) {
    return !reduction.combiner->choices.empty();
  });
  Values values;
  if (chooses)
    values = initials(resultPoint(result));
  else
    for (const Slot &slot : slots)
      values.push_back(e.constant(slot.type, 0));
  for (const Reduction &reduction : reductions) {
    const Combiner &combiner = *reduction.combiner;
    for (auto [i, op] : llvm::enumerate(combiner.ops))
      if (op)
        values[reduction.firstSlot + i] = identity(op);
    unsigned flag = reduction.firstSlot + reduction.numAccumulators +
                    combiner.choices.size();
    for (size_t i = 0; i < combiner.claims.size(); ++i)
      values[flag + i] = e.truth(false);
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Two partial results
//===----------------------------------------------------------------------===//

/// `op`, which the body applies to an accumulator and `element`, applied to `a`
/// and `b`; numbers are flushed where the body flushes them.
Value ReduceEmitter::apply(Operation *op, Value element, Value a, Value b) {
  auto flushIf = [&](bool flushes, Value value) -> Value {
    return flushes ? FlushOp::create(k.ir(), k.loc(), value) : value;
  };
  if (skipFlush(op->getOperand(0)) == skipFlush(element))
    std::swap(a, b);
  IRMapping mapping;
  for (auto [operand, value] : llvm::zip_equal(op->getOperands(), Values{a, b}))
    mapping.map(operand, flushIf(operand.getDefiningOp<FlushOp>(), value));
  Value result = k.ir().clone(*op, mapping)->getResult(0);
  return flushIf(llvm::any_of(op->getUsers(), llvm::IsaPred<FlushOp>), result);
}

/// Whether `element` beats `key`.
Expr ReduceEmitter::beats(const Choice &choice, Value element, Value key) {
  if (auto *integer = std::get_if<arith::CmpIPredicate>(&choice.predicate))
    return e.make<arith::CmpIOp>(*integer, element, key);
  if (choice.flushes) {
    element = e.make<FlushOp>(element);
    key = e.make<FlushOp>(key);
  }
  return e.make<arith::CmpFOp>(std::get<arith::CmpFPredicate>(choice.predicate),
                               element, key);
}

/// Whether what was chosen in `b` takes the place of what was chosen in `a`,
/// whichever elements these had: of equal keys the number decides.
Expr ReduceEmitter::replaces(const Choice &choice, ArrayRef<Value> a,
                             ArrayRef<Value> b, unsigned hidden) {
  Expr bBeats = beats(choice, b[choice.key], a[choice.key]);
  Expr loses = !beats(choice, a[choice.key], b[choice.key]);
  Expr own = e(a[hidden]), other = e(b[hidden]);
  using P = arith::CmpIPredicate;
  if (!choice.keepsTies) // Both beat each other if they are equal.
    return bBeats & (loses | e.make<arith::CmpIOp>(P::sgt, other, own));
  Expr isFirst = lessSigned(other, own);
  Expr isElement = e.make<arith::CmpIOp>(P::sge, other, e.word(0));
  return bBeats | (loses & (isFirst & isElement));
}

void ReduceEmitter::applyChoice(const Choice &choice, Value element,
                                MutableArrayRef<Value> next, ArrayRef<Value> b,
                                unsigned hidden, bool ascends, Value valid) {
  // Elements in ascending order are what the body is written for.
  Expr wins = ascends ? beats(choice, b[choice.key], next[choice.key])
                      : replaces(choice, next, b, hidden);
  if (valid)
    wins = wins & valid;
  Value key = next[choice.key];
  for (unsigned i : choice.accumulators)
    next[i] = select(wins, b[i], next[i]);
  next[hidden] = select(wins, b[hidden], next[hidden]);
  if (!choice.extremum)
    return;
  Value other = valid ? select(e(valid), b[choice.key], key) : b[choice.key];
  next[choice.key] = apply(choice.extremum, element, key, other);
}

/// The body once more, with the accumulators of `b` as elements. There is no
/// identity; `hidden` says whether there is anything.
void ReduceEmitter::applyClaim(const Reduction &reduction, const Claim &claim,
                               MutableArrayRef<Value> next, ArrayRef<Value> b,
                               unsigned hidden, Value valid) {
  linalg::GenericOp op = reduction.op;
  IRMapping mapping;
  for (unsigned i : claim.accumulators) {
    mapping.map(Value(op.getRegionOutputArgs()[i]), next[i]);
    mapping.map(reduction.combiner->elements[i], b[i]);
  }
  for (Operation *inner : claim.ops) {
    for (Value operand : inner->getOperands())
      if (!mapping.contains(operand) && matchPattern(operand, m_Constant()))
        k.ir().clone(*operand.getDefiningOp(), mapping);
    k.ir().clone(*inner, mapping);
  }
  Expr isThere = e(b[hidden]);
  if (valid)
    isThere = isThere & valid;
  Operation *yield = op.getBody()->getTerminator();
  for (unsigned i : claim.accumulators) {
    Value combined = mapping.lookup(yield->getOperand(i));
    Expr both = select(e(next[hidden]), combined, b[i]);
    next[i] = select(isThere, both, next[i]);
  }
  next[hidden] = e(next[hidden]) | isThere;
}

/// `a` and `b`, one value per slot, combined. `ascends`: the elements of `b`
/// come after those of `a`. `valid`, if given: whether there is a `b`.
ReduceEmitter::Values ReduceEmitter::combine(const Values &a, const Values &b,
                                             bool ascends, Value valid) {
  Values next(a);
  for (const Reduction &reduction : reductions) {
    const Combiner &combiner = *reduction.combiner;
    unsigned first = reduction.firstSlot, hidden = reduction.numAccumulators;
    size_t count = hidden + combiner.choices.size() + combiner.claims.size();
    auto own = MutableArrayRef(next).slice(first, count);
    auto other = ArrayRef(b).slice(first, count);
    for (auto [i, op] : llvm::enumerate(combiner.ops))
      if (op) {
        Value element =
            valid ? select(e(valid), other[i], identity(op)) : other[i];
        own[i] = apply(op, combiner.elements[i], own[i], element);
      }
    for (const Choice &choice : combiner.choices)
      applyChoice(choice, combiner.elements[choice.key], own, other, hidden++,
                  ascends, valid);
    for (const Claim &claim : combiner.claims)
      applyClaim(reduction, claim, own, other, hidden++, valid);
  }
  return next;
}

//===----------------------------------------------------------------------===//
// All lanes
//===----------------------------------------------------------------------===//

/// Where workgroup memory has the value of `lane`. Lane groups are an odd
/// number of words apart: lanes that fold one each read from different banks.
Value ReduceEmitter::slotOf(Value lane) {
  return k(lane) + k(lane) / ReductionOrder::kLaneGroup;
}
int64_t ReduceEmitter::slotsFor(int64_t lanes) {
  return lanes + lanes / ReductionOrder::kLaneGroup;
}

ReduceEmitter::Values ReduceEmitter::loadSlots(Value at) {
  Values loaded;
  for (const Slot &slot : slots)
    loaded.push_back(k.loadWorkgroup(slot.workgroup, slot.type, at));
  return loaded;
}

void ReduceEmitter::storeSlots(ArrayRef<Value> values, Value at) {
  for (auto [slot, value] : llvm::zip_equal(slots, values))
    k.storeWorkgroup(slot.workgroup, value, at);
}

/// The values of `count` lanes, `stride` apart, combined, as only the first
/// `folding` lanes do. GPUs load them all at once, so that they wait only once.
/// Lavapipe has no branches, but skips the further turns of a loop
/// (docs/rationale/reduction-rows.md).
ReduceEmitter::Values ReduceEmitter::foldSlots(Value firstLane, int64_t count,
                                               int64_t stride,
                                               int64_t folding) {
  constexpr size_t kMaxLoadedSlots = 4;
  constexpr int64_t kGpuSubgroup = 32;
  auto at = [&](Value j) { return slotOf(k(firstLane) + k(j) * stride); };
  auto unrolled = [&] {
    SmallVector<Values> loaded;
    for (int64_t j = 0; j < count; ++j)
      loaded.push_back(loadSlots(at(k.index(j))));
    Values total = loaded.front();
    for (const Values &next : llvm::drop_begin(loaded))
      total = combine(total, next, /*ascends=*/false);
    return total;
  };
  // The end depends on the lane in a way that drivers do not see through, or
  // they would unroll the loop.
  auto inLoop = [&] {
    auto next = [&](Value j, ValueRange totals) {
      return combine(Values(totals), loadSlots(at(j)), /*ascends=*/false);
    };
    Value end = k.index(count) - k(lane) / folding;
    Values first = loadSlots(at(k.index(0)));
    return k.loop(k.index(1), end, k.index(1), first, next);
  };
  if (count == 1)
    return unrolled();
  if (slots.size() > kMaxLoadedSlots)
    return inLoop();
  SmallVector<Type> types;
  for (const Slot &slot : slots)
    types.push_back(slot.type);
  Value isGpu = k.index(kGpuSubgroup - 1) < k.subgroupSize();
  return k.choose(isGpu, types, unrolled, inLoop);
}

/// Combines the lanes' values in groups of 16 neighbours; a lane that does what
/// a lane group does has combined them. Of results side by side the values of
/// one come before those of the next, in `values` and in workgroup memory.
void ReduceEmitter::foldLaneGroups(const Values &values) {
  constexpr int64_t group = ReductionOrder::kLaneGroup;
  const int64_t sideBySide = values.size() / slots.size();
  Expr own = k(lane) * (group / lanesPerGroup());
  for (int64_t r = 0; r < sideBySide; ++r)
    storeSlots(ArrayRef(values).slice(r * slots.size(), slots.size()),
               slotOf(own + r * KernelLayout::kLanes));
  k.workgroupBarrier();
  if (layout.lanesAtOnce)
    return;
  const int64_t groups = ReductionOrder::kGroupsPerPart * sideBySide;
  k.ifThen(k(lane) < groups, [&] {
    Value first = k(lane) * group;
    storeSlots(foldSlots(first, group, 1, groups), slotOf(first));
  });
  k.workgroupBarrier();
}

/// The first lane of result `number` of the workgroup. Results that lanes have
/// side by side lie a workgroup's lanes apart.
Value ReduceEmitter::firstLaneOf(Value number) {
  const int64_t perLane = layout.resultsPerLane;
  const int64_t lanes = layout.groupsPerResult * ReductionOrder::kLaneGroup;
  if (perLane == 1 || layout.resultsPerGroup == 1)
    return k(number) * lanes;
  return k(number) % perLane * KernelLayout::kLanes +
         k(number) / perLane * lanes;
}

/// The total of result `number` of the workgroup, after `foldLaneGroups`.
ReduceEmitter::Values ReduceEmitter::totalOf(Value number, int64_t folding) {
  return foldSlots(firstLaneOf(number), layout.groupsPerResult,
                   ReductionOrder::kLaneGroup, folding);
}

/// A few lane groups are folded by every lane that asks, many by one lane for
/// all.
bool ReduceEmitter::foldsForAll() const {
  constexpr int64_t kMaxFoldedByEach = 4;
  return layout.groupsPerResult > kMaxFoldedByEach;
}

/// The total of result `number`, after `shareTotals`.
ReduceEmitter::Values ReduceEmitter::loadTotal(Value number, int64_t folding) {
  return foldsForAll() ? loadSlots(slotOf(firstLaneOf(number)))
                       : totalOf(number, folding);
}

/// Makes the totals of the workgroup's results, after `foldLaneGroups`.
void ReduceEmitter::shareTotals() {
  if (!foldsForAll())
    return;
  const int64_t results = layout.resultsPerGroup;
  k.ifThen(k(lane) < results, [&] {
    storeSlots(totalOf(lane, results), slotOf(firstLaneOf(lane)));
  });
  k.workgroupBarrier();
}

/// Combines the lanes' values. Lane i uses the totals of result i of the
/// workgroup.
void ReduceEmitter::combineLanes(const Values &values,
                                 function_ref<void(const Values &totals)> use) {
  if (hasOwnResult())
    return use(values);
  const int64_t sideBySide = values.size() / slots.size();
  foldLaneGroups(values);
  const int64_t results = layout.resultsPerGroup * sideBySide;
  k.ifThen(k(lane) < results, [&] { use(totalOf(lane, results)); });
}
