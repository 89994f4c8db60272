//===- Emitter.h - from a kernel op to a kernel ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One emitter per root family (Map.cpp, Reduce.cpp, Contract.cpp,
// Attention.cpp, Chain.cpp, Scan.cpp, Fft.cpp, Scatter.cpp) over the kernel
// builder.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/KernelConfig.h"
#include "kernels/analysis/Bindings.h"
#include "kernels/elements/ElementEmitter.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

namespace mlir::gpuvm {

/// What an emitter works with.
struct EmitterContext {
  KernelOp op;
  KernelConfig config;
  BindingLayout layout;
  KernelBuilder &kernel;
  ElementEmitter &elements;
  bool exact; ///< As EmitOptions says.
  int64_t spins;
};

/// What emitters have in common: they go on after a failure, which makes the
/// whole fail, wherever that needs no care.
class RootEmitter {
protected:
  explicit RootEmitter(EmitterContext &context)
      : c(context), k(context.kernel) {}
  bool check(LogicalResult result) {
    failed_ |= failed(result);
    return succeeded(result);
  }

  EmitterContext &c;
  KernelBuilder &k;
  bool failed_ = false;
};

LogicalResult emitMap(EmitterContext &context);
LogicalResult emitReduce(EmitterContext &context);
LogicalResult emitContract(EmitterContext &context);
LogicalResult emitAttention(EmitterContext &context);
LogicalResult emitFft(EmitterContext &context);
LogicalResult emitChain(EmitterContext &context);
LogicalResult emitScan(EmitterContext &context);
LogicalResult emitSort(EmitterContext &context);
LogicalResult emitScatter(EmitterContext &context);

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

/// Emits and lowers a kernel that has windows, laid over the device as `config`
/// says, which is the configuration of one of its launches.
FailureOr<EmittedKernel> emitKernel(KernelOp op, const KernelConfig &config,
                                    const EmitOptions &options,
                                    SpirvPasses &passes);

/// Lowers what the builder made to SPIR-V (LowerToSpirv.cpp).
FailureOr<OwningOpRef<spirv::ModuleOp>>
lowerToSpirv(gpu::GPUModuleOp module,
             const llvm::MapVector<unsigned, BindingUse> &uses,
             const EmitOptions &options, SpirvPasses &passes);

} // namespace mlir::gpuvm
