//===- SourceText.cpp - a text to read, and what is wrong with it ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/SourceText.h"

#include "runtime/base/InputFile.h"
#include "runtime/base/Printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace vm {

//===--- Errors -----------------------------------------------------------===//

void SourceErrors::add(SourceLocation where, std::string text) {
  if (!keeps(where))
    return;
  if (errors_.size() == kMaxErrors)
    errors_.pop_back();
  auto isBefore = [](SourceLocation a, const Error &b) { return a < b.where; };
  auto at = std::upper_bound(errors_.begin(), errors_.end(), where, isBefore);
  errors_.insert(at, {where, std::move(text)});
}

Status SourceErrors::status(const std::string &file) const {
  std::string message;
  for (const Error &error : errors_)
    message += fmt::format("{}{}:{}:{}: error: {}", message.empty() ? "" : "\n",
                           printableLines(file), error.where.line,
                           error.where.column, error.text);
  return Status(Code::BadInput, std::move(message));
}

//===--- Lines ------------------------------------------------------------===//

bool SourceLines::next(SourceLine &line) {
  if (at_ >= text_.size())
    return false;
  line = {static_cast<uint32_t>(at_), ++number_};
  size_t end = text_.find('\n', at_);
  at_ = end == text_.npos ? text_.size() : end + 1;
  return true;
}

std::string_view textOf(std::string_view text, const SourceLine &line) {
  std::string_view rest = text.substr(line.offset);
  return rest.substr(0, rest.find('\n'));
}

//===--- Files ------------------------------------------------------------===//

static Status tooLong(uint64_t bytes) {
  return Status(Code::BadInput,
                fmt::format("The text has {} bytes or more (the limit is {}).",
                            bytes, kMaxSourceBytes));
}

static Result<std::string> readStandardInput() {
  std::string text;
  char block[1 << 16];
  while (size_t bytes = std::fread(block, 1, sizeof(block), stdin)) {
    text.append(block, bytes);
    if (text.size() > kMaxSourceBytes)
      return tooLong(text.size());
  }
  if (std::ferror(stdin))
    return Status(Code::BadInput, "Standard input cannot be read.");
  return text;
}

Result<std::string> readSourceText(const std::string &path) {
  if (path == "-")
    return readStandardInput();
  std::string context = fmt::format("reading \"{}\"", printableLines(path));
  Result<InputFile> file = InputFile::open(path);
  if (!file.ok())
    return file.status().withContext(context);
  if (file->sizeBytes() > kMaxSourceBytes)
    return tooLong(file->sizeBytes()).withContext(context);
  std::string text(file->sizeBytes(), '\0');
  Status status =
      file->readAt(0, {reinterpret_cast<uint8_t *>(text.data()), text.size()});
  if (!status.ok())
    return status.withContext(context);
  return text;
}

} // namespace vm
