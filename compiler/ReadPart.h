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

#include "parameters/Parameters.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::gpuvm {

/// The module that the file `path` holds or, if it begins as a plan does, that
/// the plan carries; verified. Its text becomes a buffer of `sources`, named
/// `path`. Null after a diagnostic; where MLIR crashes, as readModule. In a
/// plan all parameters have their values.
OwningOpRef<ModuleOp> readPart(StringRef tool, StringRef path,
                               llvm::SourceMgr &sources, MLIRContext &context,
                               const vm::Settings &settings = {});

/// What programs to link are called: the file's name without its suffix.
StringRef partName(StringRef path);

/// Takes the settings of parameters of the part from `settings`: `part.lanes`
/// is its `lanes`.
vm::Settings takeSettings(vm::Settings &settings, StringRef part);

/// The text that a plan carries, from which readPart parses `module` again,
/// with its places in the source.
std::string partText(ModuleOp module);

} // namespace mlir::gpuvm
