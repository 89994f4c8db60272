//===- LowerWhen.cpp - stages that run on a condition ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What leaves a stage with a condition is chosen: what it makes, or what was
// there. From here on it is a stage like any other, and so can be fused, made
// in place, or part of a chain.
//
//===----------------------------------------------------------------------===//

#include "passes/Generalize.h"
#include "passes/GuardBody.h"
#include "passes/Passes.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_LOWERWHEN
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
struct LowerWhen : gpuvm::impl::LowerWhenBase<LowerWhen> {
  void runOnOperation() override;
};

/// Lowers one stage, whose body is in the form of gpuvm-generalize.
class WhenLowering {
public:
  explicit WhenLowering(StageOp stage)
      : stage(stage), condition(stage.getCondition()), b(stage.getSend()) {}
  void run();

private:
  Value choose(Value yes, Value no);
  Value constant(int32_t word);
  void lowerStore(StoreOp store);

  StageOp stage;
  Value condition;
  OpBuilder b;
};
} // namespace

/// `yes` where the condition holds, else `no`.
Value WhenLowering::choose(Value yes, Value no) {
  Location loc = yes.getLoc();
  auto type = cast<RankedTensorType>(yes.getType());
  AffineMap same = b.getMultiDimIdentityMap(type.getRank());
  AffineMap one = AffineMap::get(type.getRank(), 0, b.getContext());
  Value init =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, TypeRange{type}, ValueRange{condition, yes, no},
             ValueRange{init}, ArrayRef{one, same, same, same}, loops,
             [](OpBuilder &inside, Location at, ValueRange elements) {
               Value chosen = arith::SelectOp::create(inside, at, elements[0],
                                                      elements[1], elements[2]);
               linalg::YieldOp::create(inside, at, chosen);
             })
      .getResult(0);
}

Value WhenLowering::constant(int32_t word) {
  auto type = RankedTensorType::get({}, b.getI32Type());
  return arith::ConstantOp::create(b, stage.getLoc(),
                                   DenseElementsAttr::get(type, word));
}

/// Stores what is there already. (In this form a store has no position.)
void WhenLowering::lowerStore(StoreOp store) {
  b.setInsertionPoint(store);
  Value there = LoadOp::create(b, store.getLoc(), store.getValue().getType(),
                               store.getSymbolAttr(), store.getOffsetAttr());
  store.getValueMutable().assign(choose(store.getValue(), there));
}

void WhenLowering::run() {
  Block &body = stage.getBody().front();
  for (auto generic : body.getOps<linalg::GenericOp>())
    if (needsElements(generic))
      guardBody(generic,
                [&](ScalarBuilder &s) { return s.read(condition, {}); });
  for (auto store : llvm::make_early_inc_range(body.getOps<StoreOp>()))
    lowerStore(store);
  SendOp send = stage.getSend();
  b.setInsertionPoint(send);
  SmallVector<Value> sent;
  for (auto [yes, no] :
       llvm::zip_equal(send.getPayloads(), send.getOtherwise()))
    sent.push_back(choose(yes, no));
  Value status = send.getStatus();
  if (status)
    status = choose(status, constant(0));
  SendOp::create(b, send.getLoc(), sent, ValueRange(), status);
  send.erase();
  stage.setConditional(false);
}

void LowerWhen::runOnOperation() {
  FrozenRewritePatternSet patterns = getGeneralizePatterns(&getContext());
  for (auto stage : getOperation().getBody().getOps<StageOp>()) {
    if (!stage.getConditional())
      continue;
    if (failed(generalizeStage(stage, patterns)))
      return signalPassFailure();
    WhenLowering(stage).run();
  }
}
