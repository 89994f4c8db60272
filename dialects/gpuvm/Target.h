//===- Target.h - the devices that launches are chosen for ------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

/// On a module: the targets of its programs, an array of #gpuvm.target.
inline constexpr llvm::StringLiteral kTargetsAttr = "gpuvm.targets";

/// The target of that name; null if there is none.
TargetAttr getTarget(MLIRContext *context, StringRef name);

/// The names of all targets, and as a message lists them.
std::vector<std::string> getTargetNames();
std::string listTargets();

/// Those of `module`, or the default: generic, then lavapipe.
SmallVector<TargetAttr> getTargets(ModuleOp module);

/// The target of the module around `op` for which costs are estimated and
/// kernels laid out: the first one, with what all of them have of workgroup
/// memory and bindings.
TargetAttr getMainTarget(Operation *op);

/// Whether every device of `target` has `feature`.
bool hasFeature(TargetAttr target, StringRef feature);

} // namespace mlir::gpuvm
