//===- CommandLineText.h - numbers and mistakes on a command line ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What CLI11 leaves to its users: it reads "-1" as 2^64 - 1, cuts what is too
// large, and does not say what may have been meant by an option it does not
// know.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/NearName.h"
#include "runtime/base/Status.h"
#include "tools/common/StandardOutput.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace vm {

/// A whole number in decimal digits, from `min` to `max`.
inline CLI::Validator countIn(uint64_t min, uint64_t max) {
  auto check = [min, max](std::string &text) -> std::string {
    uint64_t value = 0;
    const char *end = text.data() + text.size();
    auto [stop, error] = std::from_chars(text.data(), end, value);
    bool isCount = error == std::errc() && stop == end;
    if (isCount && value >= min && value <= max)
      return "";
    return fmt::format("\"{}\" is no whole number from {} to {}.", text, min,
                       max);
  };
  return CLI::Validator(check, "");
}

/// A finite number from `min` to `max`.
inline CLI::Validator numberIn(double min, double max) {
  auto check = [min, max](std::string &text) -> std::string {
    double value = 0;
    const char *end = text.data() + text.size();
    auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && stop == end && value >= min && value <= max)
      return "";
    return fmt::format("\"{}\" is no number from {} to {}.", text, min, max);
  };
  return CLI::Validator(check, "");
}

/// NAME=VALUE, with a name before the first `=`.
inline CLI::Validator isPair() {
  auto check = [](std::string &text) -> std::string {
    size_t end = text.find('=');
    return end != std::string::npos && end != 0
               ? ""
               : fmt::format("\"{}\" is no NAME=VALUE.", text);
  };
  return CLI::Validator(check, "");
}

inline std::pair<std::string, std::string> splitPair(const std::string &pair) {
  size_t end = pair.find('=');
  return {pair.substr(0, end), pair.substr(end + 1)};
}

/// The pairs that `option` was given, by name. Usage where one is there twice.
inline Result<std::map<std::string, std::string>>
mapOfPairs(const char *option, const std::vector<std::string> &pairs) {
  std::map<std::string, std::string> map;
  for (const std::string &pair : pairs)
    if (auto [name, value] = splitPair(pair); !map.emplace(name, value).second)
      return Status(Code::Usage, fmt::format("{} gives \"{}\" more than once.",
                                             option, name));
  return map;
}

/// Executions that a tool repeats; more take years.
inline constexpr uint64_t kMaxRepetitions = uint64_t(1) << 40;

/// --max-steps of a reference, for which a step is what `what` says.
inline CLI::Option *addStepsFlag(CLI::App &app, uint64_t &steps,
                                 const char *what) {
  return app
      .add_option("--max-steps", steps,
                  fmt::format("End, with exit code 5, after so many steps: {}. "
                              "Default: without limit",
                              what))
      ->check(countIn(1, UINT64_MAX));
}

/// Whether the error is that none of the tool's commands was named.
inline bool lacksCommand(const CLI::App &app, const CLI::ParseError &error) {
  return error.get_exit_code() ==
             static_cast<int>(CLI::ExitCodes::RequiredError) &&
         app.get_subcommands().empty();
}

/// What a parse error says, with the option that may have been meant.
inline std::string explain(CLI::App &app, const CLI::ParseError &error) {
  std::string text = error.what();
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError))
    return text;
  std::vector<std::string> known;
  for (CLI::App *each : app.get_subcommands([](CLI::App *) { return true; }))
    for (const CLI::Option *option : each->get_options())
      for (const std::string &name : option->get_lnames())
        known.push_back("--" + name);
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      known.push_back("--" + name);
  for (const std::string &given : app.remaining(/*recurse=*/true)) {
    std::string name = given.substr(0, given.find('='));
    std::string meant = name.starts_with("--") ? didYouMean(name, known) : "";
    if (!meant.empty())
      text += " (" + meant + ")";
  }
  return text;
}

/// Says what CLI11 stopped at: the help or the version that was asked for, or
/// the mistake. What the tool exits with.
inline int answer(CLI::App &app, const CLI::ParseError &error) {
  if (error.get_exit_code() == 0) {
    app.exit(error, std::cout, std::cerr);
    Status flushed = flushOutput();
    if (!flushed.ok())
      std::cerr << app.get_name() << ": error: " << flushed.message() << '\n';
    return static_cast<int>(flushed.code());
  }
  std::cerr << app.get_name() << ": error: " << explain(app, error)
            << "\nRun with --help for more information.\n";
  return static_cast<int>(Code::Usage);
}

} // namespace vm
