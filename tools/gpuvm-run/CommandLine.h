//===- CommandLine.h - options of gpuvm-run -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags follow iree-run-module, which users of this kind of tool know.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace vm::run {

enum class StatsFormat { None, Json, Text };
enum class ProfileFormat { None, Json, Table };
enum class RanksMode { Auto, Off, Mpi };

struct CommandLine {
  std::string planPath;
  /// The programs to execute, one after the other; empty: the only one.
  std::vector<std::string> programs;
  std::vector<std::string> inputs;        ///< "name=<tensor>", as given.
  std::string restorePath, savePath;      ///< Of a state; or empty.
  std::vector<std::string> sets;          ///< "name=<tensor>".
  std::vector<std::string> outputs;       ///< "name", "name=@file.npy" or "".
  std::vector<std::string> expected;      ///< "name=<tensor>".
  std::vector<std::string> streams;       ///< "name=file", as given.
  std::vector<std::string> streamOutputs; ///< "name=file".
  double f16Threshold = 0.001;
  double f32Threshold = 0.0001;
  double f64Threshold = 0.0001;
  uint64_t maxElements = 1024;

  std::string device;
  bool listDevices = false;
  uint64_t iterations = 1;
  uint64_t warmup = 0;
  double timeoutSeconds = 60;
  uint64_t vramBudgetBytes = 0;
  bool validate = false;
  bool breadcrumbs = false;
  bool robust = true;
  bool variants = true;
  bool trustKernels = false;
  RanksMode ranks = RanksMode::Auto;
  std::optional<uint64_t> linkBytes;    ///< See ExecutorOptions.
  std::optional<uint64_t> sharedBytes;  ///< Likewise.
  bool shareDevice = false;             ///< Ranks may have the same GPU.
  std::vector<std::string> assumptions; ///< See Assumptions.h.

  StatsFormat stats = StatsFormat::None;
  std::optional<double> watchSeconds; ///< 0: as often as is good.
  std::string tracePath;              ///< Empty: no trace.
  ProfileFormat profile = ProfileFormat::None;
  bool copySpeed = false; ///< Measure it along with the run.
  /// Measure it and nothing else; 0 bytes for the default size.
  std::optional<uint64_t> measureCopySpeed;
  bool quiet = false;
};

/// --run and --program; also for gpuvm-interpret.
void addProgramFlags(CLI::App &app, CommandLine &options);
/// --expected_output and its tolerances, and how much of an output is printed;
/// the same.
void addExpectedFlags(CLI::App &app, CommandLine &options);

/// Whether every command is to be timed.
inline bool timesCommands(const CommandLine &options) {
  return options.profile != ProfileFormat::None || !options.tracePath.empty();
}

/// Parses argv. If there is nothing left to do (--help, --version, an error
/// that has been reported), returns the exit code instead.
struct ParsedCommandLine {
  CommandLine options;
  std::optional<int> exitCode;
};
ParsedCommandLine parseCommandLine(int argc, char **argv);

} // namespace vm::run
