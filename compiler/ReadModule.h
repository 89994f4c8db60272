//===- ReadModule.h - a file of programs ------------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "parameters/Parameters.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::gpuvm {

/// The module that the main file of `sources` holds, text or bytecode, or whose
/// body it is; verified. Null after a diagnostic. Where MLIR crashes on the
/// file, the process ends with a sentence of `tool` and exit code 3
/// (CrashReport.h).
///
/// Places of a text with parameters have their values, those of `settings` or
/// the defaults. Locations are those in the file, also of later diagnostics,
/// which say the values.
OwningOpRef<ModuleOp> readModule(StringRef tool, llvm::SourceMgr &sources,
                                 MLIRContext &context,
                                 const vm::Settings &settings = {});

/// The same of the file `path`, or standard input for `-`, which becomes the
/// main file of `sources`.
OwningOpRef<ModuleOp> readModule(StringRef tool, StringRef path,
                                 llvm::SourceMgr &sources, MLIRContext &context,
                                 const vm::Settings &settings = {});

} // namespace mlir::gpuvm
