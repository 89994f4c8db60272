//===- Symbols.h - names in the plans of language models --------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler writes, and what runs it binds and reads.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>

namespace vm::llm {

namespace symbols {
inline constexpr char kPrefill[] = "prefill";
inline constexpr char kGenerate[] = "generate";
inline constexpr char kGenerateAll[] = "generate_all";
inline constexpr char kScore[] = "score";
inline constexpr char kEmbed[] = "embed";

/// With several sequences, words of each of them have a leading dimension of as
/// many. Shared by all programs: the last token, which no program has read, and
/// its position; the tokens that `generate` makes, and how many there are so
/// far.
inline constexpr char kToken[] = "token";
inline constexpr char kPosition[] = "position";
inline constexpr char kTokens[] = "tokens"; ///< Of a step; -1: has ended.
inline constexpr char kCount[] = "count";
inline constexpr char kEnd[] = "end"; ///< Why it ended, an End.
/// With --llm-logprobs, of each step: the logarithm of the probability that the
/// model gives the token, and of the likeliest candidates which they are and
/// the same of them.
inline constexpr char kLogprob[] = "logprob";
inline constexpr char kLikeliest[] = "likeliest";
inline constexpr char kLikeliestLogprobs[] = "likeliest_logprobs";
/// With a regulator, of each layer: the largest norm of attention so far, and
/// how many rows were out of the band.
inline constexpr char kAttentionNorm[] = "attention_norm";
inline constexpr char kAttentionOutside[] = "attention_outside";
inline constexpr char kCancel[] = "cancel"; ///< Ends it when not 0.
/// Followed by the number of a layer: its keys and values.
inline constexpr char kKeys[] = "keys.", kValues[] = "values.";

/// What is added to the score of each token; kForbidden for one that must not
/// be drawn. Zeros at first.
inline constexpr char kLogitBias[] = "logit_bias";
/// llama.cpp's penalties, as Penalty says. At first they change nothing.
inline constexpr char kPenalties[] = "penalties";
/// The tokens before those of this execution, the last one first; -1 where
/// there is none. Penalties look at them.
inline constexpr char kRecentTokens[] = "recent_tokens";

/// Stop strings: the class of each token, and after these for each state and
/// class the place where the next state's begin, as its complement where a stop
/// string ends. With zeros nothing stops.
inline constexpr char kStopTable[] = "stop_table";
/// The place where those of the state begin.
inline constexpr char kStopState[] = "stop_state";

/// With several sequences: numbers of the pages of each of them.
inline constexpr char kPages[] = "pages";
} // namespace symbols

/// Rows of a page.
inline constexpr uint32_t kPageRows = 16;

/// Tokens that end a generation, at most; others are -1.
inline constexpr uint32_t kEndTokens = 8;

/// The likeliest tokens that `generate` draws one of, unless the compiler is
/// told otherwise. `generate_all` draws one of all tokens.
inline constexpr uint32_t kCandidates = 128;

/// Candidates of which kLikeliest tells, at most.
inline constexpr uint32_t kLogprobs = 20;

/// The bias of a token that must not be drawn: what score and penalties add to
/// it is lost, and exp of it is 0.
inline constexpr float kForbidden = -1e30F;

/// Elements of kPenalties: for repetition (a factor), presence and frequency,
/// and to how many of the last tokens they apply.
enum Penalty : uint32_t {
  kRepeat,
  kPresence,
  kFrequency,
  kLastN,
  kPenaltyCount
};

/// States by classes that kStopTable has room for.
inline constexpr uint32_t kStopSteps = 1 << 16;

enum class End : int32_t {
  Running = 0,
  EndToken = 1,
  Limit = 2,   ///< As many tokens as were asked for.
  Context = 3, ///< The caches are full.
  Cancelled = 4,
  StopString = 5,
};

} // namespace vm::llm
