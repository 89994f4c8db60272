//===- LeftRecursion.h - rules that begin with themselves -------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/grammar/Grammar.h"

#include <optional>

namespace vm::llm {

/// A rule that can begin with itself, before any character, and go on after
/// that: there would be no end of what it may be at. Takes time in proportion
/// to the grammar.
std::optional<int32_t> findLeftRecursion(const Grammar &grammar);

} // namespace vm::llm
