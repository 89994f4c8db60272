//===- SetTargets.cpp - the devices that a module is compiled for ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Target.h"
#include "passes/Passes.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_SETTARGETS
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
struct SetTargets : gpuvm::impl::SetTargetsBase<SetTargets> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

void SetTargets::runOnOperation() {
  SmallVector<Attribute> found;
  for (const std::string &name : targets) {
    TargetAttr target = getTarget(&getContext(), name);
    if (!target) {
      getOperation().emitError("target \"")
          << name << "\" is not known (there are " << listTargets() << ')';
      return signalPassFailure();
    }
    found.push_back(target);
  }
  getOperation()->setAttr(kTargetsAttr, ArrayAttr::get(&getContext(), found));
}
