//===- TokenModel.h - the model of a token-stream VM ------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --model names: `test`, the model for tests; FILE#PROGRAM, a program of a
// file or of a plan that carries its module; or FILE.gguf, a language model, of
// which frontends/llm makes such a program. It is linked with the engine.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <optional>
#include <string>

namespace vm::token {

/// What is wrong with the name, or "".
std::string checkModelName(const std::string &model);

/// Whether it is FILE.gguf.
bool isModelFile(const std::string &model);

/// The two parts of FILE#PROGRAM; the program of a language model has a name.
std::string modelFile(const std::string &model);
std::string modelProgram(const std::string &model);

/// How many tokens of a stream the model sees, as the attribute `token.context`
/// of its program in `module` says; INT32_MAX where it is not there. Nothing
/// after a diagnostic.
std::optional<int32_t> readContext(mlir::ModuleOp module,
                                   const std::string &model);

} // namespace vm::token
