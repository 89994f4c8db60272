//===- MapFamily.cpp - how maps are laid over the device ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/BodyTraits.h"
#include "kernels/family/Family.h"
#include "kernels/loops/LongLoops.h"
#include "kernels/map/HaloTile.h"
#include "kernels/map/MapEmitter.h"
#include "kernels/map/MapLayout.h"

#include <numeric>

using namespace mlir;
using namespace mlir::gpuvm;

using Loops = MapLayout::Loops;

/// Without the limit, for devices whose drivers have none.
static constexpr StringLiteral kUnlimitedForm = "unlimited_loops";
/// A lane's straight-line code reads so many elements at most where its code
/// says: they wait for one another in one lane, where several lanes would have
/// them in flight.
static constexpr int64_t kMaxGathers = 64;

namespace {
class MapFamily : public KernelFamily {
public:
  bool takes(flow::DispatchOp) const override { return true; }
  std::unique_ptr<KernelLayout> layOut(flow::DispatchOp kernel,
                                       TargetAttr target) const override;
  SmallVector<LaunchForm> specialForms(flow::DispatchOp kernel) const override;
  bool changeForm(flow::DispatchOp kernel, StringRef form, TargetAttr target,
                  std::unique_ptr<KernelLayout> &layout) const override;
  void fitTo(flow::DispatchOp kernel, int64_t units,
             KernelLayout &layout) const override;
  bool fitToOneGroup(KernelLayout &layout) const override {
    layout.groups = 1;
    return layout.scratch.empty() &&
           static_cast<MapLayout &>(layout).tile.empty();
  }
  bool accepts(const KernelLayout &layout, StringRef field, int64_t own,
               int64_t given) const override;
  int64_t bodiesPerLane(flow::DispatchOp kernel,
                        const KernelLayout &layout) const override;
  void addFeatures(flow::DispatchOp kernel, const KernelLayout &layout,
                   SmallVectorImpl<StringRef> &features) const override;
  bool worksInPlace(flow::DispatchOp, unsigned, unsigned) const override {
    return true;
  }
  bool writesTwice() const override { return true; }
  LogicalResult emit(EmitterContext &context) const override;
};
} // namespace

static Loops loopsOf(const KernelLayout &layout) {
  return static_cast<const MapLayout &>(layout).loops;
}

int64_t MapFamily::bodiesPerLane(flow::DispatchOp,
                                 const KernelLayout &layout) const {
  return llvm::divideCeil(layout.elements, layout.lanes * layout.groups);
}

/// A map that cannot be tiled has no tile and is refused when it is emitted.
static void layOutTiles(flow::DispatchOp kernel, TargetAttr target,
                        MapLayout &layout) {
  ArrayRef<int64_t> loops =
      cast<RankedTensorType>(kernel.getResultTypes().front()).getShape();
  layout.elements = ShapedType::getNumElements(loops);
  if (std::optional<SmallVector<HaloValue>> halos = findHalos(kernel))
    layout.tile = chooseHaloTile(loops, *halos, target);
  int64_t tiles = layout.tile.empty() ? 1 : countTiles(loops, layout.tile);
  layout.groups = std::min(tiles, KernelLayout::kMaxGroups);
  if (layout.tile.empty())
    return;
  constexpr int64_t kMinLanes = 32, kMaxShared = 4;
  if (layout.tile.size() > 1)
    layout.unroll =
        std::gcd(kMaxShared, layout.tile[getSharingDim(layout.tile)]);
  int64_t ops = inspectBody(kernel).ops;
  while (layout.unroll > 1 &&
         layout.unroll * ops > KernelLayout::kMaxUnrolledOps)
    layout.unroll /= 2;
  layout.lanes =
      std::clamp(ShapedType::getNumElements(layout.tile) / layout.unroll,
                 kMinLanes, KernelLayout::kLanes);
}

void MapLayout::visit(LayoutFields &fields) {
  for (auto [d, size] : llvm::enumerate(tile))
    fields.number(("tile_" + Twine(d)).str(), size);
}

std::unique_ptr<KernelLayout> MapFamily::layOut(flow::DispatchOp kernel,
                                                TargetAttr target) const {
  auto layout = std::make_unique<MapLayout>();
  if (!getHeldValues(kernel).empty()) {
    layOutTiles(kernel, target, *layout);
    return layout;
  }
  BodyTraits traits = inspectBody(kernel);
  layout->elements =
      cast<RankedTensorType>(kernel.getResultTypes().front()).getNumElements();
  auto isCrowded = [&](int64_t elements) {
    return elements * traits.gathers > kMaxGathers;
  };
  int64_t preferred = preferredVector(kernel);
  while (preferred > 4 && isCrowded(preferred))
    preferred /= 2;
  for (int64_t vector : {preferred, traits.run})
    if (vector > layout->vector && keepsNeighbours(kernel, traits, vector))
      layout->vector = vector;
  layout->unroll = std::clamp<int64_t>(KernelLayout::kMaxUnrolledOps /
                                           (layout->vector * traits.ops),
                                       1, traits.maxUnroll());
  while (layout->unroll > 1 && isCrowded(layout->vector * layout->unroll))
    layout->unroll /= 2;
  int64_t tile = KernelLayout::kLanes * layout->vector * layout->unroll;
  int64_t work = layout->elements >= tile ? tile : KernelLayout::kLanes;
  layout->groups = std::min<int64_t>(llvm::divideCeil(layout->elements, work),
                                     KernelLayout::kMaxGroups);
  int64_t lanes = layout->groups * layout->lanes;
  if (mayLoopLong(kernel, *layout)) {
    layout->loops = Loops::Limited;
    layout->scratch.push_back({kWordBytes * lanes, /*keepsZero=*/true});
    layout->scratch.push_back({kWordBytes * kNumLoopWords, /*keepsZero=*/false,
                               /*keepsAll=*/false, /*inControl=*/true});
  }
  return layout;
}

SmallVector<LaunchForm> MapFamily::specialForms(flow::DispatchOp kernel) const {
  SmallVector<LaunchForm> forms = {{kUnlimitedForm, {"unlimited_loops"}}};
  llvm::append_range(forms, KernelFamily::specialForms(kernel));
  return forms;
}

/// Elements that are read where the code says are loaded one by one anyhow: 128
/// x 128 cells of nine neighbours, 1,000 steps, 507 ms instead of 255.
static bool widen(flow::DispatchOp kernel, KernelLayout &layout) {
  BodyTraits traits = inspectBody(kernel);
  int64_t vector = 2 * layout.vector;
  if (traits.once() || layout.vector == 1 || traits.gathers > 0 ||
      !keepsNeighbours(kernel, traits, vector))
    return false;
  layout.wide = true;
  layout.vector = vector;
  layout.unroll = std::max<int64_t>(1, layout.unroll / 2);
  return true;
}

bool MapFamily::changeForm(flow::DispatchOp kernel, StringRef form,
                           TargetAttr target,
                           std::unique_ptr<KernelLayout> &layout) const {
  bool isLimited = loopsOf(*layout) == Loops::Limited;
  if (form == kPlainForm)
    return !isLimited;
  if (form == kLimitedForm)
    return isLimited;
  if (form == kResumingForm) {
    static_cast<MapLayout &>(*layout).loops = Loops::Resumed;
    layout->groups =
        layout->groups * layout->lanes / lanesOfResuming(layout->elements);
    return isLimited;
  }
  if (form == kWideForm)
    return !isLimited && widen(kernel, *layout);
  if (form != kUnlimitedForm)
    return KernelFamily::changeForm(kernel, form, target, layout);
  layout->scratch.clear();
  static_cast<MapLayout &>(*layout).loops = Loops::Plain;
  return isLimited;
}

/// A lane for each element, if all of them run at once: what a lane reads for
/// several elements where the code says would be read one after the other.
/// (Elements of less than a word stay together, which share one.)
void MapFamily::fitTo(flow::DispatchOp kernel, int64_t units,
                      KernelLayout &layout) const {
  bool sharesWords = llvm::any_of(kernel.getResultTypes(), [&](Type type) {
    return cast<RankedTensorType>(type).getNumElements() == layout.elements &&
           getElementTypeOrSelf(type).getIntOrFloatBitWidth() < 32;
  });
  if (!static_cast<MapLayout &>(layout).tile.empty() || sharesWords ||
      layout.elements > units * layout.lanes ||
      inspectBody(kernel).gathers == 0)
    return;
  layout.vector = layout.unroll = 1;
  layout.groups = llvm::divideCeil(layout.elements, layout.lanes);
}

bool MapFamily::accepts(const KernelLayout &layout, StringRef field,
                        int64_t own, int64_t given) const {
  if (given == own)
    return true;
  if (loopsOf(layout) == Loops::Limited)
    return false;
  if (!static_cast<const MapLayout &>(layout).tile.empty())
    return field == "groups";
  if (field == "vector")
    return own % given == 0;
  if (field == "unroll")
    return given <= KernelLayout::kMaxUnrolledOps;
  return field == "groups";
}

void MapFamily::addFeatures(flow::DispatchOp kernel, const KernelLayout &layout,
                            SmallVectorImpl<StringRef> &features) const {
  if (loopsOf(layout) == Loops::Plain)
    KernelFamily::addFeatures(kernel, layout, features);
}

LogicalResult MapFamily::emit(EmitterContext &context) const {
  if (!getHeldValues(context.op).empty())
    return emitHaloMap(context);
  switch (loopsOf(context.layout)) {
  case Loops::Plain:
    return emitMap(context);
  case Loops::Limited:
    return emitLimitedMap(context);
  case Loops::Resumed:
    return emitResumingMap(context);
  }
  llvm_unreachable("there are no other loops");
}

namespace mlir::gpuvm {
const KernelFamily &getMapFamily() {
  static const MapFamily family;
  return family;
}
} // namespace mlir::gpuvm
