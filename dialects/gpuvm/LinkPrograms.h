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

/// Inlines programs and functions at their calls, in one program and those that
/// it calls (the pass gpuvm-link). Constants of the program move into the
/// bodies of stages that use them. Symbols of the module that the program uses
/// move into it, as shared ones. Emits an error at a call that cannot be.
LogicalResult linkProgram(ProgramOp program);

/// Symbols of the module, which each program has now.
void eraseModuleSymbols(ModuleOp module);

/// Moves the programs of `part` to `module`, for others to call, and the
/// symbols that they share. Emits an error if a program of that name is there
/// already, or a symbol that is declared otherwise.
LogicalResult addPrograms(ModuleOp module, ModuleOp part);

} // namespace mlir::gpuvm
