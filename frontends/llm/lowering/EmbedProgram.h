//===- EmbedProgram.h - a vector for a text ---------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/lowering/ForwardPass.h"
#include "frontends/llm/lowering/Lowering.h"

namespace mlir::llm {

/// Program embed where `b` stands: the mean of a document's normalized hidden
/// states after the last layer, or that of its last token, of length 1. It
/// reads the document as `prefill` does, from position 0 on, into the same
/// caches.
void buildEmbed(gpuvm::ProgramBuilder &b, ForwardPass &pass,
                const vm::llm::Model &model, const ModelOptions &options);

} // namespace mlir::llm
