//===- EngineText.h - the token-stream VM as a gpuvm program --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/engine/EngineModule.h"
#include "frontends/token/engine/EngineSizes.h"

namespace vm::token {

/// A module with two programs over one memory: `start` puts all streams at
/// their entries, `run` resolves those that were answered and steps until no
/// stream is RUNNING. `model` is a program that is linked with it, whose
/// interface docs/token-vm.md describes; "" = the test model. `modules`: as
/// the sizes say (addModules).
std::string writeEngine(const EngineSizes &sizes, const std::string &model = "",
                        std::span<const EngineModule> modules = {});

} // namespace vm::token
