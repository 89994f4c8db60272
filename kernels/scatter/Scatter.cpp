//===- Scatter.cpp - elements combined where the device says --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of updates are dealt round robin; each lane combines its updates with
// the words of the results, which hold the initial values already. Few results
// are collected in workgroup memory first, in several copies, so that lanes
// with one position seldom meet, and then combined with what there is.
//
// An element of 64 bits is two words, of which a sum's low one carries into the
// high one: carries, too, are added in any order. Small numbers seldom change
// the high word: one that is less than zero adds -1 there, and its carry 1. A
// variant has atomic operations of 64 bits, which need no answer.
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/Updates.h"
#include "kernels/builder/KeyImage.h"
#include "kernels/family/Family.h"
#include "kernels/family/RootEmitter.h"
#include "kernels/scatter/ScatterLayout.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class Scatter : RootEmitter {
public:
  Scatter(EmitterContext &context, ScatterOp op)
      : RootEmitter(context), layout(context.layoutAs<ScatterLayout>()),
        op(op) {
    findTargets();
  }
  LogicalResult run();

private:
  using Values = SmallVector<Value>;

  /// A result that somebody reads.
  struct Target {
    Value update;
    Rule rule;
    unsigned binding;
    int64_t words; ///< Of an element.
    int64_t slot;  ///< Its first word among those of a position.
  };

  void findTargets();
  /// The updates of a lane: a position each, which is behind all if there is
  /// nothing to do, and an element for each target.
  struct Piece {
    Lanes positions;
    SmallVector<Lanes> updates;
  };

  FailureOr<Piece> loadPiece(Value tile, int64_t number);
  void scatterTile(Value tile);
  void scatterElement(const Target &target, Value position, Value element);
  Value carry(Value before, Value word);
  void combine(const Target &target, ArrayRef<Value> words,
               function_ref<Value(Value word, int64_t number)> combineWord);
  void combineResult(const Target &target, Value position,
                     ArrayRef<Value> words);
  Value ownPlace(Value position, int64_t word);
  void clearOwn();
  void addOwn();
  void addOwn(const Target &target, Value position);

  ScatterLayout layout;
  ScatterOp op;
  SmallVector<Target> targets;
  int64_t slots = 0; ///< Words of a position.
  Value lane;
  Value own; ///< Workgroup memory, if there is any: words of all positions.
};
} // namespace

static arith::AtomicRMWKind kindOf(Rule rule) {
  switch (rule) {
  case Rule::add:
    return arith::AtomicRMWKind::addi;
  case Rule::min:
    return arith::AtomicRMWKind::mins;
  case Rule::max:
    return arith::AtomicRMWKind::maxs;
  case Rule::minu:
    return arith::AtomicRMWKind::minu;
  case Rule::maxu:
    return arith::AtomicRMWKind::maxu;
  case Rule::bit_and:
    return arith::AtomicRMWKind::andi;
  case Rule::bit_or:
    return arith::AtomicRMWKind::ori;
  case Rule::bit_xor:
  case Rule::last:
    break;
  }
  llvm_unreachable("gpuvm-generalize leaves no other rule");
}

/// What changes nothing.
static uint32_t neutralWord(Rule rule) {
  switch (rule) {
  case Rule::min:
    return INT32_MAX;
  case Rule::max:
    return static_cast<uint32_t>(INT32_MIN);
  case Rule::minu:
  case Rule::bit_and:
    return UINT32_MAX;
  default:
    return 0;
  }
}

void Scatter::findTargets() {
  lane = k.laneId();
  auto yield = cast<YieldOp>(c.op.getBody().front().getTerminator());
  for (auto [value, binding] :
       llvm::zip_equal(yield.getValues(), c.bindings.outputs)) {
    unsigned number = getRootResult(value).getResultNumber();
    Type type = cast<RankedTensorType>(value.getType()).getElementType();
    int64_t words = type.getIntOrFloatBitWidth() / 32;
    targets.push_back(
        {op.getUpdates()[number], op.getRule(number), binding, words, slots});
    slots += words;
  }
}

/// What the low words of a sum add to its high word.
Value Scatter::carry(Value before, Value word) {
  Expr carries = k(before) + word < before;
  return select(carries, k.word(1), k.word(0));
}

/// Combines the words of an element by `combineWord`, which combines one by an
/// atomic operation and returns what was there.
void Scatter::combine(
    const Target &target, ArrayRef<Value> words,
    function_ref<Value(Value word, int64_t number)> combineWord) {
  Value low = combineWord(words.front(), 0);
  if (target.words == 1)
    return;
  if (target.rule != Rule::add) {
    combineWord(words.back(), 1);
    return;
  }
  Expr high = k(words.back()) + carry(low, words.front());
  k.ifThen(!(high == 0), [&] { combineWord(high, 1); });
}

/// Combines an element with that of the result.
void Scatter::combineResult(const Target &target, Value position,
                            ArrayRef<Value> words) {
  if (target.words == 2 && layout.int64Atomics) {
    Type i64 = k.ir().getI64Type();
    k.atomic(kindOf(target.rule), target.binding, position,
             fromWords(k, words, i64));
    return;
  }
  combine(target, words, [&](Value word, int64_t number) {
    Value place = k(position) * target.words + number;
    return k.atomic(kindOf(target.rule), target.binding, place, word);
  });
}

//===----------------------------------------------------------------------===//
// Words of the workgroup's own
//===----------------------------------------------------------------------===//

/// Where the lane's copy of a word of a position is.
Value Scatter::ownPlace(Value position, int64_t word) {
  Expr place = k(position) * slots + word;
  return place * layout.copies + k(lane) % layout.copies;
}

/// Lanes go over the words as they lie there, each target's among them.
void Scatter::clearOwn() {
  k.loop(lane, k.index(layout.positions * slots * layout.copies),
         k.index(c.layout.lanes), {}, [&](Value place, ValueRange) {
           Expr slot = k(place) / layout.copies % slots;
           Value neutral = k.word(neutralWord(targets.front().rule));
           for (const Target &target : ArrayRef(targets).drop_front()) {
             uint32_t word = neutralWord(target.rule);
             neutral = select(slot < target.slot, neutral, k.word(word));
           }
           k.storeWorkgroup(own, neutral, place);
           return Values();
         });
  k.workgroupBarrier();
}

/// One lane combines all copies of an element, and these with the result.
void Scatter::addOwn(const Target &target, Value position) {
  Type i32 = k.ir().getI32Type();
  Values total(target.words, k.word(neutralWord(target.rule)));
  Expr first = (k(position) * slots + target.slot) * layout.copies;
  for (int64_t copy = 0; copy < layout.copies; ++copy) {
    Values words;
    for (int64_t word = 0; word < target.words; ++word)
      words.push_back(
          k.loadWorkgroup(own, i32, first + (word * layout.copies + copy)));
    if (target.words == 2 && target.rule == Rule::add)
      words.back() = k(words.back()) + carry(total.front(), words.front());
    for (auto [sum, word] : llvm::zip_equal(total, words))
      sum = arith::getReductionOp(kindOf(target.rule), k.ir(), k.loc(), sum,
                                  word);
  }
  Value changes;
  for (Value word : total) {
    Value differs = !(k(word) == neutralWord(target.rule));
    changes = changes ? k(changes) | differs : differs;
  }
  k.ifThen(changes, [&] { combineResult(target, position, total); });
}

void Scatter::addOwn() {
  k.workgroupBarrier();
  k.loop(lane, k.index(layout.positions), k.index(c.layout.lanes), {},
         [&](Value position, ValueRange) {
           for (const Target &target : targets)
             addOwn(target, position);
           return Values();
         });
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

void Scatter::scatterElement(const Target &target, Value position,
                             Value element) {
  if (target.rule == Rule::last)
    return k.store(target.binding, element, position);
  if (!own)
    return combineResult(target, position, toWords(k, element));
  combine(target, toWords(k, element), [&](Value word, int64_t number) {
    return k.atomicWorkgroup(kindOf(target.rule), own,
                             ownPlace(position, target.slot + number), word);
  });
}

/// Vector `number` of the lane's in the tile. Where there are no more updates
/// the last ones stand, with positions behind all.
FailureOr<Scatter::Piece> Scatter::loadPiece(Value tile, int64_t number) {
  int64_t vector = layout.vector, vectors = layout.updates / vector;
  Expr own = (k(tile) * c.layout.unroll + number) * c.layout.lanes + lane;
  Expr isThere = own < vectors;
  Value begin = min(own, vectors - 1) * vector;
  c.elements.begin(vector);
  auto place = c.elements.flatPoint({begin, /*stride=*/1, vector},
                                    ArrayRef{layout.updates});
  auto positions = c.elements.emit(op.getPositions(), place);
  if (!check(positions))
    return failure();
  Piece piece;
  for (Value word : *positions) // Behind all, too, if it was negative.
    piece.positions.push_back(
        select(isThere, k(word).toIndex(), layout.positions));
  for (const Target &target : targets) {
    auto elements = c.elements.emit(target.update, place);
    if (!check(elements))
      return failure();
    piece.updates.push_back(*elements);
  }
  return piece;
}

/// All that the lane reads is on its way before any of it is scattered.
void Scatter::scatterTile(Value tile) {
  SmallVector<Piece> pieces;
  for (int64_t number = 0; number < c.layout.unroll; ++number) {
    auto piece = loadPiece(tile, number);
    if (failed(piece))
      return;
    pieces.push_back(*piece);
  }
  for (const Piece &piece : pieces)
    for (auto [i, position] : llvm::enumerate(piece.positions))
      k.ifThen(k(position) < layout.positions, [&, position = position,
                                                number = i] {
        for (auto [target, elements] : llvm::zip_equal(targets, piece.updates))
          scatterElement(target, position, elements[number]);
      });
}

LogicalResult Scatter::run() {
  if (targets.empty())
    return success();
  if (layout.copies > 0) {
    own = k.allocateWorkgroup(k.ir().getI32Type(),
                              layout.positions * slots * layout.copies);
    clearOwn();
  }
  int64_t tiles = llvm::divideCeil(
      layout.updates, c.layout.lanes * layout.vector * c.layout.unroll);
  k.loop(
      k.groupId(), k.index(tiles), k.index(c.layout.groups), {},
      [&](Value tile, ValueRange) {
        scatterTile(tile);
        return Values();
      },
      /*runs=*/true);
  if (own)
    addOwn();
  return failure(failed_);
}

//===----------------------------------------------------------------------===//
// The family
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kInt64AtomicsForm = "int64_atomics";

namespace {
class ScatterFamily : public KernelFamily {
public:
  std::unique_ptr<KernelLayout> layOut(flow::DispatchOp kernel,
                                       TargetAttr) const override {
    return layOutScatter(kernel).clone();
  }

  SmallVector<LaunchForm> specialForms(flow::DispatchOp kernel) const override {
    SmallVector<LaunchForm> forms = KernelFamily::specialForms(kernel);
    forms.push_back({kInt64AtomicsForm, {"int64_atomics"}});
    return forms;
  }

  bool changeForm(flow::DispatchOp kernel, StringRef form, TargetAttr target,
                  std::unique_ptr<KernelLayout> &layout) const override {
    if (form != kInt64AtomicsForm)
      return KernelFamily::changeForm(kernel, form, target, layout);
    return static_cast<ScatterLayout &>(*layout).int64Atomics =
               usesInt64Atomics(kernel);
  }

  LogicalResult emit(EmitterContext &context) const override {
    ScatterOp op = *context.op.getBody().getOps<ScatterOp>().begin();
    return Scatter(context, op).run();
  }
};
} // namespace

namespace mlir::gpuvm {
const KernelFamily &getScatterFamily() {
  static const ScatterFamily family;
  return family;
}
} // namespace mlir::gpuvm
