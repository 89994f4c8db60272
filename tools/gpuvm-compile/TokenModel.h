//===- TokenModel.h - the model of a token-stream VM ------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --model names: `test`, the model for tests, or FILE#PROGRAM, a program
// of a file or of a plan that carries its module. It is linked with the engine.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>

namespace vm::compile {

/// What is wrong with the name, or "".
std::string checkModelName(const std::string &model);

/// The two parts of FILE#PROGRAM.
std::string modelFile(const std::string &model);
std::string modelProgram(const std::string &model);

/// M01 (docs/token-vm.md) where streams may have more tokens than the model
/// sees, which the attribute `token.context` of its program in `module` says,
/// if it is there. The message is all that is to be printed.
Status checkContext(mlir::ModuleOp module, const std::string &model,
                    int32_t budget);

} // namespace vm::compile
