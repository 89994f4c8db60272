//===- SetFlag.h - values of parameters on a command line -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "parameters/Parameters.h"
#include "tools/common/CommandLineText.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace vm {

/// --set NAME=VALUE, as often as there are parameters to set.
inline CLI::Option *addSetFlag(CLI::App &app, Settings &settings,
                               const char *help) {
  auto take = [&settings](const std::vector<std::string> &pairs) {
    for (const std::string &pair : pairs)
      settings.push_back(splitPair(pair));
  };
  return app.add_option_function<std::vector<std::string>>("--set", take, help)
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->check(isPair());
}

} // namespace vm
