//===- AttentionFamily.cpp - kernels with an attention --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/BodyTraits.h"
#include "kernels/analysis/Subgroups.h"
#include "kernels/attention/AttentionEmitter.h"
#include "kernels/attention/MatrixAttention.h"
#include "kernels/attention/SubgroupAttention.h"
#include "kernels/attention/TiledAttention.h"
#include "kernels/family/Family.h"

using namespace mlir;
using namespace mlir::gpuvm;

using Kind = AttentionShape::Kind;

namespace {
class AttentionFamily : public KernelFamily {
public:
  std::unique_ptr<KernelLayout> layOut(flow::DispatchOp kernel,
                                       TargetAttr target) const override;
  SmallVector<LaunchForm> specialForms(flow::DispatchOp kernel) const override;
  bool changeForm(flow::DispatchOp kernel, StringRef form, TargetAttr target,
                  std::unique_ptr<KernelLayout> &layout) const override;
  void addFeatures(flow::DispatchOp kernel, const KernelLayout &layout,
                   SmallVectorImpl<StringRef> &features) const override;
  LogicalResult emit(EmitterContext &context) const override;
};
} // namespace

static constexpr StringLiteral kSubgroupsForm = "subgroups";
static constexpr StringLiteral kLanesForm = "lanes";

static AttentionOp attentionOf(flow::DispatchOp kernel) {
  return *kernel.getBody().getOps<AttentionOp>().begin();
}

/// Workgroups for all blocks and splits, whose partial results have `words`
/// words each.
static void addGroups(AttentionShape &shape, int64_t words) {
  int64_t partials = shape.blocks() * shape.splits;
  shape.groups = std::min(partials, KernelLayout::kMaxGroups);
  if (shape.splits == 1)
    return;
  shape.scratch.push_back(
      {4 * uint64_t(partials * words), /*keepsZero=*/false});
  // Of blocks of a row, too.
  int64_t rows = shape.cachedHeads * shape.sharedRows();
  shape.scratch.push_back({4 * uint64_t(rows), /*keepsZero=*/true});
}

std::unique_ptr<KernelLayout> AttentionFamily::layOut(flow::DispatchOp kernel,
                                                      TargetAttr target) const {
  AttentionOp op = attentionOf(kernel);
  bool vectorizes =
      keepsLoopNeighbours(kernel, inspectBody(kernel), /*vector=*/16);
  if (auto tiled = layOutTiledAttention(op, vectorizes, target)) {
    addGroups(*tiled, tiled->lanes * tiled->statePerLane());
    return tiled->clone();
  }
  AttentionLayout few = layOutAttention(op, vectorizes, target);
  addGroups(few, few.blockRows * few.partialVectors());
  return few.clone();
}

SmallVector<LaunchForm>
AttentionFamily::specialForms(flow::DispatchOp kernel) const {
  SmallVector<LaunchForm> forms = KernelFamily::specialForms(kernel);
  forms.push_back({kLanesForm, {"int64"}, /*reorders=*/true, DeviceKind::cpu});
  forms.push_back(getMatricesForm(kernel));
  forms.push_back({kSubgroupsForm,
                   {"subgroup_32", "subgroup_operations"},
                   /*reorders=*/true});
  return forms;
}

bool AttentionFamily::changeForm(flow::DispatchOp kernel, StringRef form,
                                 TargetAttr target,
                                 std::unique_ptr<KernelLayout> &layout) const {
  const auto &shape = static_cast<const AttentionShape &>(*layout);
  bool isFew = shape.kind == Kind::Few;
  if (form == kLanesForm || (form == kSubgroupsForm && isFew)) {
    AttentionOp op = attentionOf(kernel);
    AttentionLayout few = isFew ? static_cast<const AttentionLayout &>(shape)
                                : layOutAttention(op, shape.vectorizes, target);
    if (!isFew) // What it has for splits is not what these would need.
      few.splits = 1;
    auto own = form == kLanesForm
                   ? useLanes(few, op, target)
                   : useSubgroups(few, op, subgroupLanesOf(kernel), target);
    if (!own)
      return false;
    own->groups =
        std::min(own->blocks() * own->splits, KernelLayout::kMaxGroups);
    if (own->splits == 1)
      own->scratch.clear();
    layout = own->clone();
    return true;
  }
  if (form != kMatricesForm)
    return KernelFamily::changeForm(kernel, form, target, layout);
  // The one with matrix units has no splits.
  if (shape.kind != Kind::Many || shape.splits > 1)
    return false;
  auto matrices =
      layOutMatrixAttention(attentionOf(kernel), shape.vectorizes, target);
  if (!matrices)
    return false;
  matrices->groups = layout->groups;
  layout = matrices->clone();
  return true;
}

void AttentionFamily::addFeatures(flow::DispatchOp kernel,
                                  const KernelLayout &layout,
                                  SmallVectorImpl<StringRef> &features) const {
  const auto &shape = static_cast<const AttentionShape &>(layout);
  if (shape.kind == Kind::Few &&
      static_cast<const AttentionLayout &>(shape).subgroup > 1 &&
      !llvm::is_contained(features, "subgroup_32"))
    features.push_back("subgroup_32");
  KernelFamily::addFeatures(kernel, layout, features);
}

LogicalResult AttentionFamily::emit(EmitterContext &context) const {
  switch (context.layoutAs<AttentionShape>().kind) {
  case Kind::Few:
    return context.layoutAs<AttentionLayout>().subgroup
               ? SubgroupAttention(context).run()
               : AttentionEmitter(context).run();
  case Kind::Many:
    return TiledAttention(context).run();
  case Kind::Matrices:
    return MatrixAttention(context).run();
  }
  llvm_unreachable("there is no other kind");
}

namespace mlir::gpuvm {
const KernelFamily &getAttentionFamily() {
  static const AttentionFamily family;
  return family;
}
} // namespace mlir::gpuvm
