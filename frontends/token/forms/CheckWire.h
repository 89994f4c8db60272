//===- CheckWire.h - the values of the wire form's [config] ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Prompts.h"

#include <optional>
#include <string>

namespace vm::token {

/// A value that breaks the rules.
struct WireFault {
  std::string key;
  std::string reason; ///< `has pattern "x" twice`
};

/// The first fault of a config, by the rules of the prompts it was built from.
std::optional<WireFault> checkWireConfig(const PromptConfig &config);

} // namespace vm::token
