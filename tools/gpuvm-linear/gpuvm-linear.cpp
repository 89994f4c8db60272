//===- gpuvm-linear.cpp - programs of the linear-algebra VM ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line; Commands.h has the rest.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/FileLimit.h"
#include "tools/common/DeviceFlags.h"
#include "tools/common/StandardOutput.h"
#include "tools/gpuvm-linear/Commands.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <new>
#include <string>
#include <system_error>

using namespace vm;
using namespace vm::linear_tool;

static const char *const kHelp =
    R"(Assembles, checks and runs programs of the linear-algebra VM.

Example:
  gpuvm-linear run count.lvm --output=result

A program is a text (.lvm, - is standard input) or an executable made of one.
gpuvm-compile makes a plan of a text; run is the reference, which needs no
device and takes tensors as gpuvm-run does; with --engine it is a device that
runs the program as data. Outputs are the out and inout buffers, state, status,
fault and counts.

Exit codes: 0 ok, 1 a race or a wrong result, 2 usage, 3 bad input file, 4 no
device, 5 device lost, time out or more than --max-steps, 6 out of memory.)";

static void addFile(CLI::App *command, Options &options) {
  command->add_option("file", options.path, "The program, text or executable")
      ->required();
}

static std::string checkThreshold(const std::string &text) {
  if (text == "auto")
    return "";
  std::string copy = text;
  return numberIn(0, 1e30)(copy).empty()
             ? ""
             : fmt::format("\"{}\" is neither auto nor a number from 0 to "
                           "1e+30.",
                           text);
}

static void addMatrixFlags(CLI::App *command, Options &options) {
  command
      ->add_option("--linear-threshold", options.threshold,
                   "A matrix is dense from this share of non-zeros on, or auto")
      ->check(CLI::Validator(checkThreshold, ""));
  command
      ->add_option("--linear-format", options.format,
                   "hybrid (the default), csr, dense, bsr2, bsr4, dictionary "
                   "or runlength")
      ->check(CLI::IsMember({"hybrid", "csr", "dense", "bsr2", "bsr4",
                             "dictionary", "runlength"}));
}

static void addDataFlags(CLI::App *command, run::CommandLine &options) {
  command
      ->add_option("--input", options.inputs,
                   "name=<tensor>: data of an input; once for each input")
      ->allow_extra_args(false);
  command
      ->add_option("--output", options.outputs,
                   "name prints an output; name=@file.npy writes it; Default: "
                   "print all outputs")
      ->allow_extra_args(false);
  command
      ->add_option("--expected_output", options.expected,
                   "name=<tensor>: compare an output; prints [SUCCESS] or "
                   "[FAILED] and exits with 1 if it differs")
      ->allow_extra_args(false);
  command
      ->add_option("--expected_f32_threshold", options.f32Threshold,
                   "Tolerance of f32, absolute or relative; 0 is exact")
      ->check(numberIn(0, 1e300))
      ->capture_default_str();
  command
      ->add_option("--output_max_element_count", options.maxElements,
                   "Print at most this many elements of an output")
      ->check(countIn(0, UINT64_MAX))
      ->capture_default_str();
  command->add_flag("--quiet", options.quiet,
                    "Print neither outputs nor [SUCCESS]");
}

static void addScheduleFlags(CLI::App *command, Options &options) {
  command
      ->add_option("--linear-budget", options.budget,
                   "End a phase after this many epochs, whatever it says")
      ->check(countIn(1, linear::kMaxBudget));
  command->add_flag("--check", options.check,
                    "Report the races of independent phases, with exit code 1");
  command
      ->add_option("--jitter", options.jitter,
                   "Execute in each epoch some of the machines only, chosen "
                   "with this seed")
      ->check(countIn(0, UINT64_MAX));
}

/// A format, which becomes its number, as CLI11 reads it.
static std::string checkFormat(std::string &text) {
  using run::StatsFormat;
  if (text != "json" && text != "text")
    return fmt::format("\"{}\" is neither json nor text.", text);
  auto format = text == "json" ? StatsFormat::Json : StatsFormat::Text;
  text = std::to_string(static_cast<int>(format));
  return "";
}

static void addSpeedFlags(CLI::App *command, Options &options) {
  addStepsFlag(*command, options.maxSteps, "instructions of one machine");
  command
      ->add_option("--threads", options.threads,
                   "Run on this many threads; no result depends on it. "
                   "Default: as many as there are processors")
      ->check(countIn(1, kMaxThreads));
  command
      ->add_flag("--stats{text}", options.run.stats,
                 "text (the default) or json: print what was measured, "
                 "without the time for reading and writing files")
      ->transform(CLI::Validator(checkFormat, ""))
      ->type_name("[FORMAT]");
}

/// On a device; what only the reference does goes without.
static void addEngineFlags(CLI::App *command, Options &options) {
  CLI::Option *engine =
      command
          ->add_option("--engine", options.enginePath,
                       "Run on a device, on a plan of gpuvm-compile "
                       "--linear-engine that has room for the program")
          ->type_name("PLAN");
  for (const char *reference :
       {"--check", "--jitter", "--threads", "--max-steps", "--linear-format",
        "--linear-threshold", "--stats"})
    engine->excludes(command->get_option(reference));
  command
      ->add_option("--device", options.run.device,
                   "The device, as gpuvm-run chooses it")
      ->needs(engine);
  addTimeoutFlag(*command, options.timeoutSeconds)
      ->default_str("60, or what the budgets of the phases may need");
  addMemoryFlag(*command, options.run.vramBudgetBytes)->needs(engine);
  command
      ->add_flag("--validate", options.run.validate,
                 "With the Vulkan validation layer; a message of it is a "
                 "failure")
      ->needs(engine);
}

using Action = int (*)(const Options &);

static int runTool(int argc, char **argv) {
  CLI::App app(kHelp, "gpuvm-linear");
  app.set_version_flag("--version", "gpuvm-linear " GPUVM_VERSION);
  app.require_subcommand(1);
  Options options;
  Action action = nullptr;
  auto add = [&](const char *name, const char *help, Action what) {
    CLI::App *command = app.add_subcommand(name, help);
    addFile(command, options);
    command->callback([&action, what] { action = what; });
    return command;
  };
  add("check", "Say whether a program is valid, and if not, where", check);
  add("assemble", "Make an executable", assemble)
      ->add_option("-o,--output", options.executablePath, "The executable")
      ->required();
  add("disassemble", "Print the text of an executable", disassemble);
  CLI::App *numbers =
      add("statistics", "Count instructions and bytes of matrices", statistics);
  addMatrixFlags(numbers, options);
  numbers->add_flag("--json", options.json, "As a JSON object");
  CLI::App *execute =
      add("run", "Run on the reference, or an engine", runProgram);
  addDataFlags(execute, options.run);
  addScheduleFlags(execute, options);
  addSpeedFlags(execute, options);
  addMatrixFlags(execute, options);
  addEngineFlags(execute, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return lacksCommand(app, error)
               ? fail(Status(Code::Usage,
                             "What to do is missing: check, assemble, "
                             "disassemble, statistics or run, before the "
                             "file (gpuvm-linear --help says more)."))
               : answer(app, error);
  }
  return action(options);
}

int main(int argc, char **argv) {
  surviveFileLimit();
  try {
    return runTool(argc, argv);
  } catch (const std::bad_alloc &) {
    std::fputs("gpuvm-linear: error: The host has no memory left.\n", stderr);
    return static_cast<int>(Code::OutOfMemory);
  } catch (const std::system_error &) {
    return fail(systemError());
  }
}
