//===- TokenModel.cpp - the model of a token-stream VM --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/compile/TokenModel.h"

#include "dialects/gpuvm/Gpuvm.h"

#include <fmt/format.h>

using namespace vm;
using namespace vm::token;

static constexpr llvm::StringLiteral kContextAttr = "token.context";

std::string vm::token::checkModelName(const std::string &model) {
  size_t end = model.rfind('#');
  if (model == "test" || isModelFile(model) ||
      (end != std::string::npos && end != 0 && end + 1 != model.size()))
    return "";
  return fmt::format("\"{}\" is neither test nor FILE#PROGRAM nor FILE.gguf.",
                     model);
}

bool vm::token::isModelFile(const std::string &model) {
  return model.ends_with(".gguf");
}

std::string vm::token::modelFile(const std::string &model) {
  return model.substr(0, model.rfind('#'));
}

std::string vm::token::modelProgram(const std::string &model) {
  if (isModelFile(model))
    return "language_model";
  return model.substr(model.rfind('#') + 1);
}

std::optional<int32_t> vm::token::readContext(mlir::ModuleOp module,
                                              const std::string &model) {
  auto program =
      module.lookupSymbol<mlir::gpuvm::ProgramOp>(modelProgram(model));
  mlir::Attribute attribute =
      program ? program->getAttr(kContextAttr) : nullptr;
  if (!attribute)
    return INT32_MAX;
  auto context = llvm::dyn_cast<mlir::IntegerAttr>(attribute);
  if (context && context.getType().isInteger(64) && context.getInt() >= 0)
    return int32_t(std::min<int64_t>(context.getInt(), INT32_MAX));
  program.emitError()
      << kContextAttr
      << " is to be the number of tokens that the model sees, as 2048 : i64";
  return std::nullopt;
}
