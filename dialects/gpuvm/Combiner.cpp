//===- Combiner.cpp - a reduction's body taken apart ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Combiner.h"

#include "dialects/gpuvm/ChoicePredicate.h"
#include "dialects/gpuvm/Gpuvm.h"
#include "dialects/gpuvm/SmallTypes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::gpuvm;

Value gpuvm::skipFlush(Value value) {
  auto flush = value.getDefiningOp<FlushOp>();
  return flush ? flush.getNumber() : value;
}

/// Whether (a op b) op c = a op (b op c) and a op b = b op a, up to rounding.
static bool isAssociative(Operation *op) {
  return isMaximum(op) || isMinimum(op) ||
         isa<arith::AddIOp, arith::AddFOp, arith::MulIOp, arith::MulFOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op);
}

namespace {

/// `select(key of element <predicate> key, element, accumulator)`.
struct Pick {
  unsigned key;
  Choice::Predicate predicate;
  bool flushes;
  Value keyElement;
  Value element;
};

class Matcher {
public:
  explicit Matcher(linalg::GenericOp op);
  std::optional<Combiner> match();
  Operation *findFault();

private:
  bool isElement(Value value) const { return !dependent.contains(value); }
  std::optional<unsigned> accumulatorOf(Value value) const;
  Value yieldedFor(unsigned i) const { return yielded[i]; }
  bool isDone(unsigned i) const { return combiner.elements[i] != Value(); }
  Value otherOperand(Operation *op, unsigned accumulator) const;

  void matchOperation(unsigned i);
  std::optional<Pick> matchComparison(Value condition, bool elementFirst) const;
  std::optional<Pick> matchPick(unsigned i) const;
  bool matchKey(Choice &choice, const Pick &pick,
                const std::optional<Pick> &own);
  void matchChoice(unsigned key);
  void matchClaim();
  bool release(const SmallPtrSetImpl<Operation *> &ops);
  void collect(Value value, SmallPtrSetImpl<Operation *> &ops,
               SetVector<Value> &sources) const;
  void sinkSources(size_t wanted, SmallPtrSetImpl<Operation *> &ops,
                   SetVector<Value> &sources) const;
  Value sourceOf(unsigned i, const SetVector<Value> &sources) const;
  bool pairByOrder(ArrayRef<unsigned> accumulators, SetVector<Value> sources);

  linalg::GenericOp op;
  Block *body;
  SmallVector<Value> accumulators, yielded;
  llvm::DenseSet<Value> dependent; ///< On an accumulator.
  bool branches = false;           ///< Control flow depends on an accumulator.
  Combiner combiner;
};

} // namespace

/// Whether `op`, or an operation in its regions, uses one of `values`.
static bool usesAny(Operation &op, const llvm::DenseSet<Value> &values) {
  WalkResult result = op.walk([&](Operation *inner) {
    bool uses = llvm::any_of(inner->getOperands(),
                             [&](Value v) { return values.contains(v); });
    return uses ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

Matcher::Matcher(linalg::GenericOp op)
    : op(op), body(op.getBody()), accumulators(op.getRegionOutputArgs()),
      yielded(body->getTerminator()->getOperands()) {
  dependent.insert(accumulators.begin(), accumulators.end());
  for (Operation &inner : body->without_terminator())
    if (usesAny(inner, dependent)) {
      dependent.insert(inner.result_begin(), inner.result_end());
      branches |= inner.getNumRegions() != 0;
    }
  combiner.elements.resize(accumulators.size());
  combiner.ops.resize(accumulators.size());
}

std::optional<unsigned> Matcher::accumulatorOf(Value value) const {
  auto found = llvm::find(accumulators, skipFlush(value));
  if (found == accumulators.end())
    return std::nullopt;
  return found - accumulators.begin();
}

/// The element that a binary `op` combines with an accumulator; null if it does
/// something else.
Value Matcher::otherOperand(Operation *op, unsigned accumulator) const {
  for (unsigned side : {0, 1})
    if (accumulatorOf(op->getOperand(side)) == accumulator &&
        isElement(op->getOperand(1 - side)))
      return op->getOperand(1 - side);
  return Value();
}

void Matcher::matchOperation(unsigned i) {
  Operation *combine = skipFlush(yieldedFor(i)).getDefiningOp();
  if (!combine || !isAssociative(combine))
    return;
  if (Value element = otherOperand(combine, i)) {
    combiner.ops[i] = combine;
    combiner.elements[i] = element;
  }
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// A comparison of a key with its element that holds (or not) if the element
/// wins.
std::optional<Pick> Matcher::matchComparison(Value condition,
                                             bool elementFirst) const {
  bool invert = !elementFirst;
  while (auto negation = condition.getDefiningOp<arith::XOrIOp>()) {
    if (!matchPattern(negation.getRhs(), m_One()))
      return std::nullopt;
    condition = negation.getLhs();
    invert = !invert;
  }
  Operation *compare = condition.getDefiningOp();
  if (!isa_and_nonnull<arith::CmpIOp, arith::CmpFOp>(compare))
    return std::nullopt;
  for (unsigned side : {0, 1}) {
    std::optional<unsigned> key = accumulatorOf(compare->getOperand(side));
    Value element = compare->getOperand(1 - side);
    auto predicate = predicateOf(compare, invert, /*swap=*/side == 0);
    if (key && predicate && isElement(element))
      return Pick{*key, *predicate,
                  isa_and_nonnull<FlushOp>(element.getDefiningOp()),
                  skipFlush(element), Value()};
  }
  return std::nullopt;
}

std::optional<Pick> Matcher::matchPick(unsigned i) const {
  auto select = yieldedFor(i).getDefiningOp<arith::SelectOp>();
  if (!select)
    return std::nullopt;
  bool elementFirst = select.getFalseValue() == accumulators[i];
  Value kept = elementFirst ? select.getFalseValue() : select.getTrueValue();
  Value element = elementFirst ? select.getTrueValue() : select.getFalseValue();
  if (kept != accumulators[i] || !isElement(element))
    return std::nullopt;
  std::optional<Pick> pick =
      matchComparison(select.getCondition(), elementFirst);
  if (pick)
    pick->element = element;
  return pick;
}

/// The key is selected like the rest, or the extremum of all keys.
bool Matcher::matchKey(Choice &choice, const Pick &pick,
                       const std::optional<Pick> &own) {
  if (own)
    return skipFlush(own->element) == pick.keyElement;
  Operation *extremum = skipFlush(yieldedFor(choice.key)).getDefiningOp();
  if (!extremum || !(isMaximum(extremum) || isMinimum(extremum)) ||
      !agrees(extremum, pick.predicate))
    return false;
  Value element = otherOperand(extremum, choice.key);
  choice.extremum = extremum;
  return element && skipFlush(element) == pick.keyElement;
}

void Matcher::matchChoice(unsigned key) {
  Choice choice{{}, key, {}, false, false};
  std::optional<Pick> first;
  SmallVector<std::pair<unsigned, Value>> found;
  for (unsigned i = 0; i < accumulators.size(); ++i) {
    std::optional<Pick> pick = matchPick(i);
    if (!pick || pick->key != key)
      continue;
    if (!first)
      first = pick;
    if (pick->predicate != first->predicate ||
        pick->keyElement != first->keyElement)
      return;
    found.push_back({i, pick->element});
  }
  if (!first)
    return;
  std::optional<Pick> own = matchPick(key);
  if (own && own->key != key)
    return;
  if (!matchKey(choice, *first, own))
    return;
  if (!own)
    found.push_back({key, first->keyElement});
  choice.predicate = first->predicate;
  choice.flushes = first->flushes;
  choice.keepsTies = isStrict(first->predicate);
  for (auto [i, element] : found) {
    choice.accumulators.push_back(i);
    combiner.elements[i] = element;
    combiner.ops[i] = nullptr;
  }
  combiner.choices.push_back(choice);
}

//===----------------------------------------------------------------------===//
// Claims
//===----------------------------------------------------------------------===//

/// The operations that lead from accumulators to `value`, and the values that
/// they take from the rest of the body. Constants are in neither list.
void Matcher::collect(Value value, SmallPtrSetImpl<Operation *> &ops,
                      SetVector<Value> &sources) const {
  if (matchPattern(value, m_Constant()))
    return;
  if (isElement(value)) {
    sources.insert(skipFlush(value));
    return;
  }
  Operation *def = value.getDefiningOp();
  if (!def || !ops.insert(def).second)
    return;
  for (Value operand : def->getOperands())
    collect(operand, ops, sources);
}

/// While there are more sources than accumulators: what is computed from other
/// sources alone is part of combining (`|element|` next to `|accumulator|`).
void Matcher::sinkSources(size_t wanted, SmallPtrSetImpl<Operation *> &ops,
                          SetVector<Value> &sources) const {
  auto isKnown = [&](Value v) {
    return sources.contains(skipFlush(v)) || matchPattern(v, m_Constant());
  };
  for (bool changed = true; changed && sources.size() > wanted;) {
    changed = false;
    for (Value source : sources) {
      Operation *def = source.getDefiningOp();
      if (!def || def->getBlock() != body || !def->getNumOperands() ||
          def->getNumRegions() != 0 ||
          !llvm::all_of(def->getOperands(), isKnown))
        continue;
      ops.insert(def);
      sources.remove(source);
      changed = true;
      break;
    }
  }
}

/// The source that the body selects for accumulator i, or combines with it;
/// null if there is not exactly one.
Value Matcher::sourceOf(unsigned i, const SetVector<Value> &sources) const {
  SmallVector<Value> pending = {yieldedFor(i)};
  SetVector<Value> found;
  while (!pending.empty()) {
    Value value = skipFlush(pending.pop_back_val());
    if (sources.contains(value)) {
      found.insert(value);
    } else if (auto select = value.getDefiningOp<arith::SelectOp>()) {
      pending.append({select.getTrueValue(), select.getFalseValue()});
    } else if (Operation *def = value.getDefiningOp();
               def && isAssociative(def)) {
      pending.append(def->operand_begin(), def->operand_end());
    }
  }
  return found.size() == 1 && found[0].getType() == accumulators[i].getType()
             ? found[0]
             : Value();
}

/// Accumulator after accumulator takes the next input.
bool Matcher::pairByOrder(ArrayRef<unsigned> wanted, SetVector<Value> sources) {
  SmallVector<Value> inputs = sources.takeVector();
  if (!llvm::all_of(inputs, [](Value v) { return isa<BlockArgument>(v); }))
    return false;
  llvm::sort(inputs, [](Value a, Value b) {
    return cast<BlockArgument>(a).getArgNumber() <
           cast<BlockArgument>(b).getArgNumber();
  });
  for (auto [i, input] : llvm::zip_equal(wanted, inputs)) {
    if (input.getType() != accumulators[i].getType())
      return false;
    combiner.elements[i] = input;
  }
  return true;
}

/// Accumulators that `ops` read must be combined with theirs: they are no
/// longer combined by themselves. Returns whether there were any.
bool Matcher::release(const SmallPtrSetImpl<Operation *> &ops) {
  llvm::SmallSetVector<unsigned, 4> read;
  for (Operation *inner : ops)
    for (Value operand : inner->getOperands())
      if (std::optional<unsigned> i = accumulatorOf(operand); i && isDone(*i))
        read.insert(*i);
  llvm::erase_if(combiner.choices, [&](const Choice &choice) {
    bool isRead = llvm::any_of(choice.accumulators,
                               [&](unsigned i) { return read.contains(i); });
    if (isRead)
      read.insert(choice.accumulators.begin(), choice.accumulators.end());
    return isRead;
  });
  for (unsigned i : read) {
    combiner.elements[i] = Value();
    combiner.ops[i] = nullptr;
  }
  return !read.empty();
}

/// All accumulators that are left are combined together.
void Matcher::matchClaim() {
  Claim claim;
  SmallPtrSet<Operation *, 8> ops;
  SetVector<Value> sources;
  do {
    claim.accumulators.clear();
    for (unsigned i = 0; i < accumulators.size(); ++i)
      if (!isDone(i)) {
        claim.accumulators.push_back(i);
        collect(yieldedFor(i), ops, sources);
      }
  } while (release(ops));
  sinkSources(claim.accumulators.size(), ops, sources);
  if (sources.size() != claim.accumulators.size())
    return;
  SetVector<Value> distinct;
  for (unsigned i : claim.accumulators)
    if (Value source = sourceOf(i, sources)) {
      distinct.insert(source);
      combiner.elements[i] = source;
    }
  bool paired =
      distinct.size() == sources.size() &&
      llvm::all_of(claim.accumulators, [&](unsigned i) { return isDone(i); });
  if (!paired && !pairByOrder(claim.accumulators, sources)) {
    for (unsigned i : claim.accumulators)
      combiner.elements[i] = Value();
    return;
  }
  for (Operation &inner : *body)
    if (ops.contains(&inner) ||
        (isa<FlushOp>(inner) && sources.contains(inner.getOperand(0))))
      claim.ops.push_back(&inner);
  combiner.claims.push_back(claim);
}

std::optional<Combiner> Matcher::match() {
  auto isRounded = [](Value v) { return isSmallFloat(v.getType()); };
  if (branches || llvm::any_of(accumulators, isRounded))
    return std::nullopt; // Bytes have no operation that combines them.
  for (unsigned i = 0; i < accumulators.size(); ++i)
    matchOperation(i);
  for (unsigned i = 0; i < accumulators.size(); ++i)
    matchChoice(i);
  auto isMatched = [&](Value element) { return element != Value(); };
  if (op->hasAttr(kAssociativeAttr) &&
      !llvm::all_of(combiner.elements, isMatched))
    matchClaim();
  if (!llvm::all_of(combiner.elements, isMatched))
    return std::nullopt;
  return combiner;
}

std::optional<Combiner> gpuvm::matchCombiner(linalg::GenericOp op) {
  return Matcher(op).match();
}

/// From what is yielded back to the accumulator, over operations that combine.
Operation *Matcher::findFault() {
  match();
  unsigned i =
      llvm::find(combiner.elements, Value()) - combiner.elements.begin();
  if (i == accumulators.size()) // Control flow.
    return body->getTerminator();
  Value value = skipFlush(yieldedFor(i));
  while (Operation *at = value.getDefiningOp()) {
    auto inner = llvm::find_if(at->getOperands(), [&](Value operand) {
      return !isElement(operand) && !accumulatorOf(operand);
    });
    if (!isAssociative(at) || inner == at->operand_end())
      return at;
    value = skipFlush(*inner);
  }
  return body->getTerminator();
}

Operation *gpuvm::findNonCombining(linalg::GenericOp op) {
  return Matcher(op).findFault();
}
