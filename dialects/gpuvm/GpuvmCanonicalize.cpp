//===- GpuvmCanonicalize.cpp - canonicalization patterns ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing here changes what the host sees of the stages that remain: registers
// keep their numbers. A stage that only forwards a message stays, since it is a
// VM instance whose R30 can be read; after fusion it costs nothing.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

namespace {
/// A stage without receivers and stores does nothing.
struct RemoveUnusedStage : OpRewritePattern<StageOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StageOp stage,
                                PatternRewriter &rewriter) const override {
    if (!stage->use_empty() || !stage.getBody().getOps<StoreOp>().empty())
      return failure();
    rewriter.eraseOp(stage);
    return success();
  }
};

/// A value that a stage receives twice is used once.
struct MergeIdenticalInputs : OpRewritePattern<StageOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StageOp stage,
                                PatternRewriter &rewriter) const override {
    // A shared operand and one that is cut arrive as different types.
    DenseMap<std::pair<Value, Type>, BlockArgument> first;
    bool changed = false;
    for (auto [input, argument] :
         llvm::zip_equal(stage.getInputs(), stage.getBody().getArguments())) {
      BlockArgument kept =
          first.try_emplace({input, argument.getType()}, argument)
              .first->second;
      if (kept == argument || argument.use_empty())
        continue;
      rewriter.replaceAllUsesWith(argument, kept);
      changed = true;
    }
    return success(changed);
  }
};

/// An unused operand goes if no operand of its kind follows, whose register
/// would get another number.
struct DropUnusedInputs : OpRewritePattern<StageOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StageOp stage,
                                PatternRewriter &rewriter) const override {
    BitVector unused(stage.getNumOperands());
    bool keepsMessages = false, keepsTensors = false;
    for (unsigned i = stage.getNumOperands(); i-- > 0;) {
      if (stage.getBody().getArgument(i) == stage.getCondition())
        continue;
      bool isMessage = isa<MessageType>(stage.getOperand(i).getType());
      bool &keeps = isMessage ? keepsMessages : keepsTensors;
      keeps |= !stage.getBody().getArgument(i).use_empty();
      unused[i] = !keeps;
    }
    if (unused.none())
      return failure();
    rewriter.modifyOpInPlace(stage, [&] {
      stage.getBody().front().eraseArguments(unused);
      stage->eraseOperands(unused);
    });
    return success();
  }
};
} // namespace

void StageOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<RemoveUnusedStage, MergeIdenticalInputs, DropUnusedInputs>(
      context);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

namespace {
/// The heap never changes. Only splats become constants: a kernel has these in
/// its code, others would only move back to the heap.
struct FoldHeapSplat : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoadOp load,
                                PatternRewriter &rewriter) const override {
    SymbolInfo symbol = lookupSymbol(load, load.getSymbol());
    auto value = dyn_cast_or_null<DenseElementsAttr>(symbol.initial);
    auto type = dyn_cast<RankedTensorType>(load.getValue().getType());
    if (symbol.region != gpuvm::Region::heap || !value || !value.isSplat() ||
        !type)
      return failure();
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(load,
                                                   value.resizeSplat(type));
    return success();
  }
};
} // namespace

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<FoldHeapSplat>(context);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

OpFoldResult FlushOp::fold(FoldAdaptor adaptor) {
  if (getNumber().getDefiningOp<FlushOp>())
    return getNumber();
  auto constant = dyn_cast_or_null<FloatAttr>(adaptor.getNumber());
  if (!constant)
    return {};
  APFloat value = constant.getValue();
  if (value.isDenormal())
    value = APFloat::getZero(value.getSemantics(), value.isNegative());
  return FloatAttr::get(constant.getType(), value);
}
