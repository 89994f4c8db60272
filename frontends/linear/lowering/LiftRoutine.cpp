//===- LiftRoutine.cpp - from blocks to loops and branches ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's transformation of a control flow graph into structured operations does
// the work. Bodies of gpuvm have scf.if, scf.for and scf.while; a
// scf.index_switch becomes a chain of scf.if, and a value that is not used a 0.
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/lowering/EmitRoutine.h"

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CFGToSCF.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::linear;

namespace {
struct SwitchToIf : OpRewritePattern<scf::IndexSwitchOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(scf::IndexSwitchOp op,
                                PatternRewriter &rewriter) const override;
};

struct PoisonToZero : OpRewritePattern<ub::PoisonOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ub::PoisonOp op,
                                PatternRewriter &rewriter) const override {
    auto zero = rewriter.getZeroAttr(op.getType());
    if (!zero)
      return failure();
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, zero);
    return success();
  }
};
} // namespace

LogicalResult SwitchToIf::matchAndRewrite(scf::IndexSwitchOp op,
                                          PatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  // From the last case on: what is left is the default.
  if (op.getNumCases() == 0) {
    Block &block = op.getDefaultBlock();
    auto yield = cast<scf::YieldOp>(block.getTerminator());
    SmallVector<Value> values(yield.getOperands());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&block, op);
    rewriter.replaceOp(op, values);
    return success();
  }
  // The transformation switches on numbers of i32.
  auto cast = op.getArg().getDefiningOp<arith::IndexCastUIOp>();
  if (!cast)
    return failure();
  Value number = arith::ConstantOp::create(
      rewriter, loc, rewriter.getI32IntegerAttr(op.getCases().front()));
  Value isIt = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                     cast.getIn(), number);
  auto choice = scf::IfOp::create(rewriter, loc, op.getResultTypes(), isIt,
                                  /*withElseRegion=*/true);
  choice.getThenRegion().takeBody(op.getCaseRegions().front());
  OpBuilder::InsertionGuard guard(rewriter);
  choice.getElseRegion().getBlocks().clear();
  Block *rest = rewriter.createBlock(&choice.getElseRegion());
  rewriter.setInsertionPointToStart(rest);
  auto smaller = scf::IndexSwitchOp::create(
      rewriter, loc, op.getResultTypes(), op.getArg(),
      op.getCases().drop_front(), op.getNumCases() - 1);
  for (auto [from, to] : llvm::zip_equal(op.getCaseRegions().drop_front(),
                                         smaller.getCaseRegions()))
    to.takeBody(from);
  smaller.getDefaultRegion().takeBody(op.getDefaultRegion());
  scf::YieldOp::create(rewriter, loc, smaller.getResults());
  rewriter.replaceOp(op, choice.getResults());
  return success();
}

namespace {
/// Makes arguments of the constants that arithmetic uses: MLIR's folding keeps
/// subnormal numbers, and gpuvm-make-exact, which drops them, comes later. Ends
/// with the constants in their places again.
class HiddenConstants {
public:
  explicit HiddenConstants(func::FuncOp function) : entry(function.front()) {
    SmallVector<arith::ConstantOp> constants;
    function.walk([&](arith::ConstantOp op) {
      if (op.getType().isF32())
        constants.push_back(op);
    });
    own = entry.getNumArguments();
    for (arith::ConstantOp op : constants) {
      auto [known, isNew] = arguments.try_emplace(op.getValue(), nullptr);
      if (isNew)
        known->second = entry.addArgument(op.getType(), op.getLoc());
      op.replaceAllUsesWith(known->second);
      op.erase();
    }
  }

  ~HiddenConstants() {
    auto b = OpBuilder::atBlockBegin(&entry);
    for (auto [value, argument] : arguments)
      argument.replaceAllUsesWith(arith::ConstantOp::create(
          b, argument.getLoc(), cast<TypedAttr>(value)));
    entry.eraseArguments(own, entry.getNumArguments() - own);
  }

private:
  Block &entry;
  unsigned own; ///< Arguments that the function had before.
  llvm::MapVector<Attribute, BlockArgument> arguments;
};
} // namespace

LogicalResult mlir::linear::makeStructured(func::FuncOp function) {
  HiddenConstants hidden(function);
  MLIRContext *context = function.getContext();
  ControlFlowToSCFTransformation transformation;
  DominanceInfo dominance(function);
  if (failed(transformCFGToSCF(function.getBody(), transformation, dominance)))
    return failure();
  RewritePatternSet patterns(context);
  patterns.add<SwitchToIf, PoisonToZero>(context);
  scf::IfOp::getCanonicalizationPatterns(patterns, context);
  scf::WhileOp::getCanonicalizationPatterns(patterns, context);
  GreedyRewriteConfig config;
  config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
  return applyPatternsGreedily(function, std::move(patterns), config);
}
