//===- LoopToSpirv.cpp - scf.for to spirv.mlir.loop ----------------------===//
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

#include "kernels/LoopToSpirv.h"

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
    // The serializer does not find the result of an inner loop when the phi
    // names it before it is defined. `within` is true here.
    for (auto [value, argument] :
         llvm::drop_begin(llvm::zip_equal(next, header->getArguments())))
      if (value.getDefiningOp<scf::ForOp>() ||
          value.getDefiningOp<spirv::LoopOp>())
        value = spirv::SelectOp::create(rewriter, loc, within, value, argument);
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
  patterns.add<LowerFor>(converter, patterns.getContext());
}
