//===- gpuvm-opt.cpp - runs passes on IR ----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/Dialects.h"
#include "compiler/Pipeline.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::gpuvm::registerCompilerDialects(registry);
  mlir::gpuvm::registerPassesAndPipeline();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "gpuvm optimizer driver\n", registry));
}
