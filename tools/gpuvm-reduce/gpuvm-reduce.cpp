//===- gpuvm-reduce.cpp - shrinks a program that shows a bug --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `gpuvm-reduce prog.mlir -reduction-tree='traversal-mode=0 test=./is-bad.sh'`
// keeps removing operations while the script still finds the bug;
// `-opt-reduction-pass='opt-pass=cse test=./is-bad.sh'` applies a pass where
// that makes the program smaller.
//
//===----------------------------------------------------------------------===//

#include "compiler/Dialects.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::gpuvm::registerCompilerDialects(registry);
  mlir::registerTransformsPasses();
  mlir::gpuvm::registerGpuvmPasses();
  mlir::MLIRContext context(registry);
  return failed(mlir::mlirReduceMain(argc, argv, context));
}
