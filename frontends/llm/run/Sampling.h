//===- Sampling.h - how tokens of an answer are drawn -----------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/grammar/TokenGrammar.h"
#include "frontends/llm/run/StopTable.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace vm::llm {

/// How a token is drawn; llama.cpp's names and defaults.
struct Sampling {
  float temperature = 0.8F; ///< 0: always the likeliest one.
  uint32_t topK = 40;       ///< 0: of all tokens.
  float topP = 0.95F;       ///< 1: off.
  float minP = 0.05F;       ///< 0: off.
  uint64_t seed = 0;

  /// Penalties are for tokens that are among the last so many; -1: all.
  int32_t repeatLastN = 64;
  float repeatPenalty = 1; ///< A factor; 1: off.
  float presencePenalty = 0, frequencyPenalty = 0;
  /// What is added to the scores of tokens.
  std::vector<std::pair<int32_t, float>> logitBias;

  /// What ends an answer early; null: nothing.
  std::shared_ptr<const StopTable> stops;
  /// What an answer must be; null: anything. It is at the begin of a text.
  std::shared_ptr<TokenGrammar> grammar;

  /// Whether its tokens come with log probabilities.
  bool wantsLogprobs = false;

  bool hasPenalties() const {
    return repeatLastN != 0 && (repeatPenalty != 1 || presencePenalty != 0 ||
                                frequencyPenalty != 0);
  }
};

/// Natural logarithms of the probabilities that the model gives tokens, before
/// bias, penalties, temperature and filters.
struct Logprobs {
  float own = 0; ///< Of the token that was drawn.
  /// Of those that it could be drawn from, the likeliest first.
  std::vector<std::pair<int32_t, float>> likeliest;
};

struct DrawnToken {
  int32_t token = -1;
  std::optional<Logprobs> logprobs; ///< If they are wanted.
};

} // namespace vm::llm
