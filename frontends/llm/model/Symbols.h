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
inline constexpr char kEnd[] = "end";       ///< Why it ended, an End.
inline constexpr char kCancel[] = "cancel"; ///< Ends it when not 0.
/// Followed by the number of a layer: its keys and values.
inline constexpr char kKeys[] = "keys.", kValues[] = "values.";
/// With several sequences: numbers of the pages of each of them.
inline constexpr char kPages[] = "pages";
} // namespace symbols

/// Rows of a page.
inline constexpr uint32_t kPageRows = 16;

/// Tokens that end a generation, at most; others are -1.
inline constexpr uint32_t kEndTokens = 8;

enum class End : int32_t {
  Running = 0,
  EndToken = 1,
  Limit = 2,   ///< As many tokens as were asked for.
  Context = 3, ///< The caches are full.
  Cancelled = 4,
};

} // namespace vm::llm
