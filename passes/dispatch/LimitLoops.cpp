//===- LimitLoops.cpp - a limit of loop iterations ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What gpuvm-emit-kernels does to the bodies of maps, by itself.
//
//===----------------------------------------------------------------------===//

#include "kernels/loops/LoopLimiter.h"
#include "passes/Passes.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_LIMITLOOPS
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
struct LimitLoops : gpuvm::impl::LimitLoopsBase<LimitLoops> {
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
