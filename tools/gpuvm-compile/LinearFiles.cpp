//===- LinearFiles.cpp - programs of the linear-algebra VM ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-compile/LinearFiles.h"

#include "frontends/linear/Assembler.h"
#include "frontends/linear/lowering/Lowering.h"
#include "tools/common/CommandLineText.h"

#include "mlir/Pass/PassManager.h"

#include <memory>

using namespace vm;
using namespace vm::compile;

void vm::compile::addLinearOptions(CLI::App &app, LinearOptions &options) {
  auto *group = app.add_option_group(
      "Programs of the linear-algebra VM (.lvm, docs/linear-vm.md)");
  group
      ->add_option("--linear-mode", options.mode,
                   "auto (the default: compiled where it may be), faithful, "
                   "compiled or fused")
      ->type_name("MODE")
      ->check(CLI::IsMember({"auto", "faithful", "compiled", "fused"})
                  .description(""));
  group
      ->add_option("--linear-format", options.format,
                   "How matrices are stored: hybrid (the default: by the "
                   "threshold), csr or dense")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"hybrid", "csr", "dense"}).description(""));
  group->add_option("--linear-threshold", options.threshold,
                    "The fraction of non-zeros from which a matrix is dense. "
                    "Default: what the program says, or 0.15");
  group
      ->add_option("--linear-budget", options.budget,
                   "Epochs of each phase, whatever the program says")
      ->check(vm::countIn(1, INT32_MAX));
}

bool vm::compile::isLinearFile(const std::string &path) {
  return path.ends_with(".lvm");
}

static void addLowering(const LinearOptions &options,
                        mlir::gpuvm::CompileRequest &request) {
  mlir::linear::LinearLowerOptions lower;
  lower.mode = options.mode;
  lower.format = options.format;
  lower.budget = options.budget.value_or(0);
  request.lower = [lower](mlir::PassManager &passes) {
    passes.addPass(mlir::linear::createLinearLower(lower));
  };
}

Status vm::compile::addLinearFrontEnd(const std::string &path,
                                      const LinearOptions &options,
                                      mlir::gpuvm::CompileRequest &request) {
  addLowering(options, request);
  if (!isLinearFile(path))
    return {};
  Result<linear::Program> program = linear::assembleFile(path);
  if (!program.ok())
    return program.status();
  auto shared = std::make_shared<linear::Program>(std::move(*program));
  request.read = [shared](mlir::MLIRContext &context) {
    return mlir::linear::buildModule(context, *shared);
  };
  return {};
}
