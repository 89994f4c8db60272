//===- ModelRun.h - a language model on a device ----------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/engine/DevicePlan.h"
#include "frontends/llm/model/Model.h"
#include "frontends/llm/model/Symbols.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace vm::llm {

/// How a token is drawn; llama.cpp's names and defaults.
struct Sampling {
  float temperature = 0.8F; ///< 0: always the likeliest one.
  uint32_t topK = 40;       ///< 0: of all candidates.
  float topP = 0.95F;       ///< 1: off.
  float minP = 0.05F;       ///< 0: off.
  uint64_t seed = 0;
};

/// Tokens that one of the sequences is to get.
struct Generation {
  uint32_t place = 0; ///< Of the sequence.
  uint32_t most = 1;  ///< At least one; more than an execution makes are not.
  Sampling sampling;
  std::span<const int32_t> ends; ///< Tokens that are the last one.
  End end = End::Running;        ///< Why there are no more.
};

/// A plan that gpuvm-compile made of the file, with its weights. The caches
/// hold one sequence of tokens, or several, each at a place. Not for several
/// threads.
class ModelRun {
public:
  static Result<ModelRun> open(const std::string &plan, const GgufFile &file,
                               const Model &model,
                               const DeviceOptions &options);

  /// The most tokens of a sequence.
  uint32_t context() const { return context_; }
  /// Of sequences.
  uint32_t places() const { return static_cast<uint32_t>(sequences_.size()); }
  std::string device() const { return plan_.device(); }
  bool isOnProcessor() const { return plan_.isOnProcessor(); }

  std::span<const int32_t> sequence(uint32_t place) const {
    return sequences_[place];
  }
  /// How many of the first tokens need not be computed at a place.
  size_t cached(uint32_t place, std::span<const int32_t> tokens) const;

  /// Makes the sequence at a place these tokens, at least one and fewer than
  /// context(). Those that it begins with already are not computed again:
  /// returns how many were. More than `most` are not: then it has become a part
  /// of them.
  Result<size_t> prefill(uint32_t place, std::span<const int32_t> tokens,
                         size_t most = SIZE_MAX);
  /// Makes a sequence no tokens.
  void forget(uint32_t place) { sequences_[place].clear(); }

  /// Whether the plan has the program `embed`.
  bool canEmbed() const { return width_ > 0; }
  /// A vector of length 1 for a text, at least one token and at most context():
  /// the mean of its tokens' hidden states, or the last one's where the file
  /// says so. The sequence at `place` is forgotten.
  Result<std::vector<float>> embed(uint32_t place,
                                   std::span<const int32_t> tokens);

  /// Adds tokens to sequences, each of which has some, in one execution: until
  /// all generations have ended, or `goesOn` returns false, which is asked
  /// after each step. `take` is given the number of a generation and its next
  /// token as soon as it is there, those that end it too. When all have been
  /// taken, `end` says why there are no more: Cancelled ones may go on.
  Status generate(std::span<Generation> all,
                  const std::function<void(size_t, int32_t)> &take,
                  const std::function<bool()> &goesOn);

private:
  explicit ModelRun(DevicePlan plan) : plan_(std::move(plan)) {}

  Status bindWeights(const GgufFile &file, const Model &model);
  Status bindControls(std::span<const Generation> all);
  Status readEnds(std::span<Generation> all, bool isOver,
                  const int32_t *lastTokens);

  DevicePlan plan_;
  uint32_t context_ = 0;      ///< Positions of the caches.
  uint32_t perExecution_ = 0; ///< Tokens of one execution at most.
  uint32_t width_ = 0;        ///< Of vectors of texts; 0: there are none.
  Pooling pooling_ = Pooling::None;
  uint64_t tokensAt_ = 0; ///< Where the metrics have the tokens.
  /// At each place; the last token is drawn, and not in the caches.
  std::vector<std::vector<int32_t>> sequences_;
};

} // namespace vm::llm
