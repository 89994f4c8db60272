//===- TokenReportFuzz.cpp - any text through the reader of reports -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A text that is refused has sentences with codes. A report that is read is the
// same as itself and differs from a changed one. A second report after a line
// `#---` is compared with the first, in both orders.
//
//===----------------------------------------------------------------------===//

#include "frontends/token/reference/ReadReport.h"

#include <cstdlib>

using namespace vm;
using namespace vm::token;

static void require(bool condition) {
  if (!condition)
    abort();
}

static std::optional<RunReport> read(std::string_view text) {
  Result<RunReport> report = readReport(text, "x");
  if (report.ok())
    return *report;
  require(report.status().code() == Code::BadInput);
  require(report.status().message().starts_with("x: error: "));
  require(report.status().message().size() < 20 * 2048);
  return std::nullopt;
}

static bool differ(const RunReport &a, const RunReport &b) {
  std::optional<std::string> ab = firstDifference(a, "a", b, "b");
  std::optional<std::string> ba = firstDifference(b, "b", a, "a");
  require(ab.has_value() == ba.has_value());
  require(!ab || (ab->size() < 4096 && ab->ends_with('.')));
  return ab.has_value();
}

static void checkChanged(const RunReport &report) {
  require(!differ(report, report));
  RunReport changed = report;
  changed.done = !changed.done;
  require(differ(report, changed));
  for (size_t b = 0; b < report.streams.size() && b < 4; ++b) {
    changed = report;
    StreamReport &stream = changed.streams[b];
    if (stream.tokens.empty())
      stream.final.depth ^= 1;
    else
      stream.triggers.back().push_back(INT32_MAX);
    require(differ(report, changed));
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  constexpr std::string_view kCut = "#---\n";
  std::string_view text(reinterpret_cast<const char *>(data), size);
  size_t cut = text.find(kCut);
  std::optional<RunReport> report = read(text.substr(0, cut));
  if (!report)
    return 0;
  checkChanged(*report);
  if (cut == text.npos)
    return 0;
  if (std::optional<RunReport> other = read(text.substr(cut + kCut.size())))
    differ(*report, *other);
  return 0;
}
