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
/// out of loops that run at least once. CPU drivers leave loads where they are,
/// though they are told that nothing writes there.
void hoistLoads(gpu::GPUModuleOp module,
                const llvm::MapVector<unsigned, BindingUse> &uses);

} // namespace mlir::gpuvm
