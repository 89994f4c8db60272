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

namespace vm::llm {

/// How a token is drawn; llama.cpp's names and defaults.
struct Sampling {
  float temperature = 0.8F; ///< 0: always the likeliest one.
  uint32_t topK = 40;       ///< 0: of all candidates.
  float topP = 0.95F;       ///< 1: off.
  float minP = 0.05F;       ///< 0: off.
  uint64_t seed = 0;
};

/// A plan that gpuvm-compile made of the file, with its weights. The caches
/// hold a sequence of tokens. Not for several threads.
class ModelRun {
public:
  static Result<ModelRun> open(const std::string &plan, const GgufFile &file,
                               const Model &model,
                               const DeviceOptions &options);

  /// The most tokens of a sequence.
  uint32_t context() const { return context_; }
  std::string device() const { return plan_.device(); }

  /// Makes the sequence these tokens, at least one and fewer than context().
  /// Those that it begins with already are not computed again: returns how many
  /// were.
  Result<size_t> prefill(std::span<const int32_t> tokens);
  /// Makes it no tokens.
  void forget() { sequence_.clear(); }

  /// Whether the plan has the program `embed`.
  bool canEmbed() const { return width_ > 0; }
  /// A vector of length 1 for a text, at least one token and at most context():
  /// the mean of its tokens' hidden states, or the last one's where the file
  /// says so. The sequence is forgotten.
  Result<std::vector<float>> embed(std::span<const int32_t> tokens);

  /// Adds tokens to the sequence, `most` of them at most (UINT32_MAX: as many
  /// as there is room for). `take` is given each as soon as it is there, those
  /// of `ends` too; what it returns false for is the last one.
  Result<End> generate(uint32_t most, const Sampling &sampling,
                       std::span<const int32_t> ends,
                       const std::function<bool(int32_t)> &take);

private:
  explicit ModelRun(DevicePlan plan) : plan_(std::move(plan)) {}

  Status bindWeights(const GgufFile &file, const Model &model);
  Status bindControls(const Sampling &sampling, std::span<const int32_t> ends);
  Result<End> runOnce(uint32_t most, const std::function<bool(int32_t)> &take);

  DevicePlan plan_;
  uint32_t context_ = 0;      ///< Positions of the caches.
  uint32_t perExecution_ = 0; ///< Tokens of one execution at most.
  uint32_t width_ = 0;        ///< Of vectors of texts; 0: there are none.
  Pooling pooling_ = Pooling::None;
  /// The last token is drawn, and not in the caches.
  std::vector<int32_t> sequence_;
};

} // namespace vm::llm
