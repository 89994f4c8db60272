//===- ConfigPatterns.h - the patterns of [config], checked ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Prompts.h"

#include <string>
#include <vector>

namespace vm::token {

/// A pattern or an alternative of one, and the key it stands under.
struct ConfigPattern {
  std::string text;
  std::string key;     ///< For sentences, e.g. `"zone_patterns"`.
  Place place;         ///< The key's.
  size_t patternClass; ///< Equal for a pattern and its alternatives.
  bool mayBeBlank;     ///< Zone patterns may be white space.
};

/// Whether each is well formed and they are pairwise different (U14..U16);
/// warns of one that is part of one of another class (W02).
void checkPatterns(const std::vector<ConfigPattern> &patterns,
                   Diagnostics &diagnostics);

} // namespace vm::token
