//===- ExpandOps.h - operations in terms of what SPIR-V has ----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace mlir::gpuvm {

/// Replaces scalar operations of the module's kernels that SPIR-V does not
/// have, or that it lets devices compute as they like, and simplifies. Emits an
/// error for what no device can compute. On the way it applies `patterns`, from
/// `makeExpandPatterns`, and runs `passes`, those of `addExpandPasses`.
/// `exact`: the sign of every zero matters.
LogicalResult expandOps(gpu::GPUModuleOp module,
                        const FrozenRewritePatternSet &patterns,
                        PassManager &passes, bool exact);
FrozenRewritePatternSet makeExpandPatterns(MLIRContext *context);
void addExpandPasses(OpPassManager &passes);

/// The canonicalizer as far as a kernel has use of it.
std::unique_ptr<Pass> createSimplifyPass();

/// The part of it about bf16, which SPIR-V does not have (ExpandBfloat16.cpp):
/// afterwards there is f32.
void expandBfloat16(Operation *module);

/// The part of it about conversions between integers and floats
/// (ExpandCasts.cpp).
void expandCasts(Operation *module);

/// The part of it about the greater and the lesser of floats
/// (ExpandExtrema.cpp).
void expandExtrema(Operation *module);

/// The part of it about `math` and shifts (ExpandMath.cpp).
void expandMath(Operation *module);

/// How many operations become of a scalar operation there, those of all
/// branches together.
int64_t countExpanded(Operation *op);

/// Of all of them in the regions of `op`.
int64_t countExpandedIn(Operation *op);

/// The same of one that is not left to the device (CountExpanded.cpp).
int64_t countByExpanding(Operation *op);

} // namespace mlir::gpuvm
