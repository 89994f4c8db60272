//===- LoopToSpirv.cpp - scf.for to spirv.mlir.loop ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's own pattern keeps the results of a loop in function variables that the
// body sets: behind a loop of no iterations they hold garbage, and a CPU driver
// writes them to memory in every iteration. Here the results of a loop are the
// arguments of its header, which are phis.
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

    // entry -> header -> body -> header; header -> merge.
    Block *header = rewriter.createBlock(loop.getMergeBlock());
    for (Value value : initial)
      header->addArgument(value.getType(), loc);
    TypeConverter::SignatureConversion signature(initial.size());
    for (auto [i, argument] : llvm::enumerate(header->getArguments()))
      signature.remapInput(i, argument);
    Block *body = rewriter.applySignatureConversion(op.getBody(), signature);
    rewriter.inlineRegionBefore(op.getRegion(), loop.getMergeBlock());

    rewriter.setInsertionPointToEnd(loop.getEntryBlock());
    spirv::BranchOp::create(rewriter, loc, header, initial);
    rewriter.setInsertionPointToEnd(header);
    Value i = header->getArgument(0);
    Value more =
        spirv::SLessThanOp::create(rewriter, loc, i, adaptor.getUpperBound());
    spirv::BranchConditionalOp::create(rewriter, loc, more, body, ValueRange(),
                                       loop.getMergeBlock(), ValueRange());
    rewriter.setInsertionPoint(body->getTerminator());
    Value next = spirv::IAddOp::create(rewriter, loc, i, adaptor.getStep());
    Operation *yield = body->getTerminator();
    SmallVector<Value> again = {next};
    if (failed(rewriter.getRemappedValues(yield->getOperands(), again)))
      return failure();
    // The serializer does not find the result of an inner loop when the phi
    // names it before it is defined. `more` is true here.
    for (auto [value, argument] :
         llvm::drop_begin(llvm::zip_equal(again, header->getArguments())))
      if (value.getDefiningOp<scf::ForOp>() ||
          value.getDefiningOp<spirv::LoopOp>())
        value = spirv::SelectOp::create(rewriter, loc, more, value, argument);
    spirv::BranchOp::create(rewriter, loc, header, again);
    rewriter.eraseOp(yield);

    auto merge = cast<spirv::MergeOp>(loop.getMergeBlock()->getTerminator());
    rewriter.modifyOpInPlace(merge, [&] {
      merge->setOperands(header->getArguments().drop_front());
    });
    rewriter.replaceOp(op, loop.getResults());
    return success();
  }
};
} // namespace

void gpuvm::populateLoopToSpirvPatterns(const TypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<LowerFor>(converter, patterns.getContext());
}
