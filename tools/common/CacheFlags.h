//===- CacheFlags.h - what keys and values are kept as ----------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/run/Assistant.h"

#include <CLI/CLI.hpp>

namespace vm {

/// --cache-type-k and --cache-type-v, as llama.cpp has them.
inline void addCacheFlags(CLI::App &app, llm::AssistantOptions &options) {
  auto add = [&](const char *name, std::string &type, const char *help) {
    app.add_option(name, type, help)
        ->capture_default_str()
        ->check(CLI::IsMember({"f16", "q8_0", "f32"}));
  };
  add("--cache-type-k", options.keys,
      "What keys are kept as: f16, q8_0 with about half of the bytes, or f32");
  add("--cache-type-v", options.values, "The same of values, which is equal");
}

} // namespace vm
