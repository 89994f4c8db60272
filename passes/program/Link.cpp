//===- Link.cpp - inlining of called programs -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/LinkPrograms.h"

#include "passes/Passes.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_LINK
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
struct Link : gpuvm::impl::LinkBase<Link> {
  void runOnOperation() override {
    for (auto program : getOperation().getOps<ProgramOp>())
      if (failed(linkProgram(program)))
        return signalPassFailure();
    eraseModuleSymbols(getOperation());
    for (auto program :
         llvm::make_early_inc_range(getOperation().getOps<ProgramOp>()))
      if (SymbolTable::getSymbolVisibility(program) ==
          SymbolTable::Visibility::Private)
        program.erase(); // It is where it was called.
  }
};
} // namespace
