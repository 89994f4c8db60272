//===- LowerToSpirv.h - from a built kernel to SPIR-V ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/builder/KernelBuilder.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

namespace mlir::gpuvm {

struct SpirvPasses;

/// Lowers what the builder made to SPIR-V. `exact`: fix the rounding mode and
/// special values.
FailureOr<OwningOpRef<spirv::ModuleOp>>
lowerToSpirv(gpu::GPUModuleOp module,
             const llvm::MapVector<unsigned, BindingUse> &uses, bool exact,
             SpirvPasses &passes);

} // namespace mlir::gpuvm
