//===- Prompts.cpp - sequences of prompt blocks (UDPL) --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/ground/Prompts.h"

#include <algorithm>

using namespace vm::token;

const PromptSequence *Prompts::find(const std::string &name) const {
  auto found =
      std::find_if(sequences.begin(), sequences.end(),
                   [&](const PromptSequence &s) { return s.name == name; });
  return found == sequences.end() ? nullptr : &*found;
}
