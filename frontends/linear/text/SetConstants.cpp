//===- SetConstants.cpp - other values of constants -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/text/SetConstants.h"

#include "frontends/SourceText.h"
#include "frontends/linear/text/Lexer.h"
#include "frontends/linear/text/Literal.h"
#include "parameters/Places.h"
#include "runtime/base/NearName.h"
#include "runtime/base/Printable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <vector>

using namespace vm;
using namespace vm::linear;

/// What is wrong with the settings of constants with these names.
static std::string complaint(const Settings &settings,
                             const std::map<std::string_view, Token> &numbers) {
  std::vector<std::string> names;
  for (const auto &[name, number] : numbers)
    names.emplace_back(name);
  std::map<std::string_view, int> times;
  for (const auto &[name, value] : settings) {
    if (++times[name] > 1)
      return fmt::format("The constant \"{}\" is set more than once.", name);
    if (!isNumber(value))
      return fmt::format("The constant \"{}\" is set to \"{}\", which is no "
                         "number.",
                         printable(name), printable(value));
    if (numbers.contains(name))
      continue;
    std::string near = didYouMean(name, names);
    return fmt::format("There is no constant \"{}\" ({}{}constants: {}).",
                       printable(name), near, near.empty() ? "" : " ",
                       fmt::join(names, ", "));
  }
  return "";
}

Result<std::string> linear::setConstants(std::string_view text,
                                         const std::string &file,
                                         const Settings &settings) {
  std::map<std::string_view, Token> numbers;
  SourceLines lines(text);
  for (SourceLine line; lines.next(line);) {
    LineLexer lexer(textOf(text, line), line.number);
    if (lexer.take().text != ".const")
      continue;
    std::string_view name = lexer.take().text;
    numbers.try_emplace(name, lexer.take());
  }
  if (std::string wrong = complaint(settings, numbers); !wrong.empty())
    return Status(Code::BadInput, fmt::format("{}: error: {}", file, wrong));
  std::map<size_t, Replacement> changes;
  for (const auto &[name, value] : settings) {
    std::string_view number = numbers.at(name).text;
    size_t begin = number.data() - text.data();
    changes.emplace(begin, Replacement{begin, number.size(), value});
  }
  std::vector<Replacement> ordered;
  for (auto &[begin, change] : changes)
    ordered.push_back(std::move(change));
  std::string result;
  replace(text, ordered, result);
  return result;
}
