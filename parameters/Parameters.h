//===- Parameters.h - programs with named sizes -----------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A text of MLIR that declares parameters, each in a line of its own,
//
//     gpuvm.parameter @lanes = 4096 in 1 to 65536 "boards side by side"
//     gpuvm.parameter @words = @2 * lanes@
//
// has places where a number may stand, as in tensor<@words@xi32>. They are
// replaced by numbers before MLIR's parser reads the text. Lines stay lines,
// and where the columns of one were in the file is remembered.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vm {

/// The values of a program's parameters that are not their defaults: pairs of
/// name and text, as in `--set lanes=1024`.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// What is wrong, in a part of a sentence. Lines and columns count from 1.
struct ParameterError {
  std::string message;
  size_t line = 0, column = 0; ///< 0: it is of no line.
};

/// A text as MLIR's parser reads it.
class FilledText {
public:
  std::string text;

  /// Where a column of `text` is in the file, and the other way round. What a
  /// place became is all at its first character.
  size_t columnInFile(size_t line, size_t column) const;
  size_t columnInText(size_t line, size_t column) const;

  /// `lanes = 1024, games = 16`: those in places of the line and those that
  /// were set; "" if there are none.
  std::string valuesAt(size_t line) const;

private:
  friend class TextFiller;
  struct Change {
    size_t inFile, inText; ///< The columns, from 1.
    size_t fileBytes, textBytes;
  };
  struct Line {
    std::vector<Change> changes;
    std::vector<std::string> names;
  };
  std::map<size_t, Line> lines; ///< Those that have changed.
  std::vector<std::pair<std::string, std::string>> values;
  std::vector<std::string> set;
};

/// Whether a text may declare parameters. What does not is read as it is.
bool mayHaveParameters(std::string_view text);

/// Sets `filled` to the text with numbers in its places. False after an
/// `error`.
bool fillParameters(std::string_view text, const Settings &settings,
                    FilledText &filled, ParameterError &error);

} // namespace vm
