//===- ScatterLayout.h - how scatters are laid over the device --*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

struct ScatterLayout {
  int64_t updates = 1;   ///< How many.
  int64_t positions = 1; ///< Elements of a result.
  int64_t vector = 1;    ///< Updates that a lane takes at once.
  /// Of the results, in workgroup memory; none if the results are too long.
  int64_t copies = 0;
};

struct KernelConfig;

/// Configures a kernel with root scatter, which has `config.vectorizes`.
void configureScatter(KernelOp kernel, KernelConfig &config);

/// Whether the kernel has a scatter with results of 64 bits.
bool usesInt64Atomics(KernelOp kernel);

} // namespace mlir::gpuvm
