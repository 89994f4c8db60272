//===- MakeExact.cpp - arithmetic with the same bits on every device ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vulkan promises correct rounding for addition, subtraction and multiplication
// of f32 and f64 only (that of f16 is not asked for). It leaves it to the
// device whether subnormal numbers are flushed (lavapipe flushes, NVIDIA does
// not). So subnormal operands and results are flushed to zeros of the same
// sign. This comes before anything is folded: `maximumf(x, x)` is a zero if x
// is subnormal, not x. The interpreter does the same with --exact.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_MAKEEXACT
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
struct MakeExact : gpuvm::impl::MakeExactBase<MakeExact> {
  void runOnOperation() override;
};
} // namespace

/// Operations that may give a subnormal result, the same one everywhere.
/// Remainders are computed with integers.
static bool roundsExactly(Operation *op) {
  if (isa<arith::RemFOp>(op))
    return true;
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op) &&
         (op->getResult(0).getType().isF32() ||
          op->getResult(0).getType().isF64());
}

/// Operations on floats that do not round, or round an integer.
static bool isExact(Operation *op) {
  return isa<arith::CmpFOp, arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::ExtFOp, arith::SIToFPOp,
             arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp, math::AbsFOp,
             math::CeilOp, math::CopySignOp, math::FloorOp, math::RoundOp,
             math::RoundEvenOp, math::TruncOp>(op);
}

/// Operations on floats that move bits, or flush already.
static bool keepsBits(Operation *op) {
  return isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp, FlushOp,
             tensor::ExtractOp>(op);
}

static bool touchesFloats(Operation *op) {
  auto isFloat = [](Type type) { return isa<FloatType>(type); };
  return llvm::any_of(op->getOperandTypes(), isFloat) ||
         llvm::any_of(op->getResultTypes(), isFloat);
}

static LogicalResult makeExact(Operation &op) {
  if (op.hasTrait<OpTrait::IsTerminator>() || op.getNumRegions() != 0 ||
      !touchesFloats(&op) || keepsBits(&op))
    return success();
  if (!roundsExactly(&op) && !isExact(&op))
    return op.emitOpError("does not give the same bits on every device on ")
           << op.getOperand(0).getType()
           << " and cannot be compiled with --exact";
  OpBuilder b(&op);
  for (OpOperand &operand : op.getOpOperands())
    if (isa<FloatType>(operand.get().getType()))
      operand.set(FlushOp::create(b, op.getLoc(), operand.get()));
  if (!roundsExactly(&op))
    return success();
  b.setInsertionPointAfter(&op);
  auto flushed = FlushOp::create(b, op.getLoc(), op.getResult(0));
  op.getResult(0).replaceAllUsesExcept(flushed, flushed);
  return success();
}

static LogicalResult checkDecode(DecodeOp op) {
  PackedType packed = op.getPackedType();
  if (packed.getCodec().isExact(packed.getLayout()))
    return success();
  return op.emitOpError("does not give the same bits on every device on ")
         << packed << " and cannot be compiled with --exact";
}

void MakeExact::runOnOperation() {
  WalkResult result = getOperation().walk([](Operation *op) -> WalkResult {
    if (auto decode = dyn_cast<DecodeOp>(op))
      return checkDecode(decode);
    auto root = dyn_cast<RootOpInterface>(op);
    if (root && !root.isExact())
      return op->emitOpError("does not give the same bits on every device "
                             "and cannot be compiled with --exact");
    if (!op->getParentOfType<linalg::GenericOp>() &&
        !op->getParentOfType<RootOpInterface>())
      return WalkResult::advance();
    return WalkResult(makeExact(*op));
  });
  if (result.wasInterrupted())
    signalPassFailure();
}
