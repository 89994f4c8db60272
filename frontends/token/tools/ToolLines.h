//===- ToolLines.h - the lines that a tool on a pipe reads and writes -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line is a JSON object in UTF-8, ended by LF:
//
//   {"id":0,"stream":3,"tool":"calc","text":"12*7"}   to the tool
//   {"id":0,"text":"84"}                              from it
//   {"id":0,"error":"why"}
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/tools/Tool.h"
#include "runtime/base/Status.h"

#include <string_view>

namespace vm::token {

/// The longest line, its LF not counted.
constexpr size_t kMaxToolLine = size_t(1) << 20;

/// With its LF. What is not UTF-8 in the texts is replaced by U+FFFD.
std::string toolRequestLine(uint64_t id, int32_t stream,
                            const std::string &tool, const std::string &text);

struct ToolAnswerLine {
  uint64_t id = 0;
  /// BadInput where the line says which request it is about and is no answer
  /// to it.
  Result<ToolReply> reply = ToolReply();
};

/// A line without its LF: the object has a whole number `id` from 0, and of
/// `text` and `error` exactly one is a string. Other keys do not matter, and
/// of a key that is there twice the last one counts. BadInput where no `id`
/// stands before the first character that is no JSON in UTF-8.
Result<ToolAnswerLine> readToolAnswer(std::string_view line);

/// Cuts what comes through a pipe into lines.
class ToolLineReader {
public:
  void append(std::string_view bytes) { buffer_ += bytes; }

  /// The next line without its LF, as long as there is a whole one; it is valid
  /// until the next call of any function.
  bool next(std::string_view &line);

  /// Whether the line that begins here, or the last one that next() gave, is
  /// longer than a line may be.
  bool isTooLong() const { return isTooLong_; }

private:
  std::string buffer_;
  size_t begin_ = 0;    ///< Of the line that comes next.
  size_t searched_ = 0; ///< No LF between the two.
  bool isTooLong_ = false;
};

} // namespace vm::token
