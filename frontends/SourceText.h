//===- SourceText.h - a text to read, and what is wrong with it -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every front end with a text of its own needs: the text of a file, its
// lines, and errors that say where they are.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vm {

/// The longest text that is read, in bytes.
constexpr uint64_t kMaxSourceBytes = uint64_t(1) << 30;

/// A place in a text; both numbers count from 1, columns are bytes.
struct SourceLocation {
  uint32_t line = 1;
  uint32_t column = 1;
  auto operator<=>(const SourceLocation &) const = default;
};

/// Errors with their places. Keeps the first of them in the order of the text,
/// in whatever order they are found.
class SourceErrors {
public:
  /// As many as are kept.
  static constexpr size_t kMaxErrors = 20;

  void add(SourceLocation where, std::string text);
  /// Whether an error there would be kept, so that its text is worth
  /// formatting.
  bool keeps(SourceLocation where) const {
    return errors_.size() < kMaxErrors || where < errors_.back().where;
  }
  bool empty() const { return errors_.empty(); }

  /// `file:line:column: error: text`, one a line; BadInput. There must be one.
  Status status(const std::string &file) const;

private:
  struct Error {
    SourceLocation where;
    std::string text;
  };
  std::vector<Error> errors_; ///< Ascending.
};

/// A line of a text, by where it begins.
struct SourceLine {
  uint32_t offset = 0;
  uint32_t number = 1;
};

/// The lines of a text of at most kMaxSourceBytes, one after the other. A text
/// that ends with a line feed has no empty line after it.
class SourceLines {
public:
  explicit SourceLines(std::string_view text) : text_(text) {}

  /// False after the last one.
  bool next(SourceLine &line);

  /// The number of the last line so far; 1 in an empty text.
  uint32_t lastNumber() const { return number_ == 0 ? 1 : number_; }

private:
  std::string_view text_;
  size_t at_ = 0;
  uint32_t number_ = 0;
};

/// The bytes of a line without its line feed.
std::string_view textOf(std::string_view text, const SourceLine &line);

/// The bytes of a file, or of standard input for `-`; BadInput where it has
/// more than kMaxSourceBytes.
Result<std::string> readSourceText(const std::string &path);

} // namespace vm
