//===- LogprobFields.h - log probabilities as JSON --------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenAI's `logprobs` of a choice, which chats and completions have in two
// forms.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/run/Assistant.h"
#include "tools/gpuvm-serve/Requests.h"

namespace vm::serve {

/// Of a chat: of each token, with so many of the likeliest ones.
Json logprobsOfChat(const llm::Tokenizer &tokenizer,
                    const std::vector<llm::PlacedToken> &tokens,
                    uint32_t likeliest);

/// Of a completion, whose text up to here is `text`: offsets are numbers of
/// characters in it.
Json logprobsOfCompletion(const llm::Tokenizer &tokenizer,
                          const std::vector<llm::PlacedToken> &tokens,
                          uint32_t likeliest, std::string_view text);

} // namespace vm::serve
