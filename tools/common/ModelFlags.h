//===- ModelFlags.h - flags of programs that run language models ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace vm {

/// What the plan is compiled with (--llm-regulate).
inline CLI::Option *addRegulateFlag(CLI::App &app, std::string &band) {
  return app
      .add_option("--regulate", band,
                  "Keep the norm of attention in each layer in this band, and "
                  "count what was out of it; 0,1e30 only reports")
      ->type_name("LOW,HIGH");
}

} // namespace vm
