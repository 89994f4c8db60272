//===- GeneralizeBody.cpp - what the body of an operation may hold --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/GeneralizeBody.h"

#include "dialects/gpuvm/Gpuvm.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Mesa's llvmpipe ends every loop of an invocation, silently, when its loops
/// have run so often together (LP_MAX_TGSI_LOOP_ITERATIONS).
static constexpr int64_t kMaxIterations = 65535;

LogicalResult gpuvm::checkCaptures(Block &body) {
  WalkResult result = body.walk([&](Operation *inner) -> WalkResult {
    bool mayReadTables = isa<linalg::GenericOp>(body.getParentOp());
    for (Value operand : inner->getOperands()) {
      Operation *source = operand.getDefiningOp();
      bool outside = !body.getParent()->isAncestor(operand.getParentRegion());
      if (mayReadTables && isa<tensor::ExtractOp>(inner) &&
          isVmTensor(operand.getType()))
        continue;
      if (outside && !(source && source->hasTrait<OpTrait::ConstantLike>()))
        return inner->emitOpError("cannot be compiled: it uses a value from "
                                  "outside the body that is not a constant");
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// How often the loops of `block` run for certain.
static int64_t countIterations(Block &block) {
  int64_t total = 0;
  for (Operation &op : block) {
    auto loop = dyn_cast<scf::ForOp>(op);
    std::optional<APInt> times =
        loop ? loop.getStaticTripCount() : std::nullopt;
    if (!times)
      continue;
    int64_t each = 1 + countIterations(*loop.getBody()), all;
    if (times->getActiveBits() > 32 ||
        llvm::MulOverflow<int64_t>(times->getZExtValue(), each, all))
      return INT64_MAX / 2;
    total = std::min(INT64_MAX / 2, total + all);
  }
  return total;
}

static bool isControlFlow(Operation *op) {
  return isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op);
}

static bool isScalarOp(Operation *op) {
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
         isa<linalg::IndexOp, tensor::ExtractOp, FlushOp>(op) ||
         op->hasTrait<OpTrait::IsTerminator>();
}

LogicalResult gpuvm::checkBody(Block &body) {
  bool mayBranch = isa<linalg::GenericOp>(body.getParentOp());
  auto check = [&](Operation *inner) -> WalkResult {
    auto isTensor = [](Type type) { return isa<ShapedType>(type); };
    bool isKnown = isScalarOp(inner) || (mayBranch && isControlFlow(inner));
    if (!isKnown || llvm::any_of(inner->getResultTypes(), isTensor))
      return inner->emitOpError("cannot be compiled: it is not scalar arith")
             << (mayBranch ? ", math or scf code" : " or math code");
    auto loop = dyn_cast<scf::ForOp>(inner);
    if (loop && loop.getUnsignedCmp())
      return inner->emitOpError("cannot be compiled: its bounds are compared "
                                "as unsigned numbers");
    return WalkResult::advance();
  };
  if (body.walk<WalkOrder::PreOrder>(check).wasInterrupted())
    return failure();
  int64_t iterations = countIterations(body);
  if (iterations > kMaxIterations)
    return body.getParentOp()->emitOpError(
               "cannot be compiled: the loops of its body run ")
           << iterations << " times for each element (at most "
           << kMaxIterations << ')';
  return success();
}
