//===- ExpectTesting.h - what a file of tests says is wrong with it -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line `# expect: [FILE:]LINE:COL CODE WORD..` is one for a diagnostic, in
// their order, with words of its sentence; 0:0 is a file or folder as a whole.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Diagnostics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace vm::token::test {

struct Expected {
  std::string place; ///< `LINE:COL` or `FILE:LINE:COL`.
  std::string code;
  std::vector<std::string> words;
};

/// What comes after a mark at the begin of the line.
inline std::optional<std::string> afterMark(const std::string &line,
                                            const std::string &mark) {
  if (!line.starts_with(mark))
    return std::nullopt;
  return line.substr(mark.size());
}

inline std::vector<Expected> expectedOf(const std::filesystem::path &path) {
  std::ifstream lines(path, std::ios::binary);
  std::vector<Expected> all;
  for (std::string line; std::getline(lines, line);) {
    std::optional<std::string> rest = afterMark(line, "# expect: ");
    if (!rest)
      continue;
    std::istringstream fields(*rest);
    Expected expected;
    fields >> expected.place >> expected.code;
    for (std::string word; fields >> word;)
      expected.words.push_back(word);
    all.push_back(std::move(expected));
  }
  return all;
}

/// The place as an expectation of `path` says it; other files are relative to
/// `folder`.
inline std::string placeText(const Place &place,
                             const std::filesystem::path &path,
                             const std::filesystem::path &folder) {
  std::string where =
      fmt::format("{}:{}", place.where.line, place.where.column);
  if (place.file == path.string())
    return where;
  return fmt::format(
      "{}:{}",
      std::filesystem::path(place.file).lexically_relative(folder).string(),
      where);
}

/// All that was found in `path`.
inline void expectAll(const Diagnostics &diagnostics,
                      const std::vector<Expected> &expected,
                      const std::filesystem::path &path,
                      const std::filesystem::path &folder) {
  const std::vector<Diagnostic> &all = diagnostics.all();
  EXPECT_EQ(all.size(), expected.size())
      << diagnostics.status().message() << diagnostics.warnings();
  for (size_t i = 0; i < std::min(expected.size(), all.size()); ++i) {
    std::string text = toText(all[i]);
    EXPECT_EQ(placeText(all[i].place, path, folder), expected[i].place) << text;
    EXPECT_EQ(all[i].code, expected[i].code) << text;
    bool isWarning = all[i].severity == Diagnostic::Severity::Warning;
    EXPECT_EQ(isWarning, expected[i].code[0] == 'W') << text;
    for (const std::string &word : expected[i].words)
      EXPECT_NE(all[i].sentence.find(word), std::string::npos)
          << "no " << word << " in " << text;
    EXPECT_EQ(all[i].sentence.back(), '.') << text;
  }
}

/// The code that the name of a file begins with.
inline std::string codeOfName(const std::filesystem::path &path) {
  return path.filename().string().substr(0, 3);
}

} // namespace vm::token::test
