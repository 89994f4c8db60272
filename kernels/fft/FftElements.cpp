//===- FftElements.cpp - the elements of transforms on their way ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/fft/FftEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

Value FftEmitter::numberInAll(const Place &place) {
  return k(firstTransform) + place.transform;
}

/// The indices of `place` in all dimensions but the transformed one and that of
/// the parts. Transforms behind the last one are the last one again.
SmallVector<LaneIndex> FftEmitter::indicesOf(const Signal &signal,
                                             const Place &place) {
  SmallVector<int64_t> shape(ArrayRef(signal.shape).drop_back());
  shape.erase(shape.begin() + signal.dimension);
  Value number = numberInAll(place);
  if (layout.transforms % layout.tile != 0)
    number = min(k(number), layout.transforms - 1);
  if (shape.empty())
    return {};
  return delinearize(k, {number}, shape);
}

/// Both parts of the number at `indices`.
Complex FftEmitter::emit(Value tensor, ArrayRef<LaneIndex> indices) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor.getType()).getShape();
  SmallVector<LaneIndex> place(indices);
  if (c.layout.vectorizes) {
    place.push_back({k.index(0), 1, 2, 0, 0});
    c.elements.begin(2);
    auto parts = c.elements.emit(tensor, c.elements.point(place, shape));
    if (check(parts))
      return {(*parts)[0], (*parts)[1]};
  } else {
    c.elements.begin(1);
    place.push_back({k.index(0), 0, 1, 0, 0});
    auto re = c.elements.emit(tensor, c.elements.point(place, shape));
    place.back() = {k.index(1), 0, 1, 1, 1};
    auto im = c.elements.emit(tensor, c.elements.point(place, shape));
    if (check(re) && check(im))
      return {re->front(), im->front()};
  }
  Value zero = k.constant(getElementTypeOrSelf(tensor.getType()), 0);
  return {zero, zero};
}

/// The elements of a transform that one butterfly of `stage` takes: those at
/// the stage's distance from each other.
Complexes FftEmitter::read(const Signal &signal, const Place &place,
                           const FftStage &stage) {
  Complexes values;
  SmallVector<LaneIndex> others = indicesOf(signal, place);
  for (int64_t q = 0; q < stage.radix; ++q) {
    int64_t low = q * distance(stage);
    SmallVector<LaneIndex> indices(others);
    LaneIndex element = {k(place.number) + low, 0, 1, low,
                         low + distance(stage) - 1};
    indices.insert(indices.begin() + signal.dimension, element);
    values.push_back(emit(signal.tensor, indices));
  }
  return values;
}

void FftEmitter::multiplyTwiddles(Held &held, const FftStage &stage) {
  for (auto [place, values] : llvm::zip_equal(held.places, held.values)) {
    Expr n = k(place.number) % stage.before;
    for (int64_t q = 1; q < stage.radix; ++q) {
      LaneIndex entry = {n + stage.index(q)};
      values[q] = arithmetic.multiply(values[q], emit(twiddles, entry));
    }
  }
}

/// A number of the result, and what follows from it.
void FftEmitter::writeOne(Complex value, ArrayRef<LaneIndex> indices) {
  auto yield = cast<YieldOp>(c.op.getBody().front().getTerminator());
  auto store = [&](LaneIndex part, Lanes parts) {
    SmallVector<LaneIndex> place(indices);
    place.push_back(part);
    c.elements.begin(parts.size());
    c.elements.bind(result.tensor, std::move(parts));
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(result.tensor.getType()).getShape();
    ElementEmitter::Point at = c.elements.point(place, result.shape);
    if (shape != ArrayRef(result.shape))
      at = c.elements.flatPoint(c.elements.position(at), shape);
    for (auto [binding, tensor] :
         llvm::zip_equal(c.bindings.outputs, yield.getValues())) {
      auto elements = c.elements.emit(tensor, at);
      if (check(elements))
        c.elements.store(binding, *elements, at);
    }
  };
  if (c.layout.vectorizes)
    return store({k.index(0), 1, 2, 0, 0}, {value.re, value.im});
  store({k.index(0), 0, 1, 0, 0}, {value.re});
  store({k.index(1), 0, 1, 1, 1}, {value.im});
}

void FftEmitter::write(const Held &held) {
  // gpuvm.convolve ends with the first stage; both make elements at a distance.
  const FftStage &stage =
      spectrum ? layout.stages.front() : layout.stages.back();
  long double factor = 1.0L / layout.length;
  for (auto [place, values] : llvm::zip_equal(held.places, held.values)) {
    Value inside = place.inside;
    if (layout.transforms % layout.tile != 0) {
      Value exists = k(numberInAll(place)) < layout.transforms;
      inside =
          inside ? Value(arith::AndIOp::create(k.ir(), k.loc(), inside, exists))
                 : exists;
    }
    auto store = [&] {
      SmallVector<LaneIndex> others = indicesOf(result, place);
      for (auto [q, value] : llvm::enumerate(values)) {
        SmallVector<LaneIndex> indices(others);
        Value n = k(place.number) + q * distance(stage);
        indices.insert(indices.begin() + result.dimension, {n});
        writeOne(inverse ? arithmetic.scale(value, factor) : value, indices);
      }
    };
    if (inside)
      k.ifThen(inside, store);
    else
      store();
  }
}

//===----------------------------------------------------------------------===//
// Workgroup memory
//===----------------------------------------------------------------------===//

/// Where the elements are that a butterfly of `stage` makes.
FftEmitter::Slots FftEmitter::spreadSlots(const Place &place,
                                          const FftStage &stage) {
  int64_t block = stage.before * stage.radix + layout.padding(stage);
  Value first =
      k(place.number) / stage.before * block + k(place.number) % stage.before;
  return {k(place.transform) * layout.pitch() + first, stage.before};
}

/// Where the elements are that a butterfly of `stage` takes, behind `before`.
FftEmitter::Slots FftEmitter::lineSlots(const Place &place,
                                        const FftStage &stage,
                                        const FftStage &before) {
  // Whole blocks of the stage before lie between the elements.
  int64_t padding = layout.padding(before);
  Expr blocks = k(place.number) / stage.before;
  Value first = k(place.number) + blocks * padding;
  int64_t step = distance(stage) + distance(stage) / stage.before * padding;
  return {k(place.transform) * layout.pitch() + first, step};
}

void FftEmitter::storeEach(const Held &held, bool imaginary, Value memory,
                           SlotsFn slots) {
  for (auto [place, values] : llvm::zip_equal(held.places, held.values)) {
    auto store = [&] {
      Slots to = slots(place);
      for (auto [q, value] : llvm::enumerate(values))
        k.storeWorkgroup(memory, imaginary ? value.im : value.re,
                         k(to.first) + q * to.step);
    };
    if (place.inside)
      k.ifThen(place.inside, store);
    else
      store();
  }
}

void FftEmitter::loadEach(Held &held, bool imaginary, Value memory,
                          SlotsFn slots, int64_t count) {
  Type type = cast<MemRefType>(memory.getType()).getElementType();
  held.values.resize(held.places.size(), Complexes(count));
  for (auto [place, values] : llvm::zip_equal(held.places, held.values)) {
    Slots from = slots(place);
    for (auto [q, value] : llvm::enumerate(values))
      (imaginary ? value.im : value.re) =
          k.loadWorkgroup(memory, type, k(from.first) + q * from.step);
  }
}

void FftEmitter::waitForMemory() {
  if (memoryIsRead)
    k.workgroupBarrier();
  memoryIsRead = false;
}

/// What the lanes hold, held by others: `count` elements a butterfly.
FftEmitter::Held FftEmitter::exchange(const Held &from, SlotsFn fromSlots,
                                      Places to, SlotsFn toSlots,
                                      int64_t count) {
  Held held = {std::move(to), {}};
  for (bool imaginary : {false, true}) {
    if (!imaginary || !layout.movesBoth)
      waitForMemory();
    storeEach(from, imaginary, memory[imaginary], fromSlots);
    if (layout.movesBoth && !imaginary)
      continue;
    k.workgroupBarrier();
    for (bool part : {false, true})
      if (part == imaginary || layout.movesBoth)
        loadEach(held, part, memory[part], toSlots, count);
    memoryIsRead = true;
  }
  return held;
}
