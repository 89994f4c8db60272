//===- ExpandTensors.cpp - operations on tensors in other words -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What importers print and no kernel knows becomes what kernels do know: scalar
// code between tensors goes into the bodies that use it, branches of tensors
// become choices, and the rest operations that move elements.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"
#include "passes/expand/ElementBuilder.h"
#include "passes/expand/Generalize.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {

//===----------------------------------------------------------------------===//
// Scalars between tensors
//===----------------------------------------------------------------------===//

/// A scalar operand of a generic belongs into its body.
struct InlineScalarOperand : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    for (OpOperand *operand : op.getDpsInputOperands()) {
      Value scalar = operand->get();
      if (isa<ShapedType>(scalar.getType()) || !isScalarCode(scalar))
        continue;
      BlockArgument argument = op.getMatchingBlockArgument(operand);
      rewriter.setInsertionPointToStart(op.getBody());
      IRMapping known;
      ScalarBuilder s(rewriter, op.getLoc());
      rewriter.replaceAllUsesWith(argument, s.inlineScalar(scalar, known));
      SmallVector<Attribute> maps(op.getIndexingMaps().getValue());
      unsigned number = operand->getOperandNumber();
      maps.erase(maps.begin() + number);
      rewriter.modifyOpInPlace(op, [&] {
        op.getBody()->eraseArgument(number);
        op.setIndexingMapsAttr(rewriter.getArrayAttr(maps));
        op.getInputsMutable().erase(number);
      });
      return success();
    }
    return failure();
  }
};

/// So does a scalar that a body takes from outside.
struct InlineCapturedScalars : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    llvm::SmallSetVector<Value, 4> captured;
    op.getBody()->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (isa<StageOp>(operand.getParentBlock()->getParentOp()) &&
            !isa<ShapedType>(operand.getType()) &&
            !matchPattern(operand, m_Constant()) && isScalarCode(operand))
          captured.insert(operand);
    });
    if (captured.empty())
      return failure();
    rewriter.setInsertionPointToStart(op.getBody());
    ScalarBuilder s(rewriter, op.getLoc());
    IRMapping known;
    for (Value scalar : captured)
      s.inlineScalar(scalar, known);
    rewriter.modifyOpInPlace(op, [&] {
      for (Value scalar : captured)
        scalar.replaceUsesWithIf(known.lookup(scalar), [&](OpOperand &use) {
          return op->isProperAncestor(use.getOwner());
        });
    });
    return success();
  }
};

/// A branch between tensors: both sides are computed, and a select takes one.
struct IfToSelect : OpRewritePattern<scf::IfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(scf::IfOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<StageOp>(op->getParentOp()) || op->getNumResults() == 0 ||
        !isScalarCode(op.getCondition()))
      return failure();
    SmallVector<Value> results;
    SmallVector<Value> yes = inlineSide(*op.thenBlock(), op, rewriter);
    SmallVector<Value> no = inlineSide(*op.elseBlock(), op, rewriter);
    for (auto [ifTrue, ifFalse] : llvm::zip_equal(yes, no))
      results.push_back(choose(op, ifTrue, ifFalse, rewriter));
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  static SmallVector<Value> inlineSide(Block &block, scf::IfOp op,
                                       PatternRewriter &rewriter) {
    Operation *yield = block.getTerminator();
    SmallVector<Value> values = llvm::to_vector(yield->getOperands());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&block, op);
    return values;
  }

  static Value choose(scf::IfOp op, Value yes, Value no, OpBuilder &b) {
    auto type = dyn_cast<RankedTensorType>(yes.getType());
    if (!type)
      return arith::SelectOp::create(b, op.getLoc(), op.getCondition(), yes,
                                     no);
    auto choose = [&](ScalarBuilder &s, ArrayRef<Expr>, ArrayRef<Expr> sides) {
      IRMapping known;
      Expr condition = s.inlineScalar(op.getCondition(), known);
      return SmallVector<Value>{select(condition, sides[0], sides[1])};
    };
    return makeElements(b, op.getLoc(), type.getShape(), type.getElementType(),
                        {yes, no}, choose)
        .getResult(0);
  }
};

/// A tensor of scalars: each place takes one of them.
struct FromElementsToGeneric : OpRewritePattern<tensor::FromElementsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::FromElementsOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    if (!isVmTensor(type) || !isScalarCode(op.getElements()))
      return failure();
    auto choose = [&](ScalarBuilder &s, ArrayRef<Expr> indices,
                      ArrayRef<Expr>) {
      Expr number = s.index(0);
      for (auto [index, size] : llvm::zip_equal(indices, type.getShape()))
        number = number * size + index;
      IRMapping known;
      Expr chosen = s.inlineScalar(op.getElements().back(), known);
      for (int64_t i = type.getNumElements() - 1; i-- > 0;) {
        Expr isHere = number == i;
        chosen =
            select(isHere, s.inlineScalar(op.getElements()[i], known), chosen);
      }
      return SmallVector<Value>{chosen};
    };
    rewriter.replaceOp(op, makeElements(rewriter, op.getLoc(), type.getShape(),
                                        type.getElementType(), {}, choose));
    return success();
  }
};

struct SplatToFill : OpRewritePattern<tensor::SplatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::SplatOp op,
                                PatternRewriter &rewriter) const override {
    if (!isVmTensor(op.getType()))
      return failure();
    Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), op.getType(),
                                          ValueRange());
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, op.getInput(), empty);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// A generated tensor is a map of its indices.
struct GenerateToGeneric : OpRewritePattern<tensor::GenerateOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::GenerateOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    if (!type.hasStaticShape())
      return failure();
    Value empty =
        tensor::EmptyOp::create(rewriter, op.getLoc(), type, ValueRange());
    Block &body = op.getBody().front();
    SmallVector<AffineMap> maps = {
        rewriter.getMultiDimIdentityMap(type.getRank())};
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    auto build = [&](OpBuilder &b, Location loc, ValueRange) {
      IRMapping mapping;
      for (BlockArgument argument : body.getArguments())
        mapping.map(argument, Value(linalg::IndexOp::create(
                                  b, loc, argument.getArgNumber())));
      for (Operation &inner : body.without_terminator())
        b.clone(inner, mapping);
      Value element = body.getTerminator()->getOperand(0);
      linalg::YieldOp::create(b, loc, mapping.lookupOrDefault(element));
    };
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, TypeRange(type), ValueRange(), ValueRange(empty), maps, iterators,
        build);
    return success();
  }
};

/// What surrounds a padded tensor is generated, unless it is one constant.
struct PadToGenerate : OpRewritePattern<tensor::PadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::PadOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType(), source = op.getSourceType();
    bool isStatic = !ShapedType::isDynamicShape(op.getStaticLow()) &&
                    !ShapedType::isDynamicShape(op.getStaticHigh());
    bool isConstant = isStatic && op.getConstantPaddingValue();
    bool crops = llvm::any_of(
        llvm::concat<const int64_t>(op.getStaticLow(), op.getStaticHigh()),
        [](int64_t n) { return n < 0 && !ShapedType::isDynamic(n); });
    if (isConstant || crops || !isVmTensor(type))
      return failure();
    Location loc = op.getLoc();
    auto around = tensor::GenerateOp::create(rewriter, loc, type, ValueRange());
    rewriter.inlineRegionBefore(op.getRegion(), around.getBody(),
                                around.getBody().end());
    SmallVector<OpFoldResult> sizes, strides;
    for (int64_t size : source.getShape()) {
      sizes.push_back(rewriter.getIndexAttr(size));
      strides.push_back(rewriter.getIndexAttr(1));
    }
    rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
        op, op.getSource(), around, op.getMixedLowPad(), sizes, strides);
    return success();
  }
};

/// The shape that a reshape is given is that of its type.
struct ReshapeToCollapse : OpRewritePattern<tensor::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    if (!isVmTensor(op.getType()) || !isVmTensor(op.getSource().getType()))
      return failure();
    rewriter.replaceOp(op, reshapeTo(rewriter, op.getLoc(), op.getSource(),
                                     typeOf(op.getResult()).getShape()));
    return success();
  }
};

struct LowerPack : OpRewritePattern<linalg::PackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::PackOp op,
                                PatternRewriter &rewriter) const override {
    if (!llvm::all_of(op->getOperandTypes(), isScalarOrVmTensor))
      return failure();
    return success(succeeded(linalg::lowerPack(rewriter, op)));
  }
  static bool isScalarOrVmTensor(Type type) {
    return !isa<ShapedType>(type) || isVmTensor(type);
  }
};

struct LowerUnPack : OpRewritePattern<linalg::UnPackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::UnPackOp op,
                                PatternRewriter &rewriter) const override {
    if (!llvm::all_of(op->getOperandTypes(), isVmTensor))
      return failure();
    return success(succeeded(linalg::lowerUnPack(rewriter, op)));
  }
};

/// Results that keep reduced dimensions, of size 1, as (d0, d1) -> (d0, 0), are
/// computed without them.
struct DropKeptDims : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    auto keeps = [&](OpOperand &init) {
      return llvm::any_of(op.getMatchingIndexingMap(&init).getResults(),
                          llvm::IsaPred<AffineConstantExpr>);
    };
    if (llvm::none_of(op.getDpsInitsMutable(), keeps))
      return failure();
    FailureOr<linalg::DropUnitDimsResult> dropped =
        linalg::dropUnitDims(rewriter, op, linalg::ControlDropUnitDims());
    if (failed(dropped))
      return failure();
    rewriter.replaceOp(op, dropped->replacements);
    return success();
  }
};

} // namespace

void gpuvm::populateExpandTensorsPatterns(RewritePatternSet &patterns) {
  patterns
      .add<InlineScalarOperand, InlineCapturedScalars, IfToSelect,
           FromElementsToGeneric, SplatToFill, GenerateToGeneric, PadToGenerate,
           ReshapeToCollapse, LowerPack, LowerUnPack, DropKeptDims>(
          patterns.getContext());
}
