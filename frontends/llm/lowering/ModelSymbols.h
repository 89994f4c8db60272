//===- ModelSymbols.h - symbols that programs of a model share --*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/lowering/ForwardPass.h"

namespace mlir::llm {

/// Where `b` stands: the tensors of the file, inputs of their names, whose
/// types `types` has then; and the caches of all layers.
void addModelSymbols(gpuvm::ProgramBuilder &b, const vm::llm::GgufFile &file,
                     const vm::llm::Model &model, ForwardPass &pass,
                     SymbolTypes &types);

/// Those that programs of a model are made of.
void loadDialects(MLIRContext &context);

} // namespace mlir::llm
