//===- ResumeLoops.cpp - code with loops as a state machine ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What gpuvm-emit-kernels does to the bodies of maps, by itself.
//
//===----------------------------------------------------------------------===//

#include "kernels/loops/ResumableCode.h"
#include "passes/Passes.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_RESUMELOOPS
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
struct ResumeLoops : gpuvm::impl::ResumeLoopsBase<ResumeLoops> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

void ResumeLoops::runOnOperation() {
  gpu::GPUFuncOp function = getOperation();
  Block &body = function.getBody().front();
  if (function.getNumArguments() == 0 ||
      !function.getArgument(0).getType().isIndex()) {
    function.emitError("has no first argument of type index");
    return signalPassFailure();
  }
  Block code;
  Value i = code.addArgument(IndexType::get(&getContext()), function.getLoc());
  code.getOperations().splice(code.end(), body.getOperations(), body.begin(),
                              std::prev(body.end()));
  function.getArgument(0).replaceAllUsesWith(i);
  // The builder makes a function of its own, whose code is then moved here.
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(function.getLoc());
  auto b = OpBuilder::atBlockBegin(scratch->getBody());
  KernelBuilder k(b, function.getLoc(), "scratch", /*lanes=*/1);
  Block &made = *b.getInsertionBlock();
  ResumableCode machine(k, code);
  machine.begin(
      arith::ConstantOp::create(b, function.getLoc(), b.getBoolAttr(true)));
  machine.run(function.getArgument(0), k.index(turns), /*unroll=*/1);
  body.getOperations().splice(body.begin(), made.getOperations());
}
