//===- Exact.cpp - arithmetic with the same bits on every device ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vulkan promises correct rounding for f32 addition, subtraction and
// multiplication only, and leaves it to the device whether subnormal numbers
// are flushed (lavapipe flushes, NVIDIA does not). So operands and results are
// flushed explicitly, to a zero of the same sign, by integer operations; the
// interpreter does the same with --exact.
//
//===----------------------------------------------------------------------===//

#include "kernels/Emitter.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Operations that round, and round alike everywhere.
static bool roundsExactly(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op);
}

/// Operations on floats that move bits or compare.
static bool isExact(Operation *op) {
  return isa<arith::ConstantOp, arith::CmpFOp, arith::SelectOp, arith::NegFOp,
             arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, arith::BitcastOp, arith::ExtFOp, arith::SIToFPOp,
             arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp, math::AbsFOp,
             math::CopySignOp>(op);
}

static bool touchesFloats(Operation *op) {
  auto isFloat = [](Type type) { return isa<FloatType>(type); };
  return llvm::any_of(op->getOperandTypes(), isFloat) ||
         llvm::any_of(op->getResultTypes(), isFloat);
}

/// `x`, or a zero of its sign if it is subnormal.
static Value flush(OpBuilder &b, Location loc, Value x) {
  auto word = [&](uint32_t bits) {
    return arith::ConstantOp::create(
        b, loc, b.getI32IntegerAttr(static_cast<int32_t>(bits)));
  };
  Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), x);
  Value exponent = arith::AndIOp::create(b, loc, bits, word(0x7f800000));
  Value small = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                      exponent, word(0));
  Value zero = arith::AndIOp::create(b, loc, bits, word(0x80000000));
  Value kept = arith::SelectOp::create(b, loc, small, zero, bits);
  return arith::BitcastOp::create(b, loc, x.getType(), kept);
}

static void flushAround(Operation *op) {
  OpBuilder b(op);
  for (OpOperand &operand : op->getOpOperands())
    operand.set(flush(b, op->getLoc(), operand.get()));
  b.setInsertionPointAfter(op);
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : op->getResult(0).getUses())
    uses.push_back(&use);
  Value flushed = flush(b, op->getLoc(), op->getResult(0));
  for (OpOperand *use : uses)
    use->set(flushed);
}

LogicalResult gpuvm::makeExact(gpu::GPUModuleOp module) {
  SmallVector<Operation *> rounding;
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    bool scalarCode =
        isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
    if (!scalarCode || !touchesFloats(op) || isExact(op))
      return WalkResult::advance();
    if (roundsExactly(op) && op->getResult(0).getType().isF32()) {
      rounding.push_back(op);
      return WalkResult::advance();
    }
    op->emitOpError("does not give the same bits on every device on ")
        << op->getOperand(0).getType()
        << " and cannot be compiled with --exact";
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  for (Operation *op : rounding)
    flushAround(op);
  return success();
}
