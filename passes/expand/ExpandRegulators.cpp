//===- ExpandRegulators.cpp - regulators as elementwise operations --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/expand/ElementBuilder.h"
#include "passes/expand/Generalize.h"

#include "dialects/gpuvm/Gpuvm.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {

struct ExpandRegulate : OpRewritePattern<RegulateOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RegulateOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type f32 = rewriter.getF32Type(), i32 = rewriter.getI32Type();
    auto type = cast<RankedTensorType>(op.getMeasure().getType());
    auto scaled = makeElements(
        rewriter, loc, type.getShape(), {f32, i32}, op.getMeasure(),
        [&](ScalarBuilder &s, ArrayRef<Expr>, ArrayRef<Expr> elements) {
          auto number = [&](APFloat value) {
            return s.constant(FloatAttr::get(f32, value));
          };
          const Expr &m = elements.front();
          Expr floor = m.constant(1e-4f), isPositive = m > floor;
          Expr target = number(op.getTarget());
          Expr ideal = target / select(isPositive, m, floor);
          Expr isHigh = m > number(op.getHigh());
          Expr isOut = isHigh | (m < number(op.getLow()));
          return SmallVector<Value>{select(isOut, ideal, 1),
                                    select(isOut, s.word(0), 1)};
        });
    rewriter.replaceOp(op, scaled.getResults());
    return success();
  }
};

struct ExpandRunningMean : OpRewritePattern<RunningMeanOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RunningMeanOp op,
                                PatternRewriter &rewriter) const override {
    Type f32 = rewriter.getF32Type(), i32 = rewriter.getI32Type();
    auto type = cast<RankedTensorType>(op.getMean().getType());
    auto means = makeElements(
        rewriter, op.getLoc(), type.getShape(), {f32, i32},
        {op.getMean(), op.getCount(), op.getValue()},
        [&](ScalarBuilder &s, ArrayRef<Expr>, ArrayRef<Expr> elements) {
          Expr mean = elements[0], count = elements[1], value = elements[2];
          Expr more = count + 1, difference = value - mean;
          Expr part = difference / more.signedToFloat(f32);
          Expr isNumber =
              s.make<arith::CmpFOp>(arith::CmpFPredicate::ORD, value, value);
          return SmallVector<Value>{select(isNumber, mean + part, mean),
                                    select(isNumber, more, count)};
        });
    rewriter.replaceOp(op, means.getResults());
    return success();
  }
};

} // namespace

void gpuvm::populateExpandRegulatorsPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandRegulate, ExpandRunningMean>(patterns.getContext());
}
