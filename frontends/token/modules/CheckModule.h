//===- CheckModule.h - checks of the user's modules -------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/ModuleInfo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::token {

/// The one public function of a file that has nothing but functions on numbers.
/// Null after a diagnostic.
func::FuncOp findFunction(ModuleOp module, StringRef path);

/// Whether it takes and gives what the stage says, or a diagnostic.
LogicalResult checkSignature(func::FuncOp function,
                             vm::token::ModuleStage stage);

/// What its attributes say, or nothing after a diagnostic.
std::optional<vm::token::ModuleInfo> readInfo(func::FuncOp function,
                                              vm::token::ModuleStage stage);

} // namespace mlir::token
