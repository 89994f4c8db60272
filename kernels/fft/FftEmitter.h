//===- FftEmitter.h - the emitter of transforms -----------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the emitter. Fft.cpp goes through the stages of a tile of
// transforms, FftElements.cpp moves elements: from operands, through workgroup
// memory, to results.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/builder/ComplexBuilder.h"
#include "kernels/family/RootEmitter.h"
#include "kernels/fft/FftLayout.h"

namespace mlir::gpuvm {

class FftEmitter : RootEmitter {
public:
  /// `root`: the gpuvm.fft or gpuvm.convolve of the kernel.
  FftEmitter(EmitterContext &context, Operation *root);
  LogicalResult run();

private:
  /// A butterfly of this lane.
  struct Place {
    Value transform; ///< In the tile.
    Value number;    ///< Of the transform's butterflies.
    Value inside;    ///< Whether there is one; null if there always is.
  };
  using Places = SmallVector<Place>;
  /// What a lane holds: the elements of its butterflies.
  struct Held {
    Places places;
    SmallVector<Complexes> values;
  };
  /// Where in workgroup memory the elements of a butterfly are.
  struct Slots {
    Value first;
    int64_t step;
  };
  using SlotsFn = function_ref<Slots(const Place &)>;
  /// A tensor of complex numbers, its shape, and its dimension that is
  /// transformed. The tensor itself may have dimensions taken together.
  struct Signal {
    Value tensor;
    SmallVector<int64_t> shape;
    int64_t dimension;
  };
  static Signal lastDimensionOf(Value tensor);

  // Fft.cpp
  void emitTile(Value number);
  Places placesOf(const FftStage &stage);
  Held forward(Held held);
  Held backward(Held held);
  void transformEach(Held &held);
  void multiplySpectrum(Held &held);
  void swapEach(Held &held);

  // FftElements.cpp
  int64_t distance(const FftStage &stage) const {
    return layout.length / stage.radix;
  }
  Value numberInAll(const Place &place);
  SmallVector<LaneIndex> indicesOf(const Signal &signal, const Place &place);
  Complex emit(Value tensor, ArrayRef<LaneIndex> indices);
  Complexes read(const Signal &signal, const Place &place,
                 const FftStage &stage);
  void multiplyTwiddles(Held &held, const FftStage &stage);
  Slots spreadSlots(const Place &place, const FftStage &stage);
  Slots lineSlots(const Place &place, const FftStage &stage,
                  const FftStage &before);
  Held exchange(const Held &from, SlotsFn fromSlots, Places to, SlotsFn toSlots,
                int64_t count);
  void storeEach(const Held &held, bool imaginary, Value memory, SlotsFn slots);
  void loadEach(Held &held, bool imaginary, Value memory, SlotsFn slots,
                int64_t count);
  void waitForMemory();
  void write(const Held &held);
  void writeOne(Complex value, ArrayRef<LaneIndex> indices);

  const FftLayout &layout;
  Operation *root;
  Signal source, result;
  Value twiddles, spectrum; ///< Null where there are none.
  bool inverse;
  ComplexBuilder arithmetic;
  Value lane, firstTransform;
  Value memory[2]; ///< For real and for imaginary parts, or the same for both.
  bool memoryIsRead = false; ///< Somebody may still read what is in it.
};

} // namespace mlir::gpuvm
