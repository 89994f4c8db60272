//===- ShortNames.h - llama.cpp's options of a single dash ------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// llama.cpp has options of a single dash and several letters, which CLI11 reads
// as one letter and its value: "-ctk" as "-c tk".
//
//===----------------------------------------------------------------------===//

#pragma once

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vm {

/// Those of llama.cpp whose long forms programs that run language models have.
inline constexpr std::array<std::pair<std::string_view, const char *>, 6>
    kShortNames = {{{"-ctk", "--cache-type-k"},
                    {"-ctv", "--cache-type-v"},
                    {"-dev", "--device"},
                    {"-jf", "--json-schema-file"},
                    {"-np", "--parallel"},
                    {"-sys", "--system-prompt"}}};

/// Parses the command line with the long forms of these instead, where `app`
/// has them. What is the value of an option stays as it is.
inline void parseWithShortNames(CLI::App &app, int argc,
                                const char *const *argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  for (size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    std::string_view name =
        std::string_view(words[i]).substr(0, words[i].find('='));
    for (auto [shortName, longName] : kShortNames)
      if (name == shortName && app.get_option_no_throw(longName)) {
        words[i].replace(0, name.size(), longName);
        break;
      }
    const CLI::Option *option = app.get_option_no_throw(words[i]);
    if (words[i].starts_with('-') && option &&
        option->get_items_expected_min() > 0)
      ++i;
  }
  std::ranges::reverse(words); // As CLI11 wants them.
  app.parse(words);
}

} // namespace vm
