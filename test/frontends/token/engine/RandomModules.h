//===- RandomModules.h - modules for random workflows -----------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/engine/EngineModule.h"
#include "frontends/token/reference/Modules.h"

namespace vm::token {

/// The same module in MLIR and in C++, which were written apart.
struct RandomModule {
  EngineModule engine;
  Module reference;
};

/// A set of them, by name: `all` has each stage twice, in the order post,
/// manipulation, transition, so that a turn is a step; `each` once; `post`
/// only that. None for other names. What they do depends on everything that
/// they are given.
std::vector<RandomModule> randomModules(const std::string &set);

} // namespace vm::token
