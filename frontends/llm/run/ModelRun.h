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
#include "frontends/llm/run/PagePool.h"
#include "frontends/llm/run/SamplerSymbols.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vm::llm {

/// What a regulator (--llm-regulate) has found, of each layer: the largest norm
/// of attention so far, and how many rows were out of the band.
struct AttentionNorms {
  std::vector<float> largest;
  std::vector<int32_t> outside;
};

/// Tokens that one of the sequences is to get.
struct Generation {
  uint32_t place = 0; ///< Of the sequence.
  uint32_t most = 1;  ///< At least one; more than an execution makes are not.
  Sampling sampling;
  std::span<const int32_t> ends; ///< Tokens that are the last one.
  End end = End::Running;        ///< Why there are no more.
  Status status;                 ///< Why it gets no tokens, while others may.
};

/// A plan that gpuvm-compile made of the file, with its weights. The caches
/// hold one sequence of tokens, or several, each at a place, which share pages
/// of what they begin with. Not for several threads.
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

  /// Begins a sequence at a place: with these tokens, at least one and fewer
  /// than context(). It has room for so many, or up to context(). What the
  /// caches have of it is not computed again. False, and nothing changes, while
  /// others have the pages that it needs.
  Result<bool> begin(uint32_t place, std::span<const int32_t> tokens,
                     size_t room);
  /// How many tokens of the sequence the caches have. All but the last one have
  /// to be there before it goes on.
  size_t cached(uint32_t place) const { return sequences_[place].cached; }
  size_t unread(uint32_t place) const {
    const Sequence &own = sequences_[place];
    return own.tokens.empty() ? 0 : own.tokens.size() - 1 - own.cached;
  }
  /// Reads so many of these at most. Returns how many.
  Result<size_t> prefill(uint32_t place, size_t most = SIZE_MAX);
  /// The sequence is over. Others may begin with the same tokens.
  void end(uint32_t place);

  /// Whether the plan has the program `embed`.
  bool canEmbed() const { return width_ > 0; }
  /// A vector of length 1 for a text, at least one token and at most context():
  /// the mean of its tokens' hidden states, or the last one's where the file
  /// says so. The place has no sequence then.
  Result<std::vector<float>> embed(uint32_t place,
                                   std::span<const int32_t> tokens);

  /// Adds tokens to sequences that are read, in one execution: until
  /// all generations have ended, or `goesOn` returns false, which is asked
  /// after each step. `take` is given the number of a generation and its next
  /// token as soon as it is there, those that end it too. When all have been
  /// taken, `end` says why there are no more: Cancelled ones may go on, and so
  /// may those that are at a StopString. With a grammar a generation gets one
  /// token, and others those that the device has time for while the host finds
  /// out what the grammar allows after it.
  Status generate(std::span<Generation> all,
                  const std::function<void(size_t, const DrawnToken &)> &take,
                  const std::function<bool()> &goesOn);
  /// Whether the plan tells log probabilities (--llm-logprobs).
  bool hasLogprobs() const { return likeliest_ > 0; }

  /// Nothing where the plan has no regulator.
  Result<std::optional<AttentionNorms>> attentionNorms();

private:
  struct Sequence {
    std::vector<int32_t> tokens; ///< The last one is in no cache.
    size_t cached = 0;           ///< So many of them are.
  };

  explicit ModelRun(DevicePlan plan) : plan_(std::move(plan)) {}

  Status openPages();
  Result<bool> takePages(uint32_t place, std::span<const int32_t> tokens,
                         size_t room);
  void publish(uint32_t place);
  Status bindControls(const char *program, std::span<const Generation> all);
  Status setSampler(std::span<Generation> all);
  Result<const std::vector<bool> *> allowedOf(const Generation &own);
  void findAllowed(std::span<const Generation> all);
  Result<std::vector<float>> biasOf(const Generation &own);
  Status openLogprobs();
  Result<Logprobs> readLogprobs(int32_t step, uint32_t place);
  Status readEnds(std::span<Generation> all, bool isOver,
                  const int32_t *lastTokens);

  DevicePlan plan_;
  SamplerSymbols sampler_;
  uint32_t vocabulary_ = 0;
  bool hasAll_ = false;       ///< Whether it can draw from all tokens.
  uint32_t context_ = 0;      ///< Positions of the caches.
  uint32_t perExecution_ = 0; ///< Tokens of one execution at most.
  uint32_t width_ = 0;        ///< Of vectors of texts; 0: there are none.
  Pooling pooling_ = Pooling::None;
  /// What grammars took for their last tokens, and the device for the first
  /// token of an execution.
  double grammarSeconds_ = 0, stepSeconds_ = 0;
  uint32_t regulated_ = 0; ///< Layers with a regulator.
  uint64_t tokensAt_ = 0;  ///< Where the metrics have the tokens.
  uint32_t likeliest_ = 0; ///< Of which there are log probabilities; 0: none.
  uint64_t logprobAt_ = 0, likeliestAt_ = 0, likeliestLogprobsAt_ = 0;
  std::vector<Sequence> sequences_; ///< At each place.
  std::optional<PagePool> pool_;    ///< Of several sequences.
};

} // namespace vm::llm
