//===- SortFamily.cpp - kernels of sorts and searches ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/BodyTraits.h"
#include "kernels/analysis/Subgroups.h"
#include "kernels/family/Family.h"
#include "kernels/sort/SortEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

static constexpr StringLiteral kSubgroupsForm = "subgroups";
/// maxComputeWorkGroupCount is at least so much (Vulkan 1.2, required limits).
static constexpr int64_t kMostGroups = 65535;

namespace {
class SortFamily : public KernelFamily {
public:
  std::unique_ptr<KernelLayout> layOut(flow::DispatchOp kernel,
                                       TargetAttr target) const override;
  SmallVector<LaunchForm> specialForms(flow::DispatchOp kernel) const override;
  bool changeForm(flow::DispatchOp kernel, StringRef form, TargetAttr target,
                  std::unique_ptr<KernelLayout> &layout) const override;
  LogicalResult emit(EmitterContext &context) const override;
};
} // namespace

/// Searches and merges of runs go element by element; the rest takes pieces of
/// rows, and what counts digits has a counter for each row.
std::unique_ptr<KernelLayout> SortFamily::layOut(flow::DispatchOp kernel,
                                                 TargetAttr target) const {
  auto roots = kernel.getBody().getOps<RootOpInterface>();
  Operation *op = (*roots.begin()).getOperation();
  SortLayout layout;
  if (auto merge = dyn_cast<MergeOp>(op))
    layout = layOutMerge(merge, target);
  else if (!isa<SearchSortedOp>(op))
    layout = layOutSort(
        op, keepsNeighbours(kernel, inspectBody(kernel), SortLayout::kVector));
  layout.elements =
      cast<RankedTensorType>(op->getResultTypes().front()).getNumElements();
  layout.groups = isa<MergeRunsOp, SearchSortedOp>(op)
                      ? llvm::divideCeil(layout.elements, KernelLayout::kLanes)
                      : layout.pieces();
  // Runs may be short, and many: the more of them a workgroup takes, the longer
  // its loops are.
  layout.groups =
      std::min(layout.groups,
               isa<SortRunsOp>(op) ? kMostGroups : KernelLayout::kMaxGroups);
  if (isa<CountDigitsOp>(op))
    layout.scratch.push_back({4 * uint64_t(layout.rows), /*keepsZero=*/true});
  return layout.clone();
}

SmallVector<LaunchForm>
SortFamily::specialForms(flow::DispatchOp kernel) const {
  SmallVector<LaunchForm> forms = KernelFamily::specialForms(kernel);
  forms.push_back({kSubgroupsForm, {"subgroup_32", "subgroup_operations"}});
  return forms;
}

/// Changes the layout of a kernel that ranks elements - sorts runs, or scatters
/// by a digit - to that of its variant with ballots; false for other kernels.
static bool rankByBallots(flow::DispatchOp kernel, TargetAttr target,
                          SortLayout &layout) {
  // What a digit has in such a tile is a transfer long, and its elements take
  // 40 KiB; chunks of fewer tiles would leave much of the last one empty.
  constexpr int64_t kLanes = 512, kItems = 20, kEnoughTiles = 4, kFewItems = 4;
  Block &body = kernel.getBody().front();
  bool sortsRuns = !body.getOps<SortRunsOp>().empty();
  if (!sortsRuns && body.getOps<ScatterDigitsOp>().empty())
    return false;
  layout.vector = 1; // Lanes side by side read neighbours.
  // Each subgroup has counters: small ones leave no room for more lanes.
  bool isNarrow = layout.items == SortLayout::kMaxItems &&
                  subgroupLanesOf(kernel) == SortLayout::kMinLanes;
  if (sortsRuns && subgroupLanesOf(kernel) == SortLayout::kMinLanes &&
      // Where a unit has one run, more lanes hide more of its waits.
      layout.pieces() <= target.getBusyGroups() / 2)
    while (layout.lanes < kLanes && layout.items > kFewItems) {
      layout.lanes *= 2;
      layout.items = llvm::divideCeil(layout.items, 2);
    }
  if (!sortsRuns && isNarrow &&
      layout.piece >= kEnoughTiles * kLanes * kItems) {
    layout.lanes = kLanes;
    layout.items = kItems;
  }
  layout.subgroups = true;
  return true;
}

bool SortFamily::changeForm(flow::DispatchOp kernel, StringRef form,
                            TargetAttr target,
                            std::unique_ptr<KernelLayout> &layout) const {
  if (form == kSubgroupsForm)
    return rankByBallots(kernel, target, static_cast<SortLayout &>(*layout));
  return KernelFamily::changeForm(kernel, form, target, layout);
}

LogicalResult SortFamily::emit(EmitterContext &context) const {
  for (Operation &op : context.op.getBody().front()) {
    if (isa<SortRunsOp>(op))
      return emitSortRuns(context);
    if (isa<MergeRunsOp>(op))
      return emitMergeRuns(context);
    if (isa<MergeOp>(op))
      return emitMergeRows(context);
    if (isa<CountDigitsOp>(op))
      return emitCountDigits(context);
    if (isa<ScatterDigitsOp>(op))
      return context.layoutAs<SortLayout>().subgroups
                 ? emitScatterBallots(context)
                 : emitScatterDigits(context);
    if (isa<SearchSortedOp>(op))
      return emitSearchSorted(context);
  }
  llvm_unreachable("a kernel with this root has one of these");
}

namespace mlir::gpuvm {
const KernelFamily &getSortFamily() {
  static const SortFamily family;
  return family;
}
} // namespace mlir::gpuvm
