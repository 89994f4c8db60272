//===- gpuvm-lsp-server.cpp - language server for .mlir programs ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives an editor diagnostics, definitions and hovers for the dialects of
// gpuvm: the `mlir-lsp-server` of the editor's MLIR extension.
//
//===----------------------------------------------------------------------===//

#include "compiler/Dialects.h"
#include "tools/common/CommandLineText.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

#include <CLI/CLI.hpp>

static const char *const kHelp =
    R"(Tells an editor what is wrong in a gpuvm program and what its names mean, by
the language server protocol on standard input and output.

Example, in the settings of an editor that has an extension for MLIR:
  "mlir.server_path": "build/bin/gpuvm-lsp-server"

Exit codes: 0 ok, 1 the editor left without a word, 2 usage.)";

/// The arguments are MLIR's, which reads them itself: here they are only
/// checked, and explained without those of LLVM's code generators.
int main(int argc, char **argv) {
  CLI::App app(kHelp, "gpuvm-lsp-server");
  app.set_version_flag("--version", "gpuvm-lsp-server " GPUVM_VERSION);
  std::string log, style;
  bool isPretty = false, isTest = false;
  app.add_option("--log", log, "What to write to standard error")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"error", "info", "verbose"}));
  app.add_option("--input-style", style,
                 "standard, or delimited: messages are set apart by // -----")
      ->type_name("STYLE")
      ->check(CLI::IsMember({"standard", "delimited"}));
  app.add_flag("--pretty", isPretty, "Indent what is written");
  app.add_flag("--lit-test", isTest,
               "--input-style=delimited --pretty --log=verbose");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return vm::answer(app, error);
  }
  mlir::DialectRegistry registry;
  mlir::gpuvm::registerCompilerDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
