//===- GgufVocabulary.h - the vocabulary of a model file ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/gguf/GgufFile.h"
#include "frontends/llm/tokenizer/Vocabulary.h"

namespace vm::llm {

/// The keys tokenizer.ggml.* of a file. BadInput where one that is needed is
/// missing, or one is of another type.
Result<Vocabulary> readVocabulary(const GgufFile &file);

} // namespace vm::llm
