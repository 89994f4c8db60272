//===- GuardBody.cpp - bodies that run on a condition ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/program/GuardBody.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::gpuvm;

bool gpuvm::needsElements(linalg::GenericOp op) {
  return op.getBody()
      ->walk([](Operation *inner) {
        bool isHarmless =
            isSpeculatable(inner) &&
            !isa<tensor::ExtractOp, scf::ForOp, scf::WhileOp>(inner);
        return isHarmless ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

void gpuvm::guardBody(linalg::GenericOp op,
                      function_ref<Value(ScalarBuilder &)> condition) {
  Location loc = op.getLoc();
  Block &body = *op.getBody();
  Operation *yield = body.getTerminator();
  auto operations = llvm::map_to_vector(
      body.without_terminator(), [](Operation &inner) { return &inner; });
  OpBuilder inside(yield);
  ScalarBuilder s(inside, loc);
  auto guard = scf::IfOp::create(inside, loc, yield->getOperandTypes(),
                                 condition(s), /*withElse=*/true);
  OpBuilder then = guard.getThenBodyBuilder();
  Operation *end = scf::YieldOp::create(then, loc, yield->getOperands());
  for (Operation *inner : operations)
    if (!isa<linalg::IndexOp>(inner)) // Which are in the body itself.
      inner->moveBefore(end);
  OpBuilder otherwise = guard.getElseBodyBuilder();
  SmallVector<Value> zeros;
  for (Type type : yield->getOperandTypes())
    zeros.push_back(ExprBuilder(otherwise, loc).constant(type, 0));
  scf::YieldOp::create(otherwise, loc, zeros);
  yield->setOperands(guard.getResults());
}
