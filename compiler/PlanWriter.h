//===- PlanWriter.h - from plan.module to the plan file -------------------===//
//--------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/plan/Plan.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/plan/Plan.h"

namespace mlir::gpuvm {

/// The plan that the plan.module of `module` describes, its kernels serialized.
/// What the loader would refuse is an error here, at the operation where it can
/// be said.
FailureOr<vm::Plan> translateToPlan(ModuleOp module);

} // namespace mlir::gpuvm
