//===- ParametersFuzz.cpp - any text through the reader of parameters -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What precedes the first NUL sets the parameter "n", the rest is the text.
//
//===----------------------------------------------------------------------===//

#include "parameters/Expression.h"
#include "parameters/Parameters.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace vm;

static void require(bool condition) {
  if (!condition)
    abort();
}

static size_t countLines(std::string_view text) {
  return std::count(text.begin(), text.end(), '\n');
}

/// Columns go up from left to right in both, and stay where nothing stood in a
/// place.
static void judgeColumns(const FilledText &filled, std::string_view line,
                         size_t number) {
  size_t before = 0;
  for (size_t column = 1; column <= line.size() + 1; ++column) {
    size_t inFile = filled.columnInFile(number, column);
    require(inFile >= before);
    require(filled.columnInText(number, inFile) <= column);
    require(filled.columnInFile(number, filled.columnInText(number, inFile)) ==
            inFile);
    before = inFile;
  }
}

static void judgeNumber(std::string_view text) {
  if (std::optional<Number> number = parseNumber(text))
    require(parseNumber(toText(*number)) == number);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view input(reinterpret_cast<const char *>(data), size);
  std::string_view value = input.substr(0, input.find('\0'));
  std::string_view text = input.substr(std::min(value.size() + 1, size));
  Settings settings;
  if (!value.empty())
    settings.emplace_back("n", value);
  judgeNumber(value);
  FilledText filled;
  ParameterError error;
  if (!fillParameters(text, settings, filled, error)) {
    require(!error.message.empty() && error.message.back() != '.');
    require(error.line <= countLines(text) + 1);
    return 0;
  }
  require(countLines(filled.text) == countLines(text));
  size_t number = 1;
  for (std::string_view rest = filled.text; !rest.empty(); ++number) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    judgeColumns(filled, line, number);
    require(filled.valuesAt(number).size() < 1 << 20);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return 0;
}
