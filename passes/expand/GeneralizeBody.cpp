//===- GeneralizeBody.cpp - constraints on bodies -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/expand/GeneralizeBody.h"

#include "dialects/gpuvm/Gpuvm.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::gpuvm;

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

static bool isControlFlow(Operation *op) {
  return isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op);
}

static bool isScalarOp(Operation *op) {
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
         isa<linalg::IndexOp, tensor::ExtractOp, FlushOp>(op) ||
         op->hasTrait<OpTrait::IsTerminator>();
}

LogicalResult gpuvm::checkBody(Block &body) {
  bool mayBranch = isa<linalg::GenericOp, ScanOp>(body.getParentOp());
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
  return failure(body.walk<WalkOrder::PreOrder>(check).wasInterrupted());
}
