//===- CommandLine.cpp - options of gpuvm-run -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags, their help, and the checks between them.
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-run/CommandLine.h"

#include "runtime/base/Status.h"
#include "tools/common/DeviceFlags.h"
#include "tools/gpuvm-run/Assumptions.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <vulkan/vulkan_core.h>

#include <iostream>
#include <map>

namespace vm::run {

static const char *const kHelp =
    R"(Runs a gpuvm plan on a Vulkan device.

Example:
  gpuvm-run scale.gvplan --input=x=8xf32=1,2,3,4,5,6,7,8 --output=y=@y.npy

Tensors are written as iree-run-module takes them: 3.5 as f32=3.5, a list as
2x2xi32=1,2,3,4, one value for all elements as 8xf32=0, a file as @x.npy, raw
bytes as 8xf32=@x.bin, and as many of them as the input has, from byte 4096 of
a file on, as @w.bin+4096. @x.npy[1/4] is the second of four equal parts of a
.npy file.

Several that mpirun or srun --mpi=pmix has started run the plan together, each
on a device of its own. In what names tensors and files, {rank} is the number
of each, and {ranks} how many there are:
  mpirun -n 4 gpuvm-run scale.gvplan --input=x=@x.npy[{rank}/{ranks}] \
    --output=y=@y.{rank}.npy

Exit codes: 0 ok, 1 wrong result, 2 usage, 3 bad input file, 4 no suitable
device, 5 device lost or timeout, 6 out of memory, 7 more results than there
is room for, 8 another rank has failed.)";

static std::string versionText() {
  return fmt::format("gpuvm-run {} (Vulkan headers {}.{}.{})", GPUVM_VERSION,
                     VK_API_VERSION_MAJOR(VK_HEADER_VERSION_COMPLETE),
                     VK_API_VERSION_MINOR(VK_HEADER_VERSION_COMPLETE),
                     VK_HEADER_VERSION);
}

static void addDataFlags(CLI::App &app, CommandLine &options) {
  app.add_option("plan", options.planPath, "The plan file (.gvplan)");
  app.add_option("--input", options.inputs,
                 "name=<tensor>: data of an input; once for each input")
      ->allow_extra_args(false);
  app.add_option("--set", options.sets,
                 "name=<tensor>: value of a metric, global or control word "
                 "before the first execution; once for each")
      ->allow_extra_args(false);
  app.add_option("--output", options.outputs,
                 "name prints an output, metric, global or control word as "
                 "the last execution left it; name=@file.npy writes it; empty "
                 "prints nothing. Default: print all outputs")
      ->allow_extra_args(false);
  app.add_option("--restore", options.restorePath,
                 "Begin with the registers, metrics, globals and control words "
                 "that --save has written")
      ->type_name("FILE");
  app.add_option("--save", options.savePath,
                 "Write what the programs remember to a file, in one step")
      ->type_name("FILE");
  app.add_option("--stream", options.streams,
                 "name=file: execute once for each chunk of a file of rows "
                 "(.npy or raw) that is longer than the input; once for each "
                 "such input")
      ->allow_extra_args(false);
  app.add_option("--stream-output", options.streamOutputs,
                 "name=file: append an output of every chunk to a raw file or "
                 "pipe")
      ->allow_extra_args(false);
  addExpectedFlags(app, options);
}

/// One of the names, which becomes the number of its value, as CLI11 reads it.
template <typename T>
static CLI::Validator oneOf(const std::map<std::string, T> &values) {
  auto check = [values](std::string &text) -> std::string {
    std::string names;
    for (const auto &[name, value] : values) {
      if (name == text) {
        text = std::to_string(static_cast<int>(value));
        return "";
      }
      names += (names.empty() ? "" : " nor ") + name;
    }
    return fmt::format("\"{}\" is neither {}.", text, names);
  };
  return CLI::Validator(check, "");
}

static void addRunFlags(CLI::App &app, CommandLine &options) {
  app.add_option(
      "--device", options.device,
      "gpu, cpu, lavapipe, an index, or a part of the name. Default: "
      "a real GPU if there is one");
  static const std::map<std::string, RanksMode> kRanks = {
      {"auto", RanksMode::Auto},
      {"mpi", RanksMode::Mpi},
      {"off", RanksMode::Off}};
  app.add_option(
         "--ranks", options.ranks,
         "mpi: run together with the others that MPI knows; off: alone. "
         "Default: mpi if a launcher of MPI has started this")
      ->transform(oneOf(kRanks))
      ->type_name("MODE");
  app.add_option("--link-bytes", options.linkBytes,
                 "Exchanges in which a rank sends at least so many bytes go "
                 "through NCCL, if all ranks can, the others through the "
                 "host's memory. Default: 1310720")
      ->type_name("BYTES");
  app.add_option("--shared-bytes", options.sharedBytes,
                 "Of the others those in which a rank sends at least so many "
                 "bytes go through memory that ranks of a host share, if their "
                 "devices can. Default: 65536")
      ->type_name("BYTES");
  app.add_flag("--share-device", options.shareDevice,
               "Several ranks may have the same GPU");
  app.add_flag("--list-devices,--list_devices", options.listDevices,
               "List the Vulkan devices and exit");
  addProgramFlags(app, options);
  app.add_option("--iterations", options.iterations,
                 "Execute this many times and measure each")
      ->capture_default_str()
      ->check(countIn(1, kMaxRepetitions));
  app.add_option("--warmup", options.warmup,
                 "Execute this many times before measuring")
      ->capture_default_str()
      ->check(countIn(0, kMaxRepetitions));
  addTimeoutFlag(app, options.timeoutSeconds);
  addMemoryFlag(app, options.vramBudgetBytes);
  app.add_flag("--validate", options.validate,
               "Turn on the Vulkan validation layer with synchronization "
               "validation; any message makes the exit code 1");
  app.add_flag("!--no-robust", options.robust,
               "Do not have the device check accesses against their windows");
  app.add_flag("--trust-kernels", options.trustKernels,
               "Run kernels as they are: do not bound their accesses of "
               "workgroup and private memory, nor clear it");
  app.add_flag("!--no-variants", options.variants,
               "Run every kernel itself, not its variant for the device");
  auto checkFeature = [](const std::string &text) {
    return isAssumption(text)
               ? std::string()
               : fmt::format("\"{}\" is no feature of a plan.", text);
  };
  app.add_option("--assume-features", options.assumptions,
                 "For tests of kernels: take the device to have features, or "
                 "(-NAME) not to have them")
      ->delimiter(',')
      ->type_name("NAME,...")
      ->check(CLI::Validator(checkFeature, ""));
  app.add_flag("--breadcrumbs", options.breadcrumbs,
               "Find out which command hangs, at some cost on a GPU");
}

static void addReportFlags(CLI::App &app, CommandLine &options) {
  static const std::map<std::string, StatsFormat> kFormats = {
      {"json", StatsFormat::Json}, {"text", StatsFormat::Text}};
  app.add_option("--stats", options.stats,
                 "text (the default) or json: print what was measured")
      ->transform(oneOf(kFormats))
      ->type_name("[FORMAT]");
  static const std::map<std::string, ProfileFormat> kProfiles = {
      {"json", ProfileFormat::Json}, {"table", ProfileFormat::Table}};
  app.add_option(
         "--profile", options.profile,
         "table (the default) or json: time every command on the "
         "device, and print where the time goes, by kernel and by stage")
      ->transform(oneOf(kProfiles))
      ->type_name("[FORMAT]");
  app.add_option("--watch", options.watchSeconds,
                 "Show stages, their status and metrics while the program "
                 "runs, every so many seconds; on a terminal in place")
      ->type_name("[SECONDS]")
      ->check(numberIn(0, 1e6));
  app.add_option("--trace", options.tracePath,
                 "Write what host and device did, and when, to this file, for "
                 "Perfetto or chrome://tracing")
      ->type_name("FILE");
  app.add_flag("--copy-speed", options.copySpeed,
               "Measure the device's copy speed in the same run, for --stats");
  app.add_flag("--quiet", options.quiet, "Print neither outputs nor [SUCCESS]");
  app.set_version_flag("--version", versionText());
}

/// Problems CLI11 cannot see; empty if there are none.
static std::string checkOptions(const CommandLine &options) {
  bool needsPlan = !options.listDevices && !options.measureCopySpeed;
  if (needsPlan && options.planPath.empty())
    return "No plan file is given.";
  if (options.streams.empty() && !options.streamOutputs.empty())
    return "--stream-output needs --stream.";
  if (!options.streams.empty() && (options.iterations > 1 || options.warmup))
    return "--stream executes once for each chunk; --iterations and --warmup "
           "do not go with it.";
  if (!options.streams.empty() && !options.programs.empty())
    return "--stream executes the program that its input is of; --program and "
           "--run do not go with it.";
  if (timesCommands(options) && options.programs.size() > 1)
    return "--profile and --trace are of one program; --program says which.";
  return "";
}

/// A flag that may have no value, with one: CLI11 would take the next argument.
static std::string withValue(const std::string &flag, std::string_view next) {
  if (flag == "--watch")
    return "--watch=0";
  bool hasFormat = next == "json" || next == "text" || next == "table";
  if (flag == "--stats" && !hasFormat)
    return "--stats=text";
  return flag == "--profile" && !hasFormat ? "--profile=table" : flag;
}

/// The arguments last to first, as CLI11 takes them. It would give an empty
/// `--output=` the next argument as its value, so that one goes to `outputs`.
static std::vector<std::string>
reversedArguments(int argc, char **argv, std::vector<std::string> &outputs) {
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i)
    if (std::string argument = argv[i]; argument == "--output=")
      outputs.push_back("");
    else
      arguments.push_back(withValue(argument, i + 1 < argc ? argv[i + 1] : ""));
  return arguments;
}

ParsedCommandLine parseCommandLine(int argc, char **argv) {
  ParsedCommandLine parsed;
  CommandLine &options = parsed.options;
  CLI::App app(kHelp, "gpuvm-run");
  addDataFlags(app, options);
  addRunFlags(app, options);
  addReportFlags(app, options);
  uint64_t copyBytes = 0;
  CLI::Option *measure =
      app.add_option("--measure-copy-speed", copyBytes,
                     "Measure the device's copy speed with buffers of this "
                     "many bytes, print it in GB/s (read + written), and exit")
          ->expected(0, 1)
          ->check(countIn(0, UINT64_MAX));
  try {
    std::vector<std::string> skipped;
    app.parse(reversedArguments(argc, argv, skipped));
    options.outputs.insert(options.outputs.end(), skipped.begin(),
                           skipped.end());
  } catch (const CLI::ParseError &error) {
    parsed.exitCode = answer(app, error);
    return parsed;
  }
  if (measure->count())
    options.measureCopySpeed = copyBytes;
  if (std::string problem = checkOptions(options); !problem.empty()) {
    std::cerr << "gpuvm-run: error: " << problem
              << " (--help shows how to use it.)\n";
    parsed.exitCode = static_cast<int>(Code::Usage);
  }
  return parsed;
}

} // namespace vm::run
