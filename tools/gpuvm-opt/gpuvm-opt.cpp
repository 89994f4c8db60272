//===- gpuvm-opt.cpp - runs passes on IR ----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/CrashReport.h"
#include "compiler/Dialects.h"
#include "compiler/Pipeline.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::gpuvm::registerCompilerDialects(registry);
  mlir::gpuvm::registerPassesAndPipeline();
  // The last argument that is no option.
  llvm::StringRef file = "<stdin>";
  for (llvm::StringRef argument : llvm::ArrayRef(argv, argc).drop_front())
    file = argument.starts_with("-") ? file : argument;
  mlir::gpuvm::CrashReport report("gpuvm-opt", file);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "gpuvm optimizer driver\n", registry));
}
