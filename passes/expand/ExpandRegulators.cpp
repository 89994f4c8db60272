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
        [&](ScalarBuilder &s, ArrayRef<Value>, ValueRange elements) {
          auto number = [&](APFloat value) {
            return s.constant(FloatAttr::get(f32, value));
          };
          Value m = elements.front();
          Value floor = s.constant(rewriter.getF32FloatAttr(1e-4f));
          Value positive =
              s.make<arith::CmpFOp>(arith::CmpFPredicate::OGT, m, floor);
          Value ideal = s.make<arith::DivFOp>(number(op.getTarget()),
                                              s.select(positive, m, floor));
          Value out = s.either(s.make<arith::CmpFOp>(arith::CmpFPredicate::OGT,
                                                     m, number(op.getHigh())),
                               s.make<arith::CmpFOp>(arith::CmpFPredicate::OLT,
                                                     m, number(op.getLow())));
          Value one = s.constant(rewriter.getF32FloatAttr(1));
          return SmallVector<Value>{s.select(out, ideal, one),
                                    s.select(out, s.word(0), s.word(1))};
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
        [&](ScalarBuilder &s, ArrayRef<Value>, ValueRange elements) {
          Value mean = elements[0], count = elements[1], value = elements[2];
          Value more = s.add(count, s.word(1));
          Value part =
              s.make<arith::DivFOp>(s.make<arith::SubFOp>(value, mean),
                                    s.make<arith::SIToFPOp>(f32, more));
          Value isNumber =
              s.make<arith::CmpFOp>(arith::CmpFPredicate::ORD, value, value);
          return SmallVector<Value>{
              s.select(isNumber, s.make<arith::AddFOp>(mean, part), mean),
              s.select(isNumber, more, count)};
        });
    rewriter.replaceOp(op, means.getResults());
    return success();
  }
};

} // namespace

void gpuvm::populateExpandRegulatorsPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandRegulate, ExpandRunningMean>(patterns.getContext());
}
