//===- CompareReports.cpp - gpuvm-token compare ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/SourceText.h"
#include "frontends/token/reference/ReadReport.h"
#include "tools/gpuvm-token/Commands.h"

#include <fmt/format.h>

namespace vm::token_tool {

using namespace token;

static Result<RunReport> load(const std::string &path) {
  Result<std::string> text = readSourceText(path);
  if (!text.ok())
    return text.status();
  return readReport(*text, path);
}

static std::string sizeText(const RunReport &report) {
  size_t tokens = 0;
  for (const StreamReport &stream : report.streams)
    tokens += stream.tokens.size();
  return fmt::format("{} streams, {} tokens", report.streams.size(), tokens);
}

int compareReports(const std::string &pathA, const std::string &pathB) {
  Result<RunReport> a = load(pathA);
  if (!a.ok())
    return fail(a.status());
  Result<RunReport> b = load(pathB);
  if (!b.ok())
    return fail(b.status());
  std::optional<std::string> difference = firstDifference(*a, pathA, *b, pathB);
  if (int code = print(difference ? *difference + "\n"
                                  : fmt::format("The reports are the same: "
                                                "{}.\n",
                                                sizeText(*a))))
    return code;
  return static_cast<int>(difference ? Code::WrongResult : Code::Ok);
}

} // namespace vm::token_tool
