//===- Emitter.h - from a kernel op to a kernel ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The family of its root lays it out and emits it.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "kernels/builder/KernelBuilder.h"
#include "kernels/family/Layout.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

namespace mlir::gpuvm {

/// A kernel ready for the plan.
struct EmittedKernel {
  OwningOpRef<spirv::ModuleOp> module;
  llvm::MapVector<unsigned, BindingUse> uses; ///< By binding.
  int64_t lanes = 0;                          ///< Of a workgroup.
  int64_t workgroupBytes = 0;
  SmallVector<StringRef> features; ///< As the plan names them, sorted.
};

struct EmitOptions {
  bool exact = false; ///< Fix the rounding mode and special values.
  /// How often a workgroup looks for what another one makes before it makes it
  /// itself.
  int64_t spins = 0;
};

struct SpirvPasses;

/// Emits and lowers a kernel that has windows, laid out as one of its launches
/// says.
FailureOr<EmittedKernel> emitKernel(flow::DispatchOp op,
                                    const KernelLayout &layout,
                                    const EmitOptions &options,
                                    SpirvPasses &passes);

} // namespace mlir::gpuvm
