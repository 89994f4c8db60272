//===- Commands.cpp - the commands of gpuvm-linear ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-linear/Commands.h"

#include "frontends/SourceText.h"
#include "frontends/linear/executable/Disassembler.h"
#include "frontends/linear/executable/Executable.h"
#include "frontends/linear/matrices/Statistics.h"
#include "frontends/linear/text/Assembler.h"
#include "frontends/linear/text/Literal.h"
#include "runtime/base/AtomicFile.h"
#include "tools/common/FileKind.h"
#include "tools/common/StandardOutput.h"

#include <fmt/format.h>

#include <cstdio>

namespace vm::linear_tool {

using linear::Program;

int fail(const Status &status) {
  fmt::print(stderr, "gpuvm-linear: error: {}\n", status.message());
  return static_cast<int>(status.code());
}

int print(const std::string &text) {
  Status printed = printOutput(text);
  return printed.ok() ? 0 : fail(printed);
}

static std::nullopt_t complain(const Status &status) {
  fail(status);
  return std::nullopt;
}

/// Errors in a text begin with their place, as a compiler's.
static std::optional<Program> loadText(const std::string &path) {
  Result<std::string> text = readSourceText(path);
  if (!text.ok())
    return complain(text.status());
  Result<Program> program =
      linear::assemble(*text, path == "-" ? "<stdin>" : path);
  if (program.ok())
    return std::move(*program);
  fmt::print(stderr, "{}\n", program.status().message());
  return std::nullopt;
}

std::optional<Program> load(const std::string &path) {
  std::string first = firstBytes(path);
  if (!linear::isExecutable(
          {reinterpret_cast<const uint8_t *>(first.data()), first.size()}))
    return loadText(path);
  Result<Program> program = linear::readExecutableFile(path);
  if (!program.ok())
    return complain(program.status());
  return std::move(*program);
}

static constexpr int kBadInput = static_cast<int>(Code::BadInput);

int check(const Options &options) {
  std::optional<Program> program = load(options.path);
  if (!program)
    return kBadInput;
  return print(fmt::format("\"{}\" is a valid program (instructions: {}, "
                           "routines: {}, phases: {}).\n",
                           options.path, program->instructions.size(),
                           program->routines.size(), program->phases.size()));
}

int assemble(const Options &options) {
  std::optional<Program> program = load(options.path);
  if (!program)
    return kBadInput;
  Status status = writeFileAtomically(options.executablePath,
                                      linear::writeExecutable(*program));
  return status.ok() ? 0 : fail(status);
}

int disassemble(const Options &options) {
  std::optional<Program> program = load(options.path);
  return program ? print(linear::disassemble(*program)) : kBadInput;
}

double thresholdOf(const Options &options, const Program &program) {
  if (options.threshold == "auto")
    return linear::autoThreshold(program);
  if (!options.threshold.empty())
    return linear::toDouble(options.threshold);
  return program.threshold.value_or(linear::kDefaultThreshold);
}

int statistics(const Options &options) {
  std::optional<Program> program = load(options.path);
  if (!program)
    return kBadInput;
  linear::Statistics numbers = linear::countStatistics(
      *program, options.formatOr(linear::Format::Hybrid),
      thresholdOf(options, *program));
  return print(options.json ? numbers.toJson() : numbers.toTable());
}

} // namespace vm::linear_tool
