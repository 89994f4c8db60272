//===- LowerWhen.cpp - stages that run on a condition ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages and stores of a stage with a condition become selects between
// the new value and the old one. From here on it is a stage like any other, and
// so can be fused, computed in place, or part of a chain.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/ProgramOrder.h"
#include "kernels/analysis/Alternative.h"
#include "passes/Passes.h"
#include "passes/analysis/Commands.h"
#include "passes/expand/Generalize.h"
#include "passes/program/GuardBody.h"

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
  /// `isMissed`: of each message, whether it is received elsewhere.
  WhenLowering(StageOp stage, ArrayRef<bool> isMissed)
      : stage(stage), isMissed(isMissed), condition(stage.getCondition()),
        b(stage.getSend()) {}
  void run();

private:
  Value choose(Value yes, Value no);
  Value constant(int32_t word);
  Value zeros(RankedTensorType type);
  void lowerStore(StoreOp store);

  StageOp stage;
  SmallVector<bool> isMissed;
  Value condition;
  OpBuilder b;
};
} // namespace

Value WhenLowering::choose(Value yes, Value no) {
  return chooseElements(b, yes.getLoc(), condition, yes, no);
}

Value WhenLowering::constant(int32_t word) {
  auto type = RankedTensorType::get({}, b.getI32Type());
  return arith::ConstantOp::create(b, stage.getLoc(),
                                   DenseElementsAttr::get(type, word));
}

Value WhenLowering::zeros(RankedTensorType type) {
  return arith::ConstantOp::create(b, stage.getLoc(), b.getZeroAttr(type));
}

/// Stores what is there already, or at a position where nothing is. (In this
/// form only an instance's own has one.)
void WhenLowering::lowerStore(StoreOp store) {
  b.setInsertionPoint(store);
  if (Value position = store.getPosition()) {
    store.getPositionMutable().assign(
        choose(position, constant(std::numeric_limits<int32_t>::min())));
    return;
  }
  Value there = LoadOp::create(b, store.getLoc(), store.getValue().getType(),
                               store.getSymbolAttr(), store.getOffsetAttr(),
                               store.getOwnAttr());
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
  for (auto [i, made] : llvm::enumerate(send.getPayloads())) {
    auto type = cast<RankedTensorType>(made.getType());
    if (!isMissed[i])
      sent.push_back(made);
    else if (send.getOtherwise().empty())
      sent.push_back(choose(made, zeros(type)));
    else
      sent.push_back(choose(made, send.getOtherwise()[i]));
  }
  Value status = send.getStatus();
  if (status)
    status = choose(status, constant(0));
  SendOp::create(b, send.getLoc(), sent, ValueRange(), status);
  send.erase();
  stage.setConditional(false);
  if (!isMissed.empty() && !isMissed.front())
    stage.setPredicate(cast<BlockArgument>(condition).getArgNumber());
}

void LowerWhen::runOnOperation() {
  FrozenRewritePatternSet patterns = getGeneralizePatterns(&getContext());
  SmallVector<std::pair<StageOp, SmallVector<bool>>> found;
  for (auto stage : listOps<StageOp>(getOperation()))
    if (stage.getConditional())
      found.push_back(
          {stage, llvm::map_to_vector(stage->getResults(), [](OpResult sent) {
             return isReceivedElsewhere(sent);
           })});
  for (auto &[stage, isMissed] : found) {
    if (failed(generalizeStage(stage, patterns)))
      return signalPassFailure();
    WhenLowering(stage, isMissed).run();
  }
}
