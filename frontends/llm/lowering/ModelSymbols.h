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

/// A module whose places are in `file`, with what `build` adds to it; bodies
/// call no functions of text. Null after a diagnostic.
OwningOpRef<ModuleOp> buildModelModule(
    MLIRContext &context, const vm::llm::GgufFile &file,
    function_ref<void(ModuleOp, const gpuvm::FunctionLibrary &)> build);

} // namespace mlir::llm
