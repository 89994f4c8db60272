//===- LoopToSpirv.cpp - scf.for, scf.while to spirv.mlir.loop -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's own pattern keeps the results of a loop in function variables that the
// body sets: behind a loop of no iterations they hold garbage, and a CPU driver
// writes them to memory in every iteration. Here the results of a loop are
// values: what its header's arguments, which are phis, hold at the end.
//
//===----------------------------------------------------------------------===//

#include "kernels/spirv/LoopToSpirv.h"
#include "kernels/builder/KernelBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace {
/// Over MLIR's patterns for the same operations.
constexpr unsigned kBenefit = 2;

/// Lavapipe runs the body once more, for no lane, if the test comes first.
bool runsAtLeastOnce(scf::ForOp op) {
  std::optional<int64_t> lower = getConstantIntValue(op.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(op.getUpperBound());
  return (lower && upper && *lower < *upper) || op->hasAttr(gpuvm::kRunsAttr);
}

/// The serializer does not find the result of an inner loop when a phi names it
/// before it is defined. `holds` is true where the phi's values come from.
void nameLoopResults(OpBuilder &b, Location loc, Value holds,
                     MutableArrayRef<Value> next, ValueRange arguments) {
  for (auto [value, argument] : llvm::zip_equal(next, arguments)) {
    Operation *source = value.getDefiningOp();
    if (isa_and_nonnull<scf::ForOp, scf::WhileOp, spirv::LoopOp>(source))
      value = spirv::SelectOp::create(b, loc, holds, value, argument);
  }
}

/// entry -> header -> test -> body -> continue -> header, and from the test to
/// merge. The header holds phis only: a test may branch.
struct LowerWhile : OpConversionPattern<scf::WhileOp> {
  LowerWhile(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context, kBenefit) {}

  LogicalResult
  matchAndRewrite(scf::WhileOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Type> types;
    if (failed(typeConverter->convertTypes(op.getResultTypes(), types)))
      return failure();
    auto loop =
        spirv::LoopOp::create(rewriter, loc, types, spirv::LoopControl::None);
    loop.addEntryAndMergeBlock(rewriter);
    Block *header = rewriter.createBlock(loop.getMergeBlock());
    for (Value value : adaptor.getInits())
      header->addArgument(value.getType(), loc);
    Block *test = enter(op.getBeforeBody(), header->getArguments(), rewriter);
    rewriter.inlineRegionBefore(op.getBefore(), loop.getMergeBlock());
    rewriter.setInsertionPointToEnd(loop.getEntryBlock());
    spirv::BranchOp::create(rewriter, loc, header, adaptor.getInits());
    rewriter.setInsertionPointToEnd(header);
    spirv::BranchOp::create(rewriter, loc, test);

    auto condition = cast<scf::ConditionOp>(test->getTerminator());
    rewriter.setInsertionPoint(condition);
    SmallVector<Value> results, holds;
    if (failed(rewriter.getRemappedValues(condition.getArgs(), results)) ||
        failed(rewriter.getRemappedValues(condition.getCondition(), holds)))
      return failure();
    Block *body = enter(op.getAfterBody(), results, rewriter);
    rewriter.inlineRegionBefore(op.getAfter(), loop.getMergeBlock());
    Block *again = rewriter.createBlock(loop.getMergeBlock());
    rewriter.setInsertionPoint(condition);
    spirv::BranchConditionalOp::create(rewriter, loc, holds.front(), body,
                                       ValueRange(), loop.getMergeBlock(),
                                       ValueRange());
    rewriter.eraseOp(condition);

    Operation *yield = body->getTerminator();
    rewriter.setInsertionPoint(yield);
    SmallVector<Value> next;
    if (failed(rewriter.getRemappedValues(yield->getOperands(), next)))
      return failure();
    nameLoopResults(rewriter, loc, holds.front(), next, header->getArguments());
    spirv::BranchOp::create(rewriter, loc, again);
    rewriter.eraseOp(yield);
    rewriter.setInsertionPointToEnd(again);
    spirv::BranchOp::create(rewriter, loc, header, next);

    auto merge = cast<spirv::MergeOp>(loop.getMergeBlock()->getTerminator());
    rewriter.modifyOpInPlace(merge, [&] { merge->setOperands(results); });
    rewriter.replaceOp(op, loop.getResults());
    return success();
  }

private:
  /// `block` without its arguments, which are `values`.
  static Block *enter(Block *block, ValueRange values,
                      ConversionPatternRewriter &rewriter) {
    TypeConverter::SignatureConversion signature(values.size());
    for (auto [i, value] : llvm::enumerate(values))
      signature.remapInput(i, value);
    return rewriter.applySignatureConversion(block, signature);
  }
};

struct LowerFor : OpConversionPattern<scf::ForOp> {
  LowerFor(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context, kBenefit) {}

  LogicalResult
  matchAndRewrite(scf::ForOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> initial = {adaptor.getLowerBound()};
    llvm::append_range(initial, adaptor.getInitArgs());
    auto loop = spirv::LoopOp::create(
        rewriter, loc, TypeRange(ValueRange(adaptor.getInitArgs())),
        spirv::LoopControl::None);
    loop.addEntryAndMergeBlock(rewriter);

    // entry -> header -> body -> continue -> header. Merge comes behind the
    // body, or behind the header if the loop may not run at all.
    Block *header = rewriter.createBlock(loop.getMergeBlock());
    for (Value value : initial)
      header->addArgument(value.getType(), loc);
    TypeConverter::SignatureConversion signature(initial.size());
    for (auto [i, argument] : llvm::enumerate(header->getArguments()))
      signature.remapInput(i, argument);
    Block *body = rewriter.applySignatureConversion(op.getBody(), signature);
    rewriter.inlineRegionBefore(op.getRegion(), loop.getMergeBlock());
    Block *again = rewriter.createBlock(loop.getMergeBlock());
    auto isWithin = [&](Value i) {
      return spirv::SLessThanOp::create(rewriter, loc, i,
                                        adaptor.getUpperBound());
    };
    auto leaveUnless = [&](Value condition, Block *inside) {
      spirv::BranchConditionalOp::create(rewriter, loc, condition, inside,
                                         ValueRange(), loop.getMergeBlock(),
                                         ValueRange());
    };

    rewriter.setInsertionPointToEnd(loop.getEntryBlock());
    spirv::BranchOp::create(rewriter, loc, header, initial);
    bool runs = runsAtLeastOnce(op);
    rewriter.setInsertionPointToEnd(header);
    Value i = header->getArgument(0);
    Value within = isWithin(i);
    if (runs)
      spirv::BranchOp::create(rewriter, loc, body);
    else
      leaveUnless(within, body);

    Operation *yield = body->getTerminator();
    rewriter.setInsertionPoint(yield);
    SmallVector<Value> next = {
        spirv::IAddOp::create(rewriter, loc, i, adaptor.getStep())};
    if (failed(rewriter.getRemappedValues(yield->getOperands(), next)))
      return failure();
    nameLoopResults(rewriter, loc, within, MutableArrayRef(next).drop_front(),
                    header->getArguments().drop_front());
    if (runs)
      leaveUnless(isWithin(next.front()), again);
    else
      spirv::BranchOp::create(rewriter, loc, again);
    rewriter.eraseOp(yield);
    rewriter.setInsertionPointToEnd(again);
    spirv::BranchOp::create(rewriter, loc, header, next);

    auto merge = cast<spirv::MergeOp>(loop.getMergeBlock()->getTerminator());
    ValueRange results = runs ? ValueRange(next) : header->getArguments();
    rewriter.modifyOpInPlace(merge,
                             [&] { merge->setOperands(results.drop_front()); });
    rewriter.replaceOp(op, loop.getResults());
    return success();
  }
};
} // namespace

void gpuvm::populateLoopToSpirvPatterns(const TypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<LowerFor, LowerWhile>(converter, patterns.getContext());
}
