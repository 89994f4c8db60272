//===- gpuvm-token.cpp - workflows of the token-stream VM -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line; Commands.h has the rest.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/FileLimit.h"
#include "tools/common/DeviceFlags.h"
#include "tools/gpuvm-token/CommandLine.h"
#include "tools/gpuvm-token/Commands.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <new>
#include <string>

using namespace vm;
using namespace vm::token_tool;

static const char *const kHelp = R"(Runs workflows of the token-stream VM.

Example:
  gpuvm-token reference chat.workflow.toml --tool=calc=./calc.py --report=out.json
  gpuvm-compile chat.workflow.toml -o chat.gvplan --streams=64
  gpuvm-token run chat.gvplan --tool=calc=./calc.py --report=out.json

An input is a workflow (.workflow.toml), its tensors (.token.json) or its wire
form (.wire). Stream b runs workflow b mod the number of workflows. reference
runs them on the processor, with the model for tests; run does so on a device,
with the plan that gpuvm-compile made of them and what it wrote beside it
(PLAN.token.json). Both print how many streams have each status.

A tool reads requests and writes answers, a line of JSON each.

compare says where two reports differ first. tables writes what run gives to
the plan, for who runs it by other ways (gpuvm-run --run=start,run).

Exit codes: 0 ok, also where streams failed, 1 validation messages or reports
that differ, 2 usage, 3 bad input file, 4 no device, 5 device lost, time out or
more than --max-steps, 6 out of memory.)";

static void addPlan(CLI::App *command, Options &options) {
  command->add_option("plan", options.planPath, "The plan")->required();
  addInputFlags(command, options,
                "Workflows, tensors, wire forms: others than those that the "
                "plan was made of");
  addStreamFlags(command, options, "At most, and by default, those of the plan",
                 "End a stream after this many tokens. Default: the plan's");
  command
      ->add_option("--model", options.modelPath,
                   "The language model that the plan was made with")
      ->type_name("FILE.gguf");
  command->add_option("--device", options.device,
                      "The device, as gpuvm-run chooses it");
  addTimeoutFlag(*command, options.timeoutSeconds)->default_str("60");
  addMemoryFlag(*command, options.vramBudgetBytes);
  command->add_flag("--validate", options.validate,
                    "Run with the Vulkan validation layer");
}

static void addTables(CLI::App *command, Options &options) {
  addPlan(command, options);
  command
      ->add_option("-o", options.folder,
                   "The folder, which exists, for a .npy file of each input")
      ->required();
}

/// Of `compare`.
struct ReportPaths {
  std::string a, b;
};

static void addCompare(CLI::App *command, ReportPaths &paths) {
  command->add_option("A", paths.a, "A report, as --report writes it")
      ->required();
  command->add_option("B", paths.b, "Another one")->required();
}

static int runTool(int argc, char **argv) {
  CLI::App app(kHelp, "gpuvm-token");
  app.set_version_flag("--version", "gpuvm-token " GPUVM_VERSION);
  app.require_subcommand(1);
  Options options;
  addReference(app.add_subcommand("reference", "Run on the reference"),
               options);
  CLI::App *run = app.add_subcommand("run", "Run on a device");
  addPlan(run, options);
  addRunFlags(run, options);
  CLI::App *tables = app.add_subcommand("tables", "Write the plan's inputs");
  addTables(tables, options);
  ReportPaths reports;
  CLI::App *compare = app.add_subcommand("compare", "Compare two reports");
  addCompare(compare, reports);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return lacksCommand(app, error)
               ? fail(Status(
                     Code::Usage,
                     "What to do is missing: reference, run, compare "
                     "or tables, before the files (gpuvm-token --help says "
                     "more)."))
               : answer(app, error);
  }
  if (compare->parsed())
    return compareReports(reports.a, reports.b);
  if (tables->parsed())
    return writeTables(options);
  if (run->parsed())
    return runDevice(options);
  return options.modules.empty() ? runReference(options)
                                 : runWithModules(argc, argv);
}

int main(int argc, char **argv) {
  surviveFileLimit();
  try {
    return runTool(argc, argv);
  } catch (const std::bad_alloc &) {
    std::fputs("gpuvm-token: error: The host has no memory left.\n", stderr);
    return static_cast<int>(Code::OutOfMemory);
  }
}
