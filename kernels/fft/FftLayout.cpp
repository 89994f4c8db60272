//===- FftLayout.cpp - how transforms are laid over the device ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/fft/FftLayout.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Banks of workgroup memory, of a word each.
static constexpr int64_t kBanks = 32;
/// Elements of a lane, and the lanes of a workgroup: within every Vulkan
/// device's limits.
static constexpr int64_t kElementsPerLane = 16;
static constexpr int64_t kMinLanes = 32, kMaxLanes = 256;
/// Elements of a workgroup that has a choice: small workgroups wait less for
/// each other, and both parts of so many fit into their memory.
static constexpr int64_t kTileElements = 2048;
/// Neighbouring complex numbers of 8 bytes that are read at once where those of
/// one transform lie apart: 64 bytes at least.
static constexpr int64_t kLeastAcross = 8, kMostAcross = 16;
/// Elements below which nothing is gained by more workgroups.
static constexpr int64_t kLeastElements = 256;

int64_t FftLayout::padding(const FftStage &stage) const {
  bool collides = stage.radix % 2 == 0 && stage.before < kBanks;
  return isPadded && collides ? stage.before : 0;
}

int64_t FftLayout::pitch() const {
  int64_t most = length;
  for (const FftStage &stage : ArrayRef(stages).drop_back())
    most = std::max(most, length + length / (stage.radix * stage.before) *
                                       padding(stage));
  if (!isPadded || tile == 1)
    return most;
  // Lanes that are neighbours across transforms share out the banks.
  int64_t step = kBanks / std::min(kBanks, tile);
  return llvm::alignTo(most - step, kBanks) + step;
}

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

/// Lets workgroups take as many transforms as `most` elements hold, but not so
/// many that there are too few workgroups.
static void chooseTile(FftLayout &layout, int64_t least, int64_t most,
                       TargetAttr target) {
  auto elements = [&] { return layout.tile * layout.length; };
  while (layout.tile * 2 * layout.length <= most &&
         layout.tile < layout.transforms)
    layout.tile *= 2;
  while (layout.tile > least && elements() > kLeastElements &&
         layout.tiles() < target.getBusyGroups())
    layout.tile /= 2;
}

static FftLayout layOut(Value source, int64_t dimension, bool readsAcross,
                        bool writesAcross, TargetAttr target) {
  auto type = cast<RankedTensorType>(source.getType());
  Type element = type.getElementType();
  FftLayout layout;
  layout.length = type.getDimSize(dimension);
  layout.transforms = type.getNumElements() / 2 / layout.length;
  layout.stages = *getFftStages(layout.length, element);
  layout.readsAcross = readsAcross;
  layout.writesAcross = writesAcross;
  int64_t room = getMaxFftElements(element);
  bool across = readsAcross || writesAcross;
  chooseTile(layout, across ? kMostAcross : 1, kTileElements, target);
  if (across)
    while (layout.tile < std::min(kLeastAcross, layout.transforms) &&
           2 * layout.tile * layout.length <= room)
      layout.tile *= 2;
  layout.lanes =
      std::clamp<int64_t>(llvm::PowerOf2Ceil(llvm::divideCeil(
                              layout.tile * layout.length, kElementsPerLane)),
                          kMinLanes, kMaxLanes);
  layout.isPadded = true;
  layout.isPadded = layout.words() <= room;
  layout.movesBoth = 2 * layout.words() <= room;
  return layout;
}

RootOpInterface gpuvm::getFftRoot(flow::DispatchOp kernel) {
  auto roots = kernel.getBody().getOps<RootOpInterface>();
  return *roots.begin();
}

FftLayout gpuvm::layOutFft(flow::DispatchOp kernel, TargetAttr target) {
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  auto liesAcross = [](ArrayRef<int64_t> shape, int64_t dimension) {
    return product(shape.drop_front(dimension + 1).drop_back()) > 1;
  };
  Operation *root = getFftRoot(kernel);
  if (auto op = dyn_cast<ConvolveOp>(root))
    return layOut(op.getSource(), shapeOf(op.getSource()).size() - 2,
                  /*readsAcross=*/false, /*writesAcross=*/false, target);
  auto op = cast<FftOp>(root);
  return layOut(op.getSource(), op.getTransformed(),
                liesAcross(shapeOf(op.getSource()), op.getTransformed()),
                liesAcross(getPlacedShape(op), op.getPlaced()), target);
}

void FftLayout::visit(LayoutFields &fields) {
  fields.number("tile", tile);
  fields.flag("is_padded", isPadded);
  fields.flag("moves_both", movesBoth);
}
