//===- FftFamily.cpp - kernels with a transform or a convolution ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/BodyTraits.h"
#include "kernels/family/Family.h"
#include "kernels/fft/FftEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class FftFamily : public KernelFamily {
public:
  std::unique_ptr<KernelLayout> layOut(flow::DispatchOp kernel,
                                       TargetAttr target) const override {
    FftLayout layout = layOutFft(kernel, target);
    layout.vectorizes =
        keepsLoopNeighbours(kernel, inspectBody(kernel), /*vector=*/2);
    layout.groups = std::min(layout.tiles(), KernelLayout::kMaxGroups);
    return layout.clone();
  }

  /// Lanes without a butterfly wait for the others.
  bool fitToOneGroup(KernelLayout &layout) const override {
    layout.groups = 1;
    layout.lanes = KernelLayout::kLanes;
    return true;
  }

  LogicalResult emit(EmitterContext &context) const override {
    return FftEmitter(context, getFftRoot(context.op)).run();
  }
};
} // namespace

namespace mlir::gpuvm {
const KernelFamily &getFftFamily() {
  static const FftFamily family;
  return family;
}
} // namespace mlir::gpuvm
