//===- LoopForms.cpp - loops for devices that end them --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What gpuvm-emit-kernels makes of the bodies of maps, by itself.
//
//===----------------------------------------------------------------------===//

#include "kernels/loops/LoopLimiter.h"
#include "kernels/loops/ResumableCode.h"
#include "passes/LoopPasses.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_LIMITLOOPS
#define GEN_PASS_DEF_RESUMELOOPS
#include "passes/LoopPasses.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
struct LimitLoops : gpuvm::impl::LimitLoopsBase<LimitLoops> {
  using Base::Base;
  void runOnOperation() override;
};

struct ResumeLoops : gpuvm::impl::ResumeLoopsBase<ResumeLoops> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

void LimitLoops::runOnOperation() {
  gpu::GPUFuncOp function = getOperation();
  Block &body = function.getBody().front();
  auto flag =
      function.getNumArguments() > 0
          ? dyn_cast<MemRefType>(function.getArguments().back().getType())
          : MemRefType();
  if (!flag || !flag.getElementType().isInteger(1)) {
    function.emitError("has no last argument of type memref<1xi1>");
    return signalPassFailure();
  }
  Location loc = function.getLoc();
  auto b = OpBuilder::atBlockBegin(&body);
  LoopLimiter limiter(b, loc, /*lanes=*/Value());
  Operation *before = &*std::prev(b.getInsertionPoint());
  b.setInsertionPoint(body.getTerminator());
  Value isEnded = limiter.limit(before, /*times=*/1);
  Value first = arith::ConstantIndexOp::create(b, loc, 0);
  memref::StoreOp::create(b, loc, isEnded, function.getArguments().back(),
                          first);
  if (failed(limiter.finish(total, /*others=*/0))) {
    function.emitError("cannot have its loops run less than ")
        << int64_t(total) << " times";
    signalPassFailure();
  }
}

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
