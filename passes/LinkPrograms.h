//===- LinkPrograms.h - programs in the place of their calls ----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::gpuvm {

/// What gpuvm-link does, for one program, those that it calls, and functions.
/// Emits an error at a call that cannot be.
LogicalResult linkProgram(ProgramOp program);

/// Reads `path` and adds its programs to `module`, for others to call. Emits an
/// error if it cannot be read, or if a program of that name is there already.
LogicalResult addPrograms(ModuleOp module, StringRef path);

} // namespace mlir::gpuvm
