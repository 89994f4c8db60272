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
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::gpuvm::registerCompilerDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
