//===- LinkPrograms.h - programs in the place of their calls ----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `gpuvm.call` and `func.call` mean: the text of what they call, under
// other names. It is part of the language and lowers nothing, so the compiler
// and the reference interpreter both read programs with it.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::gpuvm {

/// Puts programs and functions in the place of their calls, in one program and
/// those that it calls, and constants of the program into the bodies of stages
/// that use them (the pass gpuvm-link).
/// Emits an error at a call that cannot be.
LogicalResult linkProgram(ProgramOp program);

/// Reads `path` and adds its programs to `module`, for others to call. Emits an
/// error if it cannot be read, or if a program of that name is there already.
LogicalResult addPrograms(ModuleOp module, StringRef path);

} // namespace mlir::gpuvm
