//===- GgufTokenizer.h - the tokenizer of a language model ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/machine/Tokenizer.h"
#include "runtime/base/Status.h"

namespace vm::token {

/// That of a model's file (frontends/llm/tokenizer). Texts of prompts may name
/// control tokens, which say their names; nothing is put before or after a
/// text. Padding is a number after those of the model.
Result<std::unique_ptr<Tokenizer>> readGgufTokenizer(const std::string &path);

} // namespace vm::token
