//===- ReadPart.h - programs to link ----------------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --link names is a program file or a plan that carries the module it was
// compiled from (gpuvm-compile --keep-module).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::gpuvm {

/// The module that the file `path` holds or, if it begins as a plan does, that
/// the plan carries; verified. Its text becomes a buffer of `sources`, named
/// `path`. Null after a diagnostic; where MLIR crashes, as readModule.
OwningOpRef<ModuleOp> readPart(StringRef tool, StringRef path,
                               llvm::SourceMgr &sources, MLIRContext &context);

/// The text that a plan carries, from which readPart parses `module` again,
/// with its places in the source.
std::string partText(ModuleOp module);

} // namespace mlir::gpuvm
