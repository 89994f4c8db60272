//===- gpuvm-token-reference.cpp - the reference, with modules ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command `reference` of gpuvm-token, with MLIR for modules of the user.
//
//===----------------------------------------------------------------------===//

#include "compiler/CrashReport.h"
#include "frontends/token/modules/RunModule.h"
#include "tools/common/CommandLineText.h"
#include "tools/gpuvm-token/CommandLine.h"

#include "llvm/Support/InitLLVM.h"

#include <cstdio>
#include <new>

using namespace vm;
using namespace vm::token_tool;

static constexpr const char *kName = "gpuvm-token-reference";

static const char *const kHelp =
    R"(Runs workflows of the token-stream VM on the processor, with modules.

Example:
  gpuvm-token-reference chat.workflow.toml --module=post:count.mlir --report=out.json

It is what gpuvm-token reference runs where a module is given. A module is a
function on numbers in an MLIR file, which is called in each step at the end of
manipulation, transition or post (docs/token-vm.md).

Exit codes: 0 ok, also where streams failed, 2 usage, 3 bad input file, 5 more
than --max-steps, 6 out of memory.)";

static int run(const Options &options) {
  auto files = mlir::token::readModules(kName, options.modules);
  if (!files)
    return static_cast<int>(Code::BadInput);
  ReferenceModules modules{mlir::token::infosOf(*files), {}};
  for (const auto &file : *files) {
    auto module = mlir::token::makeModule(*file, referenceThreads(options),
                                          options.maxSteps);
    if (!module)
      return static_cast<int>(Code::BadInput);
    modules.functions.push_back(std::move(*module));
  }
  return runReference(options, modules);
}

int main(int argc, char **argv) {
  mlir::gpuvm::CrashReport::install(kName);
  llvm::InitLLVM init(argc, argv);
  Options options;
  CLI::App app(kHelp, kName);
  app.set_version_flag("--version", std::string(kName) + " " GPUVM_VERSION);
  addReference(&app, options);
  try {
    app.parse(argc, argv);
    return run(options);
  } catch (const CLI::ParseError &error) {
    return answer(app, error);
  } catch (const std::bad_alloc &) {
    return fail({Code::OutOfMemory, "The host has no memory left."});
  }
}
