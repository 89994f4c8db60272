//===- ScanFamily.cpp - kernels with a scan -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/Alternative.h"
#include "kernels/analysis/BodyTraits.h"
#include "kernels/family/Family.h"
#include "kernels/scan/ScanEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

static constexpr StringLiteral kSubgroupsForm = "subgroups";

namespace {
class ScanFamily : public KernelFamily {
public:
  std::unique_ptr<KernelLayout> layOut(flow::DispatchOp kernel,
                                       TargetAttr) const override {
    bool vectorizes =
        keepsNeighbours(kernel, inspectBody(kernel), ScanOrder::kQuad);
    for (Operation &op : kernel.getBody().front())
      if (isa<ScanOp, CompactOp>(op))
        return std::make_unique<ScanLayout>(&op, vectorizes);
    llvm_unreachable("a kernel with this root has one of these");
  }

  SmallVector<LaunchForm> specialForms(flow::DispatchOp kernel) const override {
    SmallVector<LaunchForm> forms = KernelFamily::specialForms(kernel);
    forms.push_back({kSubgroupsForm, {"subgroup_32", "subgroup_operations"}});
    return forms;
  }

  bool changeForm(flow::DispatchOp kernel, StringRef form, TargetAttr target,
                  std::unique_ptr<KernelLayout> &layout) const override {
    if (form != kSubgroupsForm)
      return KernelFamily::changeForm(kernel, form, target, layout);
    return static_cast<ScanLayout &>(*layout).subgroups = true;
  }

  void addFeatures(flow::DispatchOp kernel, const KernelLayout &layout,
                   SmallVectorImpl<StringRef> &features) const override {
    if (static_cast<const ScanLayout &>(layout).subgroups &&
        !llvm::is_contained(features, "subgroup_32"))
      features.push_back("subgroup_32");
    KernelFamily::addFeatures(kernel, layout, features);
  }

  /// What a scan is chosen instead of, or is where it does not run, is read
  /// where that is written.
  bool worksInPlace(flow::DispatchOp kernel, unsigned operand,
                    unsigned result) const override {
    if (kernel.getOtherwiseOperand(result) == operand)
      return true;
    std::optional<Alternative> alternative = getAlternative(kernel, result);
    return alternative && alternative->no == kernel.getInputs()[operand];
  }

  LogicalResult emit(EmitterContext &context) const override {
    return ScanEmitter(context).run();
  }
};
} // namespace

namespace mlir::gpuvm {
const KernelFamily &getScanFamily() {
  static const ScanFamily family;
  return family;
}
} // namespace mlir::gpuvm
