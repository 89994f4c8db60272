//===- LongLoops.h - bodies whose loops run long ----------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some drivers end loops early (docs/rationale/long-loops.md). A map whose
// loops may run so long has a form for them.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/Emitter.h"

namespace mlir::gpuvm {

/// The name of the attribute of an emitted module, and of a chain.kernel, that
/// holds the binding which says that a loop was given up.
inline constexpr llvm::StringLiteral kUnfinishedAttr = "chain.unfinished";

/// How often the loops of `op`'s regions run at most, each in the others; those
/// that hardly ever run are left out. Nothing if that is not known.
std::optional<int64_t> countIterations(Operation *op);

/// Whether loops of the bodies of `kernel`, laid out as `config` says, may run
/// longer than some drivers let them.
bool mayLoopLong(KernelOp kernel, const KernelConfig &config);

/// Lays out a map whose loops may run long.
void configureLongLoops(KernelConfig &config);

/// The configuration of the form of a kernel that runs on every device.
KernelConfig configureBase(KernelOp kernel);

/// Whether `config` is that of a map which takes up its loops again.
bool resumes(KernelOp kernel, const KernelConfig &config);

/// Emits such a map.
LogicalResult emitResumingMap(EmitterContext &context);
/// Stores the results of element `i` of a map.
LogicalResult emitElement(EmitterContext &context, Value i);

} // namespace mlir::gpuvm
