//===- Fft.cpp - the emitter of gpuvm.fft and gpuvm.convolve --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stages in the order of Stockham (as in Govindaraju et al., "High Performance
// Discrete Fourier Transforms on Graphics Processors", 2008): every stage reads
// elements at one distance and the last one leaves them in order, so nothing is
// ever permuted. The matrix of a transform is symmetric, so the stages may as
// well be run transposed, from the last to the first. gpuvm.convolve does that
// on its way back: what a lane holds at the end of the way there is what it
// needs for the way back.
//
// Inverse transforms are forward ones with real and imaginary parts exchanged.
//
//===----------------------------------------------------------------------===//

#include "kernels/fft/FftEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

FftEmitter::Signal FftEmitter::lastDimensionOf(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return {tensor, llvm::to_vector(type.getShape()), type.getRank() - 2};
}

FftEmitter::FftEmitter(EmitterContext &context, Operation *root)
    : RootEmitter(context), layout(context.layoutAs<FftLayout>()), root(root),
      arithmetic(context.kernel,
                 getElementTypeOrSelf(root->getResult(0).getType())) {
  source = lastDimensionOf(root->getOperand(0));
  if (auto op = dyn_cast<FftOp>(root)) {
    source.dimension = op.getTransformed();
    result = {op.getResult(), getPlacedShape(op), op.getPlaced()};
    twiddles = op.getTwiddles();
    inverse = op.getInverse();
    return;
  }
  auto op = cast<ConvolveOp>(root);
  result = lastDimensionOf(op.getResult());
  twiddles = op.getTwiddles();
  spectrum = op.getSpectrum();
  inverse = true; // In the end.
}

/// The butterflies of `stage` that this lane takes, the first one of each lane
/// beside that of its neighbour.
FftEmitter::Places FftEmitter::placesOf(const FftStage &stage) {
  bool isFirst = stage.before == 1;
  bool isLast = stage.before * stage.radix == layout.length;
  bool across =
      (isFirst && layout.readsAcross) || (isLast && layout.writesAcross);
  int64_t count = layout.butterflies(stage);
  Places places;
  for (int64_t first = 0; first < count; first += layout.lanes) {
    Value number = k(lane) + first, inside;
    if (first + layout.lanes > count) {
      inside = k(number) < count;
      number = min(k(number), count - 1);
    }
    int64_t period = across ? layout.tile : distance(stage);
    Value fast = k(number) % period, slow = k(number) / period;
    places.push_back(across ? Place{fast, slow, inside}
                            : Place{slow, fast, inside});
  }
  return places;
}

void FftEmitter::transformEach(Held &held) {
  for (Complexes &values : held.values)
    values = arithmetic.transform(values);
}

void FftEmitter::swapEach(Held &held) {
  for (Complexes &values : held.values)
    for (Complex &value : values)
      value = value.swapped();
}

/// From what the first stage reads to what the last one makes.
FftEmitter::Held FftEmitter::forward(Held held) {
  for (auto [i, stage] : llvm::enumerate(layout.stages)) {
    if (i > 0) {
      const FftStage &before = layout.stages[i - 1];
      held = exchange(
          held, [&](const Place &p) { return spreadSlots(p, before); },
          placesOf(stage),
          [&](const Place &p) { return lineSlots(p, stage, before); },
          stage.radix);
      multiplyTwiddles(held, stage);
    }
    transformEach(held);
  }
  return held;
}

/// From what the last stage makes to what the first one reads: the same
/// transform.
FftEmitter::Held FftEmitter::backward(Held held) {
  for (size_t i = layout.stages.size(); i-- > 0;) {
    const FftStage &stage = layout.stages[i];
    transformEach(held);
    if (i == 0)
      break;
    multiplyTwiddles(held, stage);
    const FftStage &before = layout.stages[i - 1];
    held = exchange(
        held, [&](const Place &p) { return lineSlots(p, stage, before); },
        placesOf(before),
        [&](const Place &p) { return spreadSlots(p, before); }, before.radix);
  }
  return held;
}

void FftEmitter::multiplySpectrum(Held &held) {
  for (auto [place, values] : llvm::zip_equal(held.places, held.values)) {
    Complexes factors =
        read(lastDimensionOf(spectrum), place, layout.stages.back());
    for (auto [value, factor] : llvm::zip_equal(values, factors))
      value = arithmetic.multiply(value, factor);
  }
}

void FftEmitter::emitTile(Value number) {
  firstTransform = k(number) * layout.tile;
  memoryIsRead = false;
  Held held = {placesOf(layout.stages.front()), {}};
  for (const Place &place : held.places)
    held.values.push_back(read(source, place, layout.stages.front()));
  if (inverse && !spectrum)
    swapEach(held);
  held = forward(std::move(held));
  if (spectrum) {
    multiplySpectrum(held);
    swapEach(held);
    held = backward(std::move(held));
  }
  if (inverse)
    swapEach(held);
  write(held);
}

LogicalResult FftEmitter::run() {
  lane = k.laneId();
  if (layout.stages.size() > 1) {
    Type element = getElementTypeOrSelf(root->getResult(0).getType());
    memory[0] = k.allocateWorkgroup(element, layout.words());
    memory[1] = layout.movesBoth ? k.allocateWorkgroup(element, layout.words())
                                 : memory[0];
  }
  if (layout.tiles() == c.layout.groups) {
    emitTile(k.groupId());
    return failure(failed_);
  }
  k.loop(
      k.groupId(), k.index(layout.tiles()), k.index(c.layout.groups), {},
      [&](Value number, ValueRange) {
        emitTile(number);
        waitForMemory();
        return SmallVector<Value>();
      },
      /*runs=*/true);
  return failure(failed_);
}
