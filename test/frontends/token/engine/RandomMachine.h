//===- RandomMachine.h - machines by seed ---------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Machine.h"

#include <random>

namespace vm::token {

/// What the tables of a workflow may be at all, rather than what prompts make
/// of them: classes with alternatives, masks of several classes, zones that
/// feed and capture at once, any jumps. It has passed checkMachine. With `text`
/// most of its workflows match text, of tokens that say several letters.
Machine randomMachine(std::mt19937 &random, int workflows, bool text = false);

} // namespace vm::token
