//===- ReduceFamily.cpp - reductions and contractions ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/BodyTraits.h"
#include "kernels/analysis/Reductions.h"
#include "kernels/contract/ContractEmitter.h"
#include "kernels/family/Family.h"
#include "kernels/reduce/ReduceEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class ReduceFamily : public KernelFamily {
public:
  bool takes(flow::DispatchOp kernel) const override {
    return !getReductions(kernel).empty();
  }
  std::unique_ptr<KernelLayout> layOut(flow::DispatchOp kernel,
                                       TargetAttr target) const override;
  SmallVector<LaunchForm> specialForms(flow::DispatchOp kernel) const override;
  bool changeForm(flow::DispatchOp kernel, StringRef form, TargetAttr target,
                  std::unique_ptr<KernelLayout> &layout) const override;
  bool fitToOneGroup(KernelLayout &layout) const override {
    layout.groups = 1;
    return layout.scratch.empty();
  }
  bool accepts(const KernelLayout &layout, StringRef field, int64_t own,
               int64_t given) const override;
  int64_t bodiesPerLane(flow::DispatchOp kernel,
                        const KernelLayout &layout) const override;
  bool worksInPlace(flow::DispatchOp, unsigned, unsigned) const override {
    return true;
  }
  bool placesResults() const override { return true; }
  bool writesTwice() const override { return true; }
  LogicalResult emit(EmitterContext &context) const override;
};
} // namespace

static ReductionOrder orderOf(flow::DispatchOp kernel) {
  return getReductionOrder(getLeadReduction(getReductions(kernel)));
}

/// The results, and the elements of each.
static void countElements(flow::DispatchOp kernel, KernelLayout &layout) {
  linalg::GenericOp first = getReductions(kernel).front();
  for (auto [range, iterator] : llvm::zip_equal(first.getStaticLoopRanges(),
                                                first.getIteratorTypesArray()))
    (iterator == utils::IteratorType::parallel ? layout.results
                                               : layout.elements) *= range;
}

std::unique_ptr<KernelLayout> ReduceFamily::layOut(flow::DispatchOp kernel,
                                                   TargetAttr target) const {
  ReductionOrder order = orderOf(kernel);
  if (!order.tiled) {
    auto layout = std::make_unique<ReduceLayout>();
    countElements(kernel, *layout);
    layout->order = order;
    layOutReduction(kernel, target, *layout);
    return layout;
  }
  auto layout = std::make_unique<ContractLayout>();
  countElements(kernel, *layout);
  layout->vectorizes =
      keepsLoopNeighbours(kernel, inspectBody(kernel), /*vector=*/16);
  layout->tile = chooseTile(getReductions(kernel), layout->vectorizes, target);
  layout->groups = std::min(layout->tile.tiles(), KernelLayout::kMaxGroups);
  return layout;
}

SmallVector<LaunchForm>
ReduceFamily::specialForms(flow::DispatchOp kernel) const {
  SmallVector<LaunchForm> forms = KernelFamily::specialForms(kernel);
  forms.push_back(getMatricesForm(kernel));
  return forms;
}

static bool useMatrices(flow::DispatchOp kernel, TargetAttr target,
                        ContractLayout &layout) {
  std::optional<ContractionTile> tile =
      chooseMatrixTile(getReductions(kernel), layout.vectorizes, target);
  if (!tile)
    return false;
  layout.tile = *tile;
  layout.lanes = tile->lanes();
  return true;
}

bool ReduceFamily::changeForm(flow::DispatchOp kernel, StringRef form,
                              TargetAttr target,
                              std::unique_ptr<KernelLayout> &layout) const {
  bool isTiled = orderOf(kernel).tiled;
  if (form == kMatricesForm)
    return isTiled &&
           useMatrices(kernel, target, static_cast<ContractLayout &>(*layout));
  if (form == kWideForm)
    return isTiled
               ? widenContraction(getReductions(kernel),
                                  static_cast<ContractLayout &>(*layout))
               : widenReduction(kernel, static_cast<ReduceLayout &>(*layout));
  return KernelFamily::changeForm(kernel, form, target, layout);
}

bool ReduceFamily::accepts(const KernelLayout &layout, StringRef field,
                           int64_t own, int64_t given) const {
  return given == own || (field == "groups" && layout.ownResults);
}

int64_t ReduceFamily::bodiesPerLane(flow::DispatchOp kernel,
                                    const KernelLayout &layout) const {
  int64_t lanes = layout.lanes * layout.groups;
  return orderOf(kernel).sequential
             ? layout.elements * llvm::divideCeil(layout.results, lanes)
             : llvm::divideCeil(layout.elements * layout.results, lanes);
}

LogicalResult ReduceFamily::emit(EmitterContext &context) const {
  return orderOf(context.op).tiled ? emitContract(context)
                                   : emitReduce(context);
}

namespace mlir::gpuvm {
const KernelFamily &getReduceFamily() {
  static const ReduceFamily family;
  return family;
}
} // namespace mlir::gpuvm
