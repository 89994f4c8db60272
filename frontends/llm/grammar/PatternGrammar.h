//===- PatternGrammar.h - regular expressions as grammars -------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"

#include <functional>
#include <string>
#include <string_view>

namespace vm::llm {

/// Groups within each other in a pattern, at most.
inline constexpr size_t kMaxPatternGroups = 128;

/// An expression of GBNF for the texts that a pattern of ECMA-262 finds itself
/// in, as JSON spells them between quotes. `rule` makes a rule of an expression
/// and returns its name; `character` is one of any character. Characters,
/// classes, groups, alternatives, repetitions, and anchors at the ends of the
/// pattern or of its alternatives. Usage with the end of a sentence for
/// everything else, such as lookarounds and backreferences. `pattern` is UTF-8.
Result<std::string>
gbnfOfPattern(std::string_view pattern,
              const std::function<std::string(const std::string &)> &rule,
              const std::string &character);

} // namespace vm::llm
