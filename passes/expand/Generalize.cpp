//===- Generalize.cpp - stage bodies in one form --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/expand/Generalize.h"
#include "dialects/gpuvm/ProgramOrder.h"
#include "dialects/gpuvm/Reduction.h"
#include "passes/Passes.h"
#include "passes/expand/ExpandFft.h"
#include "passes/expand/ExpandGroups.h"
#include "passes/expand/ExpandSort.h"
#include "passes/expand/GeneralizeBody.h"

#include "dialects/gpuvm/Combiner.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_GENERALIZE
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {

/// fill of a constant, or splat of one, is a constant.
struct FoldConstantFill : OpRewritePattern<linalg::FillOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::FillOp op,
                                PatternRewriter &rewriter) const override {
    Attribute value;
    if (!matchPattern(op.getInputs().front(), m_Constant(&value)))
      return failure();
    auto type = cast<RankedTensorType>(op.getResultTypes().front());
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, DenseElementsAttr::get(type, value));
    return success();
  }
};

/// A row's maximum, powers, their sum and quotients: what one kernel fuses.
struct DecomposeSoftmax : OpRewritePattern<linalg::SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return failure();
    rewriter.replaceOp(op, *results);
    return success();
  }
};

/// An elementwise generic walks the elements of its result in order.
struct InterchangeToIdentity : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumReductionLoops() != 0 || op.getNumDpsInits() == 0)
      return failure();
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    if (map.isIdentity() || !map.isPermutation())
      return failure();
    SmallVector<unsigned> order;
    for (AffineExpr expr : map.getResults())
      order.push_back(cast<AffineDimExpr>(expr).getPosition());
    return linalg::interchangeGenericOp(rewriter, op, order);
  }
};

/// A reduction whose results read neighbouring elements has their loop last.
struct PutColumnsLast : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumReductionLoops() == 0 || getTileLoops(op))
      return failure();
    std::optional<unsigned> columns = getColumnLoop(op);
    unsigned last = op.getNumLoops() - 1;
    if (!columns || *columns == last)
      return failure();
    SmallVector<unsigned> order;
    for (unsigned loop = 0; loop <= last; ++loop)
      if (loop != *columns)
        order.push_back(loop);
    order.push_back(*columns);
    return linalg::interchangeGenericOp(rewriter, op, order);
  }
};

/// An index that is computed from others, as where loops have been
/// interchanged, is arithmetic.
struct ExpandIndexMap : OpRewritePattern<affine::AffineApplyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(affine::AffineApplyOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<SmallVector<Value, 8>> indices = affine::expandAffineMap(
        rewriter, op.getLoc(), op.getAffineMap(), op.getOperands());
    if (!indices)
      return failure();
    rewriter.replaceOp(op, *indices);
    return success();
  }
};

struct Generalize : gpuvm::impl::GeneralizeBase<Generalize> {
  void runOnOperation() override;
};

} // namespace

//===----------------------------------------------------------------------===//
// What a kernel can hold
//===----------------------------------------------------------------------===//

static LogicalResult checkMaps(linalg::GenericOp op) {
  bool reduces = op.getNumReductionLoops() != 0;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (reduces ? !map.isProjectedPermutation() : !map.isIdentity())
      return op.emitOpError("cannot be compiled: its result is not written "
                            "element by element (indexing map ")
             << AffineMapAttr::get(map) << ')';
    if (map != op.getMatchingIndexingMap(op.getDpsInitOperand(0)))
      return op.emitOpError("cannot be compiled: its results are written in "
                            "different orders");
  }
  for (Value input : op.getDpsInputs())
    if (!isVmTensor(input.getType()) && isa<ShapedType>(input.getType()))
      return op.emitOpError("cannot be compiled: an operand has type ")
             << input.getType();
  return success();
}

/// A claim that a body is associative is of no use if it cannot be taken apart.
static LogicalResult checkClaim(linalg::GenericOp op) {
  if (!op->hasAttr(kAssociativeAttr))
    return success();
  if (op.getNumReductionLoops() == 0)
    return op.emitOpError("claims to be associative (")
           << kAssociativeAttr << ") but reduces nothing";
  if (!matchCombiner(op))
    return op.emitOpError("claims to be associative (")
           << kAssociativeAttr
           << "), but the element that each accumulator is combined with "
              "cannot be told";
  return success();
}

static bool makesScalars(Operation &op) {
  return op.getNumResults() != 0 &&
         llvm::none_of(op.getResultTypes(), llvm::IsaPred<ShapedType>);
}

/// What to write instead of an operation that has no form of a kernel's.
static StringRef whatInstead(Operation &op) {
  if (auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op);
      slice && (ShapedType::isDynamicShape(slice.getStaticSizes()) ||
                ShapedType::isDynamicShape(slice.getStaticStrides())))
    return "; of a slice only offsets are computed: sizes and strides are "
           "constants";
  if (isa<tensor::ExtractSliceOp, tensor::InsertSliceOp>(op))
    return "; a slice at a computed offset has positive strides and is no "
           "longer than what it is cut from";
  if (isa<tensor::PadOp>(op))
    return "; tensor.extract_slice crops, and tensor.pad has widths of 0 and "
           "more";
  if (isa<linalg::LinalgDialect>(op.getDialect()))
    return "; linalg.generic says the same in a form that one can";
  if (isa<tensor::GatherOp>(op))
    return "; gpuvm.gather picks rows by their numbers";
  if (isa<tensor::ScatterOp>(op))
    return "; gpuvm.scatter puts elements where numbers say";
  if (isa<tensor::BitcastOp>(op))
    return "; arith.bitcast does the same";
  if (makesScalars(op))
    return "; a number is computed in the body of a linalg operation, and "
           "stands between operations as a tensor without dimensions";
  return "; docs/reference/stages.md lists what a stage may hold";
}

static LogicalResult checkOp(Operation &op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    if (failed(checkMaps(generic)) || failed(checkClaim(generic)))
      return failure();
    return checkBody(*generic.getBody());
  }
  if (isa<RootOpInterface>(op)) {
    for (mlir::Region &region : op.getRegions())
      if (failed(checkBody(region.front())))
        return failure();
    return success();
  }
  if (isa<arith::ConstantOp, tensor::EmptyOp, tensor::CollapseShapeOp,
          tensor::ConcatOp, tensor::ExpandShapeOp, DecodeOp, GatherOp, LoadOp,
          StoreOp, MetadataOp, InvokeOp, SendOp>(op))
    return success();
  auto isStatic = [](OffsetSizeAndStrideOpInterface slice) {
    return !ShapedType::isDynamicShape(slice.getStaticOffsets()) &&
           !ShapedType::isDynamicShape(slice.getStaticSizes()) &&
           !ShapedType::isDynamicShape(slice.getStaticStrides());
  };
  if (auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op);
      slice && movesElements(&op) && isStatic(slice))
    return success();
  auto isWidth = [](ArrayRef<int64_t> widths) { // Dynamic ones are negative.
    return llvm::all_of(widths, [](int64_t width) { return width >= 0; });
  };
  if (auto pad = dyn_cast<tensor::PadOp>(op);
      pad && pad.getConstantPaddingValue() && isWidth(pad.getStaticLow()) &&
      isWidth(pad.getStaticHigh()))
    return success();
  return op.emitOpError("cannot be compiled: no kernel can hold it")
         << whatInstead(op);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Constants that differ from element to element are read from the heap.
static void moveConstantsToHeap(StageOp stage) {
  auto program = stage->getParentOfType<ProgramOp>();
  SymbolTable symbols(program);
  OpBuilder b(stage);
  for (auto constant : llvm::make_early_inc_range(
           stage.getBody().getOps<arith::ConstantOp>())) {
    auto value = dyn_cast<ElementsAttr>(constant.getValue());
    if (!value || value.isSplat())
      continue;
    b.setInsertionPoint(
        program.getBody().front().findAncestorOpInBlock(*stage));
    auto heap = HeapOp::create(b, constant.getLoc(), "constant",
                               cast<RankedTensorType>(constant.getType()),
                               value, StringAttr(), WindowAttr(),
                               /*shared=*/false, FlatSymbolRefAttr());
    symbols.insert(heap);
    b.setInsertionPoint(constant);
    auto load = LoadOp::create(b, constant.getLoc(), constant.getType(),
                               heap.getSymName(), IntegerAttr());
    constant.replaceAllUsesWith(load.getValue());
    constant.erase();
  }
}

/// All but those of sorts, groups and joins.
static void populateDensePatterns(RewritePatternSet &patterns) {
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  linalg::populateLinalgNamedOpsGeneralizationPatterns(patterns);
  patterns.add<DecomposeSoftmax, FoldConstantFill, ExpandIndexMap,
               InterchangeToIdentity, PutColumnsLast>(patterns.getContext());
  populateExpandTensorsPatterns(patterns);
  populateExpandSlicesPatterns(patterns);
  populateRandomPatterns(patterns);
  populateExpandFftPatterns(patterns);
  populateExpandRealFftPatterns(patterns);
  populateExpandRegulatorsPatterns(patterns);
}

FrozenRewritePatternSet gpuvm::getDensePatterns(MLIRContext *context) {
  RewritePatternSet patterns(context);
  populateDensePatterns(patterns);
  return FrozenRewritePatternSet(std::move(patterns));
}

FrozenRewritePatternSet gpuvm::getGeneralizePatterns(MLIRContext *context) {
  RewritePatternSet patterns(context);
  populateDensePatterns(patterns);
  populateExpandScatterPatterns(patterns);
  populateExpandSegmentsPatterns(patterns);
  populateExpandKeysPatterns(patterns);
  populateExpandSortPatterns(patterns);
  return FrozenRewritePatternSet(std::move(patterns));
}

LogicalResult gpuvm::generalizeDense(StageOp stage,
                                     const FrozenRewritePatternSet &patterns) {
  if (failed(applyPatternsGreedily(stage.getBody(), patterns,
                                   GreedyRewriteConfig().enableFolding(false))))
    return failure();
  for (auto op : stage.getBody().getOps<linalg::GenericOp>())
    if (failed(fixReductionOrder(op)))
      return failure();
  return success();
}

LogicalResult gpuvm::generalizeStage(StageOp stage,
                                     const FrozenRewritePatternSet &patterns) {
  // Folding is the canonicalizer's; gpuvm-make-exact comes before it.
  if (failed(applyPatternsGreedily(stage.getBody(), patterns,
                                   GreedyRewriteConfig().enableFolding(false))))
    return failure();
  for (Operation &op : stage.getBody().front())
    if (isa<linalg::GenericOp, RootOpInterface>(op))
      for (mlir::Region &region : op.getRegions())
        if (failed(checkCaptures(region.front())))
          return failure();
  moveConstantsToHeap(stage);
  // What takes a scalar that it cannot hold is at fault, not the scalar.
  for (bool isScalar : {false, true})
    for (Operation &op : stage.getBody().front())
      if (makesScalars(op) == isScalar && failed(checkOp(op)))
        return failure();
  for (auto op : llvm::make_early_inc_range(
           stage.getBody().getOps<linalg::GenericOp>())) {
    if (failed(fixReductionOrder(op)))
      return failure();
    unrollShortLoops(op);
    splitLoops(op);
  }
  return success();
}

void Generalize::runOnOperation() {
  FrozenRewritePatternSet patterns = getGeneralizePatterns(&getContext());
  for (auto stage : listOps<StageOp>(getOperation()))
    if (failed(generalizeStage(stage, patterns)))
      return signalPassFailure();
  if (failed(lowerSmallTypes(getOperation())))
    signalPassFailure();
}
