//===- ExpandSlices.cpp - slices at places that the device computes -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A slice at a dynamic offset is read in place: as a table, at indices that
// each element computes. What is written at such a place is selected element by
// element; a small part of a large tensor is scattered, so that
// gpuvm-update-in-place can update the tensor in place.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"
#include "kernels/analysis/Updates.h"
#include "passes/expand/ElementBuilder.h"
#include "passes/expand/Generalize.h"
#include "passes/expand/ScatterRows.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Tensors of so many bytes are updated where they are (gpuvm-update-in-place)
/// if what is written is at most such a part of them. Below, one kernel for all
/// elements takes no longer, and fuses with others.
static constexpr uint64_t kUpdatedBytes = 1 << 16;
static constexpr int64_t kUpdatedPart = 4;

static bool isWorthScattering(RankedTensorType part, RankedTensorType whole) {
  return tensorBytes(whole) >= kUpdatedBytes && hasWordNumbers(whole) &&
         part.getNumElements() <= whole.getNumElements() / kUpdatedPart;
}

namespace {

/// The place of a slice: its element i of dimension d is at offset + i *
/// stride.
class Place {
public:
  /// Nullopt if the pass cannot write down where: its size or stride is dynamic
  /// or a stride is not positive, or its offset is no scalar code.
  template <typename SliceOp>
  static std::optional<Place> of(SliceOp op, RankedTensorType whole);

  /// The index in the whole of the element at `indices` of the slice.
  SmallVector<Expr> outside(ScalarBuilder &s, ArrayRef<Expr> indices) const;
  /// The index in the slice of the element at `indices` of the whole, and in
  /// `isInside` whether there is one.
  SmallVector<Expr> inside(ScalarBuilder &s, ArrayRef<Expr> indices,
                           std::optional<Expr> &isInside) const;
  /// The number in the whole of the element at `indices` of the slice, as i32.
  Expr number(ScalarBuilder &s, ArrayRef<Expr> indices) const;

private:
  /// From the first to the last index of the slice in dimension `d`.
  int64_t extentOf(int64_t d) const { return (sizes[d] - 1) * strides[d] + 1; }
  SmallVector<Expr> begins(ScalarBuilder &s) const;

  SmallVector<OpFoldResult> offsets;
  SmallVector<int64_t> sizes, strides;
  llvm::SmallBitVector dropped; ///< Dimensions that the slice does not have.
  RankedTensorType whole;
};

struct ReadSlice : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override;
};

struct WriteSlice : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override;
};

/// One element is selected like a slice, but where it does not exist nothing is
/// written.
struct WriteElement : OpRewritePattern<tensor::InsertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::InsertOp op,
                                PatternRewriter &rewriter) const override;
};

/// A store at a position of the device stores the whole symbol: row i is row
/// i - position of the value, if there is one, and else what it was. Few rows
/// of a large symbol are scattered into it.
struct ExpandPositionedStore : OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StoreOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getPosition() || op.getOwn()) // InstanceSpreader has those.
      return failure();
    Location loc = op.getLoc();
    RankedTensorType whole = lookupSymbol(op, op.getSymbol()).type;
    Value old = LoadOp::create(rewriter, loc, whole, op.getSymbol(),
                               /*offset=*/IntegerAttr());
    RankedTensorType slice = typeOf(op.getValue());
    Value merged;
    if (isWorthScattering(slice, whole)) {
      merged = scatterRows(rewriter, loc, op.getValue(), op.getPosition(), old);
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
  static Value distances(OpBuilder &b, Location loc, Value position,
                         RankedTensorType whole);
  static Value merge(OpBuilder &b, Location loc, Value rows, Value moved,
                     Value old, RankedTensorType slice);
};

} // namespace

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

template <typename SliceOp>
std::optional<Place> Place::of(SliceOp op, RankedTensorType whole) {
  Place place;
  place.offsets = op.getMixedOffsets();
  place.sizes.assign(op.getStaticSizes().begin(), op.getStaticSizes().end());
  place.strides.assign(op.getStaticStrides().begin(),
                       op.getStaticStrides().end());
  place.dropped = op.getDroppedDims();
  place.whole = whole;
  bool isStatic = !ShapedType::isDynamicShape(place.sizes) &&
                  llvm::all_of(place.strides, [](int64_t s) { return s > 0; });
  for (auto [d, offset] : llvm::enumerate(place.offsets))
    if (auto value = dyn_cast<Value>(offset);
        !isStatic || (value && !isScalarCode(value)) ||
        place.extentOf(d) > whole.getDimSize(d))
      return std::nullopt;
  return place;
}

/// Offsets that a device computes are clamped so that the slice is inside.
SmallVector<Expr> Place::begins(ScalarBuilder &s) const {
  SmallVector<Expr> begins;
  IRMapping known;
  for (auto [d, offset] : llvm::enumerate(offsets)) {
    auto value = dyn_cast<Value>(offset);
    if (!value) {
      begins.push_back(s.index(*getConstantIntValue(offset)));
      continue;
    }
    Expr last = s.index(whole.getDimSize(d) - extentOf(d));
    Expr begin = s.inlineScalar(value, known);
    begins.push_back(maxSigned(minSigned(begin, last), 0));
  }
  return begins;
}

/// Adds `condition` to what holds already.
static void require(std::optional<Expr> &all, const Expr &condition) {
  all = all ? *all & condition : condition;
}

SmallVector<Expr> Place::outside(ScalarBuilder &s,
                                 ArrayRef<Expr> indices) const {
  SmallVector<Expr> result = begins(s);
  size_t next = 0;
  for (size_t d = 0; d < result.size(); ++d)
    if (!dropped[d])
      result[d] = result[d] + indices[next++] * strides[d];
  return result;
}

SmallVector<Expr> Place::inside(ScalarBuilder &s, ArrayRef<Expr> indices,
                                std::optional<Expr> &isInside) const {
  SmallVector<Expr> result;
  for (auto [d, begin] : llvm::enumerate(begins(s))) {
    Expr distance = indices[d] - begin, stride = s.index(strides[d]);
    require(isInside, distance < extentOf(d));
    if (strides[d] != 1) {
      require(isInside, distance % stride == 0);
      distance = distance / stride;
    }
    if (!dropped[d])
      result.push_back(distance);
  }
  return result;
}

static Expr numberOf(ScalarBuilder &s, ArrayRef<Expr> indices,
                     RankedTensorType whole) {
  Expr number = s.word(0);
  for (auto [index, size] : llvm::zip_equal(indices, whole.getShape())) {
    number = number * size;
    number = number + index.signedToWord();
  }
  return number;
}

Expr Place::number(ScalarBuilder &s, ArrayRef<Expr> indices) const {
  return numberOf(s, outside(s, indices), whole);
}

//===----------------------------------------------------------------------===//
// Slices and elements
//===----------------------------------------------------------------------===//

template <typename SliceOp> static bool isDynamic(SliceOp op) {
  return ShapedType::isDynamicShape(op.getStaticOffsets());
}

LogicalResult ReadSlice::matchAndRewrite(tensor::ExtractSliceOp op,
                                         PatternRewriter &rewriter) const {
  std::optional<Place> place;
  if (isDynamic(op) && isVmTensor(op.getType()))
    place = Place::of(op, op.getSourceType());
  if (!place)
    return failure();
  RankedTensorType type = op.getType();
  auto read = [&](ScalarBuilder &s, ArrayRef<Expr> indices, ArrayRef<Expr>) {
    return SmallVector<Value>{
        s.read(op.getSource(), place->outside(s, indices))};
  };
  rewriter.replaceOp(op, makeElements(rewriter, op.getLoc(), type.getShape(),
                                      type.getElementType(), {}, read));
  return success();
}

LogicalResult WriteSlice::matchAndRewrite(tensor::InsertSliceOp op,
                                          PatternRewriter &rewriter) const {
  RankedTensorType whole = op.getDestType(), part = op.getSourceType();
  std::optional<Place> place;
  if (isDynamic(op) && isVmTensor(part))
    place = Place::of(op, whole);
  if (!place)
    return failure();
  if (isWorthScattering(part, whole)) {
    auto number = [&](ScalarBuilder &s, ArrayRef<Expr> indices,
                      ArrayRef<Expr>) { return place->number(s, indices); };
    Value places =
        makeWords(rewriter, op.getLoc(), part.getShape(), {}, number);
    rewriter.replaceOp(op,
                       scatterElements(rewriter, op.getLoc(), op.getSource(),
                                       places, op.getDest()));
    return success();
  }
  auto choose = [&](ScalarBuilder &s, ArrayRef<Expr> indices,
                    ArrayRef<Expr> elements) {
    std::optional<Expr> isInside; // Not of rank 0.
    SmallVector<Expr> at = place->inside(s, indices, isInside);
    Expr element = s.read(op.getSource(), at);
    return SmallVector<Value>{isInside ? select(*isInside, element, elements[0])
                                       : element};
  };
  rewriter.replaceOp(op, makeElements(rewriter, op.getLoc(), whole.getShape(),
                                      whole.getElementType(), op.getDest(),
                                      choose));
  return success();
}

LogicalResult WriteElement::matchAndRewrite(tensor::InsertOp op,
                                            PatternRewriter &rewriter) const {
  RankedTensorType type = op.getType();
  if (!isVmTensor(type) || !isScalarCode(op.getScalar()) ||
      !isScalarCode(op.getIndices()))
    return failure();
  auto choose = [&](ScalarBuilder &s, ArrayRef<Expr> indices,
                    ArrayRef<Expr> elements) {
    IRMapping known;
    Expr chosen = s.inlineScalar(op.getScalar(), known);
    std::optional<Expr> isHere;
    for (auto [index, at] : llvm::zip_equal(indices, op.getIndices()))
      require(isHere, index == s.inlineScalar(at, known));
    return SmallVector<Value>{isHere ? select(*isHere, chosen, elements[0])
                                     : chosen};
  };
  rewriter.replaceOp(op,
                     makeElements(rewriter, op.getLoc(), type.getShape(),
                                  type.getElementType(), op.getDest(), choose));
  return success();
}

//===----------------------------------------------------------------------===//
// Stores at positions of the device
//===----------------------------------------------------------------------===//

/// How far each row of the symbol is after the position.
Value ExpandPositionedStore::distances(OpBuilder &b, Location loc,
                                       Value position, RankedTensorType whole) {
  auto type = RankedTensorType::get(whole.getDimSize(0), b.getI32Type());
  Value init = tensor::EmptyOp::create(b, loc, type, ValueRange());
  SmallVector<AffineMap> maps = {
      AffineMap::get(/*dimCount=*/1, /*symbolCount=*/0, b.getContext()),
      b.getMultiDimIdentityMap(1)};
  auto build = [](OpBuilder &nested, Location l, ValueRange args) {
    Expr row = ExprBuilder(nested, l).make<linalg::IndexOp>(0);
    linalg::YieldOp::create(nested, l, Value(row.signedToWord() - args[0]));
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
    Expr isInside = ExprBuilder(nested, l)(args[0]) < count;
    linalg::YieldOp::create(nested, l,
                            Value(select(isInside, args[1], args[2])));
  };
  return linalg::GenericOp::create(b, loc, type, ValueRange{rows, moved, old},
                                   init, maps, loops, build)
      .getResult(0);
}

void gpuvm::populateExpandSlicesPatterns(RewritePatternSet &patterns) {
  patterns.add<ReadSlice, WriteSlice, WriteElement, ExpandPositionedStore>(
      patterns.getContext());
}
