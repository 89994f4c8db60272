//===- HoistLoads.h - loads that no iteration changes ----------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/builder/KernelBuilder.h"

namespace mlir::gpuvm {

/// Hoists loads of windows that the kernel only reads, and index arithmetic,
/// out of loops that run at least once. Lavapipe leaves loads where they are,
/// though it is told that nothing writes there.
void hoistLoads(gpu::GPUModuleOp module,
                const llvm::MapVector<unsigned, BindingUse> &uses);

} // namespace mlir::gpuvm
