//===- Family.cpp - a family of kernels -----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/family/Family.h"

#include "kernels/elements/InnerReduction.h"
#include "kernels/loops/LongLoops.h"

using namespace mlir;
using namespace mlir::gpuvm;

SmallVector<LaunchForm> KernelFamily::specialForms(flow::DispatchOp) const {
  return {{kDotProductsForm, {"integer_dot_product"}}};
}

bool KernelFamily::changeForm(flow::DispatchOp kernel, StringRef form,
                              TargetAttr,
                              std::unique_ptr<KernelLayout> &layout) const {
  if (form == kDotProductsForm)
    return layout->dotProducts = hasDotProducts(kernel);
  return form == kPlainForm;
}

bool KernelFamily::takes(flow::DispatchOp kernel) const {
  return llvm::any_of(
      kernel.getBody().getOps<RootOpInterface>(),
      [&](RootOpInterface op) { return op.getRoot() == kernel.getRoot(); });
}

/// What most families do for an element, at most: a scan combines it with its
/// quad, its block and its group, and what lies before it.
static constexpr int64_t kBodiesPerElement = 8;

int64_t KernelFamily::bodiesPerLane(flow::DispatchOp,
                                    const KernelLayout &layout) const {
  return kBodiesPerElement * llvm::divideCeil(layout.elements * layout.results,
                                              layout.lanes * layout.groups);
}

void KernelFamily::addFeatures(flow::DispatchOp kernel,
                               const KernelLayout &layout,
                               SmallVectorImpl<StringRef> &features) const {
  if (mayLoopLong(kernel, layout))
    features.push_back("unlimited_loops");
}

bool gpuvm::mayLoopLong(flow::DispatchOp kernel, const KernelLayout &layout) {
  return mayLoopLong(kernel, getFamily(kernel).bodiesPerLane(kernel, layout));
}

LaunchForm gpuvm::getMatricesForm(flow::DispatchOp kernel) {
  LaunchForm form = {kMatricesForm, {}, /*reorders=*/true};
  if (kernel.getInputs().empty())
    return form;
  Type factor = getElementTypeOrSelf(kernel.getOperandTypes().front());
  form.features.push_back(factor.isBF16()  ? "matrix_bf16_f32"
                          : factor.isF16() ? "matrix_f16_f32"
                                           : "matrix_i8_i32");
  return form;
}
