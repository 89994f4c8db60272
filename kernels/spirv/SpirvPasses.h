//===- SpirvPasses.h - passes that every kernel goes through ---*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Pass/PassManager.h"

namespace mlir::gpuvm {

/// Pipelines that are made once for all kernels: a canonicalizer collects the
/// patterns of all operations there are, which takes longer than a kernel.
struct SpirvPasses {
  explicit SpirvPasses(MLIRContext *context);

  PassManager expand;    ///< Of a module, before its kernel is converted.
  PassManager interface; ///< Of a spirv.module that has been made of it.
  PassManager simplify;  ///< The same, at last.
};

} // namespace mlir::gpuvm
