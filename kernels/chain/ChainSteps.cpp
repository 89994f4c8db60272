//===- ChainSteps.cpp - the steps of a chain and what they read -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/chain/ChainSteps.h"

#include "dialects/gpuvm/ScalarBody.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Finding steps
//===----------------------------------------------------------------------===//

bool gpuvm::holdsInputs(flow::HoldOp hold) {
  return llvm::all_of(hold.getValues(),
                      [](Value value) { return isa<BlockArgument>(value); });
}

ChainStep gpuvm::collectStep(flow::HoldOp hold) {
  ChainStep step;
  step.hold = hold;
  llvm::SetVector<Operation *> needed;
  llvm::SmallSetVector<Value, 4> sources;
  SmallVector<Value> pending(step.hold.getValues());
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op)
      continue;
    if (isa<flow::HoldOp>(op))
      sources.insert(value);
    else if (needed.insert(op))
      llvm::append_range(pending, getOperandsAndTables(op));
  }
  step.ops = needed.takeVector();
  llvm::sort(step.ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  step.sources = sources.takeVector();
  return step;
}

namespace {
/// Whether two steps do the same.
class StepComparison {
public:
  StepComparison(const ChainStep &a, const ChainStep &b,
                 const DenseMap<Operation *, unsigned> &number)
      : a(a), b(b), number(number) {}

  bool areEqual() {
    if (a.output || b.output || a.ops.size() != b.ops.size() ||
        a.hold->getOperandTypes() != b.hold->getOperandTypes())
      return false;
    for (auto [x, y] : llvm::zip_equal(a.ops, b.ops))
      if (!areEqual(x, y))
        return false;
    return llvm::all_of(llvm::zip_equal(a.hold.getValues(), b.hold.getValues()),
                        [&](auto pair) {
                          return succeeded(
                              match(std::get<0>(pair), std::get<1>(pair)));
                        });
  }

private:
  bool areEqual(Operation *x, Operation *y) {
    return OperationEquivalence::isEquivalentTo(
        x, y, [&](Value v, Value w) { return match(v, w); },
        [&](Value v, Value w) { partner[v] = w; },
        OperationEquivalence::IgnoreLocations);
  }

  LogicalResult match(Value x, Value y) {
    if (Value known = partner.lookup(x))
      return success(known == y);
    auto holdX = x.getDefiningOp<flow::HoldOp>(),
         holdY = y.getDefiningOp<flow::HoldOp>();
    if (!holdX || !holdY || holdsInputs(holdX) || holdsInputs(holdY))
      return success(x == y);
    return success(cast<OpResult>(x).getResultNumber() ==
                       cast<OpResult>(y).getResultNumber() &&
                   distance(a, holdX) == distance(b, holdY));
  }

  unsigned distance(const ChainStep &step, flow::HoldOp source) const {
    return number.lookup(step.hold) - number.lookup(source);
  }

  const ChainStep &a, &b;
  const DenseMap<Operation *, unsigned> &number;
  DenseMap<Value, Value> partner;
};
} // namespace

std::vector<ChainStep> gpuvm::findSteps(flow::DispatchOp kernel) {
  std::vector<ChainStep> steps;
  DenseMap<Operation *, unsigned> number;
  Operation *yield = kernel.getBody().front().getTerminator();
  for (auto hold : kernel.getBody().getOps<flow::HoldOp>()) {
    number[hold] = steps.size();
    ChainStep &step = steps.emplace_back(collectStep(hold));
    for (OpOperand &operand : yield->getOpOperands())
      if (operand.get().getDefiningOp() == hold)
        step.output = operand.getOperandNumber();
  }
  SmallVector<unsigned> kinds; // The first step of each.
  for (auto [i, step] : llvm::enumerate(steps)) {
    auto same = llvm::find_if(kinds, [&](unsigned first) {
      return StepComparison(steps[first], step, number).areEqual();
    });
    step.kind = same - kinds.begin();
    if (same == kinds.end())
      kinds.push_back(i);
  }
  return steps;
}

//===----------------------------------------------------------------------===//
// How elements are dealt
//===----------------------------------------------------------------------===//

static ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

ArrayRef<int64_t> ChainShape::ownShape(Value held) const {
  return shapeOf(held).drop_front(hasInstances ? 1 : 0);
}

int64_t ChainShape::ownElements(Value held) const {
  return llvm::product_of(ownShape(held));
}

int64_t ChainShape::itemsPerLane(int64_t elements) const {
  return llvm::PowerOf2Ceil(llvm::divideCeil(elements, lanes));
}

StepEmitter::StepEmitter(KernelBuilder &kernel, ElementEmitter &elements,
                         const ChainShape &shape)
    : k(kernel), elements(elements), shape(shape), laneId(kernel.laneId()),
      groupId(kernel.groupId()) {}

/// Lanes behind the last full block take the last block once more; where it is
/// not full, items behind the last element are the last element.
LaneIndex StepEmitter::itemIndex(int64_t elements, int64_t item) {
  int64_t items = shape.itemsPerLane(elements);
  int64_t blocks = llvm::divideCeil(elements, items);
  Value block = laneId;
  if (blocks < shape.lanes)
    block = min(k(block), blocks - 1);
  LaneIndex index = {k(block) * items + item, /*stride=*/0,
                     item == 0 ? items : 1, item, (blocks - 1) * items + item};
  if (index.high >= elements) {
    index.base = min(k(index.base), elements - 1);
    index.high = elements - 1;
    index.low = std::min(item, elements - 1);
    index.divisor = 1;
  }
  return index;
}

Value StepEmitter::itemPosition(int64_t elements, int64_t item) {
  return itemIndex(elements, item).base;
}

Value StepEmitter::windowPosition(int64_t elements, Value position) {
  return shape.hasInstances ? k(groupId) * elements + position : position;
}

//===----------------------------------------------------------------------===//
// Emitting
//===----------------------------------------------------------------------===//

FailureOr<StepEmitter::Items> StepEmitter::emit(flow::HoldOp hold) {
  Items items;
  elements.begin(1);
  for (Value value : hold.getValues()) {
    auto input = dyn_cast<BlockArgument>(value);
    auto made = input ? emitInput(input) : emitValue(value);
    if (failed(made))
      return failure();
    items.push_back(std::move(*made));
  }
  return items;
}

/// The indices of an element at `position`, each with its bounds.
static SmallVector<LaneIndex> splitPosition(KernelBuilder &k,
                                            LaneIndex position, int64_t items,
                                            int64_t item,
                                            ArrayRef<int64_t> shape) {
  SmallVector<LaneIndex> reversed;
  Value rest = position.base;
  for (int64_t size : llvm::reverse(shape.drop_front())) {
    // A block lies in one row if rows are made of whole blocks.
    bool innermost = reversed.empty() && size % items == 0;
    LaneIndex index = {k(rest) % size, 0, 1, innermost ? item : 0,
                       innermost ? size - items + item : size - 1};
    reversed.push_back(index);
    rest = k(rest) / size;
  }
  if (shape.size() == 1)
    reversed.push_back(position);
  else
    reversed.push_back({rest, 0, 1, 0, shape.front() - 1});
  return {reversed.rbegin(), reversed.rend()};
}

FailureOr<SmallVector<Value>> StepEmitter::emitValue(Value value) {
  readerShape = shapeOf(value);
  ArrayRef<int64_t> own = shape.ownShape(value);
  int64_t count = shape.ownElements(value), items = shape.itemsPerLane(count);
  SmallVector<Value> made;
  for (int64_t item = 0; item < items; ++item) {
    readerItem = item;
    LaneIndex position = itemIndex(count, item);
    SmallVector<LaneIndex> indices;
    if (!own.empty())
      indices = splitPosition(k, position, items, item, own);
    if (shape.hasInstances)
      indices.insert(indices.begin(), {groupId, 0, 1, 0, shape.instances - 1});
    for (auto [dim, index] : llvm::enumerate(indices))
      index.anchor = {static_cast<unsigned>(dim), 0};
    LaneIndex flat = position;
    flat.anchor.reset();
    if (shape.hasInstances)
      flat = {windowPosition(count, position.base), 0, 1};
    FailureOr<Lanes> element =
        elements.emit(value, elements.point(indices, flat, readerShape));
    if (failed(element))
      return failure();
    made.push_back(element->front());
  }
  return made;
}

/// Neighbours of a window, in loads as wide as there are.
FailureOr<SmallVector<Value>> StepEmitter::emitInput(BlockArgument value) {
  int64_t count = shape.ownElements(value), items = shape.itemsPerLane(count);
  if (count % items != 0)
    return emitValue(value);
  Value first = windowPosition(count, itemPosition(count, 0));
  elements.begin(items);
  FailureOr<Lanes> made = elements.emit(
      value, elements.flatPoint({first, /*stride=*/1, /*divisor=*/items},
                                shapeOf(value)));
  elements.begin(1);
  if (failed(made))
    return failure();
  return SmallVector<Value>(made->begin(), made->end());
}

//===----------------------------------------------------------------------===//
// Locating reads
//===----------------------------------------------------------------------===//

HeldRead StepEmitter::locate(Value held, ArrayRef<LaneIndex> indices) const {
  auto isOwn = [&](unsigned dim) {
    return indices[dim].anchor && indices[dim].anchor->dim == dim &&
           indices[dim].anchor->offset == 0;
  };
  HeldRead read;
  if (shape.hasInstances && !isOwn(0)) {
    read.isForeign = true;
    return read;
  }
  ArrayRef<int64_t> source = shapeOf(held);
  unsigned first = shape.hasInstances ? 1 : 0;
  int64_t items = shape.itemsPerLane(shape.ownElements(held));
  int64_t readerItems =
      shape.itemsPerLane(llvm::product_of(readerShape.drop_front(first)));
  // Positions that differ by a constant: the strides of both are the same.
  if (source.size() != readerShape.size() || items != readerItems ||
      (source.size() > first &&
       source.drop_front(first + 1) != readerShape.drop_front(first + 1)))
    return read;
  int64_t distance = 0, stride = 1;
  for (unsigned dim = source.size(); dim-- > first;) {
    if (!indices[dim].anchor || indices[dim].anchor->dim != dim)
      return read;
    distance += indices[dim].anchor->offset * stride;
    stride *= source[dim];
  }
  int64_t item = readerItem + distance;
  int64_t lanesOn = llvm::divideFloorSigned(item, items);
  read.anywhere = false;
  read.item = item - lanesOn * items;
  read.lane = ((lanesOn % shape.lanes) + shape.lanes) % shape.lanes;
  return read;
}

Value StepEmitter::ownPosition(Value held, ArrayRef<LaneIndex> indices) {
  Value position = k.index(0);
  unsigned first = shape.hasInstances ? 1 : 0;
  ArrayRef<int64_t> source = shapeOf(held);
  int64_t stride = 1;
  for (unsigned dim = source.size(); dim-- > first;) {
    position = k(indices[dim].base) * stride + position;
    stride *= source[dim];
  }
  return position;
}

FailureOr<StepReads> gpuvm::findReads(const ChainStep &step,
                                      const ChainShape &shape) {
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(step.hold.getLoc());
  OpBuilder b(step.hold.getContext());
  b.setInsertionPointToStart(scratch->getBody());
  KernelBuilder kernel(b, step.hold.getLoc(), "reads", shape.lanes);
  ElementEmitter elements(
      kernel, [](BlockArgument argument) { return argument.getArgNumber(); },
      /*exact=*/false);
  StepEmitter emitter(kernel, elements, shape);
  StepReads reads(step.sources.size());
  elements.onHeld([&](Value held, ArrayRef<LaneIndex> at) -> FailureOr<Value> {
    unsigned source = llvm::find(step.sources, held) - step.sources.begin();
    reads[source].push_back(emitter.locate(held, at));
    Type type = cast<RankedTensorType>(held.getType()).getElementType();
    return Value(
        arith::ConstantOp::create(b, kernel.loc(), b.getZeroAttr(type)));
  });
  if (failed(emitter.emit(step.hold)))
    return failure();
  kernel.finish();
  return reads;
}
