//===- Generalize.cpp - stage bodies in one form --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Generalize.h"
#include "passes/ElementBuilder.h"
#include "passes/ExpandFft.h"
#include "passes/ExpandGroups.h"
#include "passes/ExpandSort.h"
#include "passes/GeneralizeBody.h"
#include "passes/Passes.h"

#include "dialects/gpuvm/Combiner.h"
#include "kernels/Updates.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
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

/// A scalar operand of a generic that is a constant belongs into its body.
struct InlineScalarConstants : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    for (OpOperand &operand : op->getOpOperands()) {
      Attribute value;
      if (isa<ShapedType>(operand.get().getType()) ||
          !matchPattern(operand.get(), m_Constant(&value)))
        continue;
      BlockArgument argument = op.getMatchingBlockArgument(&operand);
      if (argument.use_empty())
        continue;
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(op.getBody());
      Value constant = arith::ConstantOp::create(rewriter, op.getLoc(),
                                                 cast<TypedAttr>(value));
      rewriter.replaceAllUsesWith(argument, constant);
      return success();
    }
    return failure();
  }
};

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

/// Whether scalar code of the stage makes `value`: a body can hold it, too.
static bool isScalarCode(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperands(), [](Value operand) {
           return isa<ShapedType>(operand.getType()) || isScalarCode(operand);
         });
}

/// A tensor of scalars: each place takes one of them.
struct FromElementsToGeneric : OpRewritePattern<tensor::FromElementsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::FromElementsOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    if (!isVmTensor(type) || !llvm::all_of(op.getElements(), isScalarCode))
      return failure();
    auto choose = [&](ScalarBuilder &s, ArrayRef<Value> indices, ValueRange) {
      Value number = s.index(0);
      for (auto [index, size] : llvm::zip_equal(indices, type.getShape()))
        number = s.add(s.mul(number, s.index(size)), index);
      IRMapping known;
      Value chosen = s.inlineScalar(op.getElements().back(), known);
      for (int64_t i = type.getNumElements() - 1; i-- > 0;)
        chosen =
            s.select(s.compare(arith::CmpIPredicate::eq, number, s.index(i)),
                     s.inlineScalar(op.getElements()[i], known), chosen);
      return SmallVector<Value>{chosen};
    };
    rewriter.replaceOp(op, makeElements(rewriter, op.getLoc(), type.getShape(),
                                        type.getElementType(), {}, choose));
    return success();
  }
};

/// Symbols of so many bytes are updated where they are (gpuvm-update-in-place)
/// if the rows to store are at most such a part of them. Below, one kernel for
/// all rows takes no longer, and fuses with others.
static constexpr uint64_t kUpdatedBytes = 1 << 16;
static constexpr int64_t kUpdatedPart = 4;

/// A store at a position of the device stores the whole symbol: row i is row
/// i - position of the value, if there is one, and else what it was. Few rows
/// of a large symbol are scattered into it.
struct ExpandPositionedStore : OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StoreOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getPosition())
      return failure();
    Location loc = op.getLoc();
    RankedTensorType whole = lookupSymbol(op, op.getSymbol()).type;
    Value old = LoadOp::create(rewriter, loc, whole, op.getSymbol(),
                               /*offset=*/IntegerAttr());
    RankedTensorType slice = typeOf(op.getValue());
    bool isUpdate =
        tensorBytes(whole) >= kUpdatedBytes &&
        slice.getNumElements() <= whole.getNumElements() / kUpdatedPart;
    Value merged;
    if (isUpdate) {
      merged = scatter(rewriter, op, old);
    } else {
      Value rows = distances(rewriter, loc, op.getPosition(), whole);
      Value moved = GatherOp::create(rewriter, loc, whole, op.getValue(), rows);
      merged = merge(rewriter, loc, rows, moved, old, slice);
    }
    StoreOp::create(rewriter, loc, merged, op.getSymbol());
    rewriter.eraseOp(op);
    return success();
  }

private:
  static Value scatter(OpBuilder &b, StoreOp op, Value old);
  static Value distances(OpBuilder &b, Location loc, Value position,
                         RankedTensorType whole);
  static Value merge(OpBuilder &b, Location loc, Value rows, Value moved,
                     Value old, RankedTensorType slice);
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
  return op.emitOpError("cannot be compiled: no kernel can hold it");
}

//===----------------------------------------------------------------------===//
// Stores at positions of the device
//===----------------------------------------------------------------------===//

/// `value` with all its elements in one dimension, or back in `type`.
static Value flatten(OpBuilder &b, Location loc, Value value) {
  RankedTensorType type = typeOf(value);
  if (type.getRank() == 1)
    return value;
  ReassociationIndices all =
      llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()));
  return tensor::CollapseShapeOp::create(b, loc, value, ArrayRef{all});
}

static Value unflatten(OpBuilder &b, Location loc, Value value,
                       RankedTensorType type) {
  if (type.getRank() == 1)
    return value;
  ReassociationIndices all =
      llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()));
  return tensor::ExpandShapeOp::create(b, loc, type, value, ArrayRef{all});
}

/// `old` with the stored rows, each of whose elements has a place of its own.
Value ExpandPositionedStore::scatter(OpBuilder &b, StoreOp op, Value old) {
  Location loc = op.getLoc();
  RankedTensorType whole = typeOf(old);
  int64_t rows = whole.getDimSize(0), width = whole.getNumElements() / rows;
  auto each = RankedTensorType::get(
      {typeOf(op.getValue()).getDimSize(0), width}, b.getI32Type());
  auto place = [&](OpBuilder &inside, Location at, ValueRange args) {
    ScalarBuilder s(inside, at);
    auto index = [&](int64_t dim) {
      return s.toWord(s.make<linalg::IndexOp>(dim));
    };
    Value row = s.add(args.front(), index(0));
    Value isThere = s.compare(arith::CmpIPredicate::ult, row, s.word(rows));
    Value element = s.add(s.mul(row, s.word(width)), index(1));
    linalg::YieldOp::create(inside, at, s.select(isThere, element, s.word(-1)));
  };
  Value init = tensor::EmptyOp::create(b, loc, each, ValueRange());
  AffineMap maps[] = {AffineMap::get(2, 0, b.getContext()),
                      b.getMultiDimIdentityMap(2)};
  SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
  Value places = linalg::GenericOp::create(b, loc, each, op.getPosition(), init,
                                           maps, loops, place)
                     .getResult(0);
  auto rule = RuleAttr::get(b.getContext(), Rule::last);
  Value flat = flatten(b, loc, old);
  auto update =
      ScatterOp::create(b, loc, flat.getType(), flatten(b, loc, op.getValue()),
                        flatten(b, loc, places), flat, b.getArrayAttr(rule));
  update->setAttr(kDistinctAttr, b.getUnitAttr());
  return unflatten(b, loc, update.getResult(0), whole);
}

/// How far each row of the symbol lies behind the position.
Value ExpandPositionedStore::distances(OpBuilder &b, Location loc,
                                       Value position, RankedTensorType whole) {
  auto type = RankedTensorType::get(whole.getDimSize(0), b.getI32Type());
  Value init = tensor::EmptyOp::create(b, loc, type, ValueRange());
  SmallVector<AffineMap> maps = {
      AffineMap::get(/*dimCount=*/1, /*symbolCount=*/0, b.getContext()),
      b.getMultiDimIdentityMap(1)};
  auto build = [](OpBuilder &nested, Location l, ValueRange args) {
    Value row = linalg::IndexOp::create(nested, l, 0);
    Value number =
        arith::IndexCastOp::create(nested, l, nested.getI32Type(), row);
    Value distance = arith::SubIOp::create(nested, l, number, args[0]);
    linalg::YieldOp::create(nested, l, distance);
  };
  return linalg::GenericOp::create(b, loc, type, position, init, maps,
                                   ArrayRef{utils::IteratorType::parallel},
                                   build)
      .getResult(0);
}

/// `moved` where there is such a row of the slice, `old` elsewhere.
Value ExpandPositionedStore::merge(OpBuilder &b, Location loc, Value rows,
                                   Value moved, Value old,
                                   RankedTensorType slice) {
  auto type = cast<RankedTensorType>(old.getType());
  Value init = tensor::EmptyOp::create(b, loc, type, ValueRange());
  AffineMap all = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<AffineMap> maps = {all.getMajorSubMap(1), all, all, all};
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  int64_t count = slice.getDimSize(0);
  auto build = [count](OpBuilder &nested, Location l, ValueRange args) {
    Value end =
        arith::ConstantOp::create(nested, l, nested.getI32IntegerAttr(count));
    Value inside = arith::CmpIOp::create(nested, l, arith::CmpIPredicate::ult,
                                         args[0], end);
    Value element =
        arith::SelectOp::create(nested, l, inside, args[1], args[2]);
    linalg::YieldOp::create(nested, l, element);
  };
  return linalg::GenericOp::create(b, loc, type, ValueRange{rows, moved, old},
                                   init, maps, loops, build)
      .getResult(0);
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
                               value, StringAttr(), WindowAttr());
    symbols.insert(heap);
    b.setInsertionPoint(constant);
    auto load = LoadOp::create(b, constant.getLoc(), constant.getType(),
                               heap.getSymName(), IntegerAttr());
    constant.replaceAllUsesWith(load.getValue());
    constant.erase();
  }
}

Value gpuvm::readElements(OpBuilder &b, Value source, RankedTensorType type,
                          AffineMap map) {
  Location loc = source.getLoc();
  Value init =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  AffineMap all = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, type, source, init, ArrayRef{map, all}, loops,
             [](OpBuilder &nested, Location l, ValueRange args) {
               linalg::YieldOp::create(nested, l, args[0]);
             })
      .getResult(0);
}

FrozenRewritePatternSet gpuvm::getGeneralizePatterns(MLIRContext *context) {
  RewritePatternSet patterns(context);
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  linalg::populateLinalgNamedOpsGeneralizationPatterns(patterns);
  patterns.add<DecomposeSoftmax, FoldConstantFill, GenerateToGeneric,
               FromElementsToGeneric, InterchangeToIdentity,
               InlineScalarConstants, ExpandPositionedStore>(context);
  populateRandomPatterns(patterns);
  populateExpandFftPatterns(patterns);
  populateExpandRealFftPatterns(patterns);
  populateExpandScatterPatterns(patterns);
  populateExpandSegmentsPatterns(patterns);
  populateExpandKeysPatterns(patterns);
  populateExpandSortPatterns(patterns);
  populateExpandRegulatorsPatterns(patterns);
  return FrozenRewritePatternSet(std::move(patterns));
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
  for (Operation &op : stage.getBody().front())
    if (failed(checkOp(op)))
      return failure();
  return success();
}

void Generalize::runOnOperation() {
  FrozenRewritePatternSet patterns = getGeneralizePatterns(&getContext());
  for (auto stage : getOperation().getBody().getOps<StageOp>())
    if (failed(generalizeStage(stage, patterns)))
      return signalPassFailure();
}
