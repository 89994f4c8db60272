//===- Report.h - reports of gpuvm-run ------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results go to standard output, everything else to standard error.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/AtomicFile.h"
#include "runtime/base/Status.h"
#include "tools/gpuvm-run/Bindings.h"
#include "tools/gpuvm-run/CommandLine.h"
#include "tools/gpuvm-run/Session.h"

#include <span>
#include <string>
#include <vector>

namespace vm::run {

/// "[SUCCESS] ..." or a line "[FAILED] ..." for each output that differs.
struct Comparison {
  std::string text;
  bool same = true;
};
Comparison compare(const Bindings &bindings, const RunResult &result,
                   const CommandLine &options);

/// The outputs to print, a line each.
std::string outputLines(const Bindings &bindings, const RunResult &result,
                        const CommandLine &options);

/// The files to write, which get their names when they are committed.
Result<std::vector<AtomicFile>> writeOutputs(const Bindings &bindings,
                                             const RunResult &result);

/// Prints [SUCCESS], or one [FAILED] line for each output that differs; true if
/// none does.
bool compareOutputs(const Bindings &bindings, const RunResult &result,
                    const CommandLine &options);

/// Prints the outputs to print and writes those to write, each file whole or
/// not at all.
Status deliverOutputs(const Bindings &bindings, const RunResult &result,
                      const CommandLine &options);

/// The statistics, as JSON on one line and as lines.
std::string statsJson(const RunStats &stats);
std::string statsLines(const RunStats &stats);

void printCopySpeed(const DeviceInfo &device, const CopySpeed &speed,
                    StatsFormat format);

void printDevices(std::span<const DeviceInfo> devices, StatsFormat format);

} // namespace vm::run
