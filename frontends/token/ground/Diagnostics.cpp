//===- Diagnostics.cpp - diagnostics of workflows -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/ground/Diagnostics.h"

#include "runtime/base/Printable.h"

#include <fmt/format.h>

using namespace vm;
using namespace vm::token;

namespace {

std::string lines(const std::vector<Diagnostic> &all, bool errorsToo) {
  std::string text;
  for (const Diagnostic &diagnostic : all) {
    if (!errorsToo && diagnostic.severity == Diagnostic::Severity::Error)
      continue;
    if (!text.empty())
      text += '\n';
    text += toText(diagnostic);
  }
  return text;
}

} // namespace

std::string vm::token::toText(const Diagnostic &diagnostic) {
  const Place &place = diagnostic.place;
  const char *severity =
      diagnostic.severity == Diagnostic::Severity::Error ? "error" : "warning";
  constexpr size_t kMaxPathBytes = 4096; // PATH_MAX of Linux.
  std::string where = printableLine(place.file, kMaxPathBytes);
  if (place.where.line != 0)
    where += fmt::format(":{}:{}", place.where.line, place.where.column);
  return fmt::format("{}: {}: {} [{}]", where, severity, diagnostic.sentence,
                     diagnostic.code);
}

void Diagnostics::error(std::string code, Place place, std::string sentence,
                        Subject subject) {
  if (++errors_ <= kMax)
    all_.push_back({Diagnostic::Severity::Error, std::move(code),
                    std::move(place), std::move(sentence), subject});
}

void Diagnostics::warning(std::string code, Place place, std::string sentence) {
  if (++warnings_ <= kMax)
    all_.push_back({Diagnostic::Severity::Warning,
                    std::move(code),
                    std::move(place),
                    std::move(sentence),
                    {}});
}

Status Diagnostics::status() const {
  if (!hasErrors())
    return Status();
  return Status(Code::BadInput, lines(all_, /*errorsToo=*/true));
}

std::string Diagnostics::warnings() const {
  return lines(all_, /*errorsToo=*/false);
}
