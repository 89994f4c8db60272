//===- LoopPasses.h - passes for loops --------------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace mlir::gpuvm {
#define GEN_PASS_DECL
#include "passes/LoopPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/LoopPasses.h.inc"
} // namespace mlir::gpuvm
