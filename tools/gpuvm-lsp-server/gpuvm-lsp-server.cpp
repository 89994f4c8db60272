//===- gpuvm-lsp-server.cpp - language server for .mlir programs ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives an editor diagnostics, definitions and hovers for the dialects of
// gpuvm: the `mlir-lsp-server` of the editor's MLIR extension.
//
//===----------------------------------------------------------------------===//

#include "frontends/compile/FrontEnd.h"
#include "tools/common/CommandLineText.h"
#include "tools/gpuvm-lsp-server/Relay.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

#include <CLI/CLI.hpp>

static const char *const kHelp =
    R"(Tells an editor what is wrong in a gpuvm program, and what its names mean.

It speaks the language server protocol on standard input and output.

Example, in the settings of an editor that has an extension for MLIR:
  "mlir.server_path": "build/bin/gpuvm-lsp-server"

Exit codes: 0 ok, 1 the editor left without a word, 2 usage.)";

/// Runs MLIR's server, which reads its own options. They are read by LLVM, once
/// in a process.
static int serve(const std::string &log) {
  std::string level = "--log=" + log;
  const char *arguments[] = {"gpuvm-lsp-server", level.c_str(), nullptr};
  mlir::DialectRegistry registry;
  mlir::gpuvm::registerAllDialects(registry);
  return failed(
      mlir::MlirLspServerMain(2, const_cast<char **>(arguments), registry));
}

int main(int argc, char **argv) {
  CLI::App app(kHelp, "gpuvm-lsp-server");
  app.set_version_flag("--version", "gpuvm-lsp-server " GPUVM_VERSION);
  std::string log = "info", style = "standard";
  bool isTest = false;
  mlir::gpuvm::lsp::RelayOptions options;
  app.add_option("--log", log, "What to write to standard error")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"error", "info", "verbose"}).description(""))
      ->capture_default_str();
  app.add_option("--input-style", style,
                 "standard, or delimited: messages are set apart by // -----")
      ->type_name("STYLE")
      ->check(CLI::IsMember({"standard", "delimited"}).description(""))
      ->capture_default_str();
  app.add_flag("--pretty", options.isPretty, "Indent what is written");
  app.add_flag("--lit-test", isTest,
               "--input-style=delimited --pretty --log=verbose");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return vm::answer(app, error);
  }
  options.isDelimited = isTest || style == "delimited";
  options.isPretty |= isTest;
  std::string level = isTest ? "verbose" : log;
  return mlir::gpuvm::lsp::Relay([&] { return serve(level); }, options).run();
}
