//===- ExpandScatter.cpp - scatters that atomic operations can do ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What atomic operations can do in any order with the same result stays a
// scatter, of one dimension. Of updates of which the last one counts, the
// greatest number is scattered, and everything else is sorted by its position:
// then it is segments.
//
//===----------------------------------------------------------------------===//

#include "passes/expand/ExpandGroups.h"

#include "dialects/gpuvm/Gpuvm.h"
#include "kernels/analysis/Updates.h"
#include "passes/expand/ElementBuilder.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Dimensions [0, `count`) of `value` as one.
static Value joinLeading(OpBuilder &b, Location loc, Value value,
                         int64_t count) {
  RankedTensorType type = typeOf(value);
  if (count == 1)
    return value;
  ArrayRef<int64_t> shape = type.getShape();
  SmallVector<int64_t> joined = {llvm::product_of(shape.take_front(count))};
  llvm::append_range(joined, shape.drop_front(count));
  SmallVector<ReassociationIndices> groups;
  int64_t rest = type.getRank() - count;
  if (count == 0) { // One more element, the first.
    for (int64_t dim = 0; dim < rest; ++dim)
      groups.push_back({dim + 1});
    if (rest > 0)
      groups.front().insert(groups.front().begin(), 0);
    return tensor::ExpandShapeOp::create(b, loc, type.clone(joined), value,
                                         groups);
  }
  groups.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(0, count)));
  for (int64_t dim = 0; dim < rest; ++dim)
    groups.push_back({count + dim});
  return tensor::CollapseShapeOp::create(b, loc, type.clone(joined), value,
                                         groups);
}

static Value flatten(OpBuilder &b, Location loc, Value value) {
  return joinLeading(b, loc, value, typeOf(value).getRank());
}

/// Whether atomic operations on words combine as `rule` says.
static bool isDirect(Rule rule, Type type) {
  if (rule == Rule::last || rule == Rule::bit_xor) // MLIR lowers no atomic xor.
    return false;
  bool isSum =
      rule == Rule::add || rule == Rule::bit_and || rule == Rule::bit_or;
  return type.isInteger(32) || (type.isInteger(64) && isSum);
}

static bool isDirect(ScatterOp op, unsigned i) {
  return (op.getRule(i) == Rule::last && op.getDistinct()) ||
         isDirect(op.getRule(i), typeOf(op.getInitial()[i]).getElementType());
}

namespace {
/// Positions of several dimensions as those of one.
struct FlattenPositions : OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScatterOp op,
                                PatternRewriter &rewriter) const override;
};

/// What atomic operations cannot do becomes other operations.
struct SplitScatter : OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScatterOp op,
                                PatternRewriter &rewriter) const override;

private:
  static void scatterDirectly(ScatterOp op, ArrayRef<unsigned> which,
                              PatternRewriter &rewriter);
  static void scatterLast(ScatterOp op, ArrayRef<unsigned> which,
                          PatternRewriter &rewriter);
  static void sortUpdates(ScatterOp op, ArrayRef<unsigned> which,
                          PatternRewriter &rewriter);
};

/// Counts of pairs are ones, added up at positions.
struct ExpandHistogram2d : OpRewritePattern<Histogram2dOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(Histogram2dOp op,
                                PatternRewriter &rewriter) const override;
};

/// Rows of several elements become several elements with positions of their
/// own.
struct FlattenRows : OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScatterOp op,
                                PatternRewriter &rewriter) const override;
};
} // namespace

LogicalResult
FlattenPositions::matchAndRewrite(ScatterOp op,
                                  PatternRewriter &rewriter) const {
  int64_t rank = typeOf(op.getPositions()).getRank();
  if (rank == 1)
    return failure();
  SmallVector<Value> updates;
  for (Value update : op.getUpdates())
    updates.push_back(joinLeading(rewriter, op.getLoc(), update, rank));
  Value positions = flatten(rewriter, op.getLoc(), op.getPositions());
  rewriter.replaceOpWithNewOp<ScatterOp>(op, op.getResultTypes(), updates,
                                         positions, op.getInitial(),
                                         op.getRules());
  return success();
}

LogicalResult FlattenRows::matchAndRewrite(ScatterOp op,
                                           PatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  int64_t rows = typeOf(op.getInitial().front()).getDimSize(0);
  Value places = op.getPositions();
  bool isFlat = llvm::all_of(op.getInitial(), [](Value initial) {
    return typeOf(initial).getRank() == 1;
  });
  if (isFlat || typeOf(places).getRank() != 1)
    return failure();
  for (unsigned i = 0; i < op.getNumResults(); ++i)
    if (!isDirect(op, i))
      return failure();
  // Updates whose rows have as many elements stay together.
  llvm::MapVector<int64_t, SmallVector<unsigned>> byWidth;
  for (auto [i, initial] : llvm::enumerate(op.getInitial()))
    byWidth[typeOf(initial).getNumElements() / rows].push_back(i);
  int64_t count = typeOf(places).getNumElements();
  SmallVector<Value> replacements(op.getNumResults());
  for (auto &[width, which] : byWidth) {
    Value positions = places;
    if (width > 1) {
      auto place = [&](ScalarBuilder &s, ArrayRef<Expr> indices,
                       ArrayRef<Expr>) {
        Expr row = s.read(places, indices[0]), inside = row < rows;
        Expr first = row * width, element = first + indices[1].signedToWord();
        return select(inside, element, -1);
      };
      positions = flatten(rewriter, loc,
                          makeWords(rewriter, loc, {count, width}, {}, place));
    }
    SmallVector<Value> updates, initial;
    SmallVector<Attribute> rules;
    for (unsigned i : which) {
      updates.push_back(flatten(rewriter, loc, op.getUpdates()[i]));
      initial.push_back(flatten(rewriter, loc, op.getInitial()[i]));
      rules.push_back(op.getRules()[i]);
    }
    auto flat = ScatterOp::create(rewriter, loc, ValueRange(initial).getTypes(),
                                  updates, positions, initial,
                                  rewriter.getArrayAttr(rules));
    for (auto [i, result] : llvm::zip_equal(which, flat.getResults())) {
      RankedTensorType type = typeOf(op.getResults()[i]);
      replacements[i] = result;
      if (type.getRank() == 1)
        continue;
      ReassociationIndices all =
          llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()));
      replacements[i] = tensor::ExpandShapeOp::create(rewriter, loc, type,
                                                      result, ArrayRef{all});
    }
  }
  rewriter.replaceOp(op, replacements);
  return success();
}

void SplitScatter::scatterDirectly(ScatterOp op, ArrayRef<unsigned> which,
                                   PatternRewriter &rewriter) {
  SmallVector<Value> updates, initial;
  SmallVector<Attribute> rules;
  for (unsigned i : which) {
    updates.push_back(op.getUpdates()[i]);
    initial.push_back(op.getInitial()[i]);
    rules.push_back(op.getRules()[i]);
  }
  auto direct = ScatterOp::create(
      rewriter, op.getLoc(), ValueRange(initial).getTypes(), updates,
      op.getPositions(), initial, rewriter.getArrayAttr(rules));
  for (auto [i, result] : llvm::zip_equal(which, direct.getResults()))
    rewriter.replaceAllUsesWith(op.getResults()[i], result);
}

void SplitScatter::scatterLast(ScatterOp op, ArrayRef<unsigned> which,
                               PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  ArrayRef<int64_t> each = typeOf(op.getPositions()).getShape();
  int64_t places = typeOf(op.getInitial().front()).getDimSize(0);
  Value numbers =
      makeWords(rewriter, loc, each, {},
                [](ScalarBuilder &s, ArrayRef<Expr> indices, ArrayRef<Expr>) {
                  return indices.front().signedToWord();
                });
  Value none = arith::ConstantOp::create(
      rewriter, loc,
      DenseElementsAttr::get(
          RankedTensorType::get(places, rewriter.getI32Type()),
          rewriter.getI32IntegerAttr(-1)));
  Value last = ScatterOp::create(rewriter, loc, none.getType(), numbers,
                                 op.getPositions(), none,
                                 rewriter.getArrayAttr(RuleAttr::get(
                                     rewriter.getContext(), Rule::max)))
                   .getResult(0);
  for (unsigned i : which) {
    Value update = op.getUpdates()[i], initial = op.getInitial()[i];
    auto pick = [&](ScalarBuilder &s, ArrayRef<Expr> indices,
                    ArrayRef<Expr> elements) -> SmallVector<Value> {
      Expr number = s.read(last, indices.front());
      Expr isThere = lessSigned(-1, number);
      SmallVector<Expr> from = {maxSigned(number, 0).signedToIndex()};
      llvm::append_range(from, indices.drop_front());
      return {select(isThere, s.read(update, from), elements.front())};
    };
    RankedTensorType type = typeOf(initial);
    auto result = makeElements(rewriter, loc, type.getShape(),
                               type.getElementType(), initial, pick);
    rewriter.replaceAllUsesWith(op.getResults()[i], result.getResult(0));
  }
}

static Expr combine(Rule rule, const Expr &x, const Expr &y) {
  switch (rule) {
  case Rule::add:
    return x + y;
  case Rule::min:
    return x.isFloat() ? min(x, y) : minSigned(x, y);
  case Rule::max:
    return x.isFloat() ? max(x, y) : maxSigned(x, y);
  case Rule::minu:
    return min(x, y);
  case Rule::maxu:
    return max(x, y);
  case Rule::bit_and:
    return x & y;
  case Rule::bit_or:
    return x | y;
  case Rule::bit_xor:
    return x ^ y;
  case Rule::last:
    return y;
  }
  llvm_unreachable("there is no other rule");
}

void SplitScatter::sortUpdates(ScatterOp op, ArrayRef<unsigned> which,
                               PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  RankedTensorType words = typeOf(op.getPositions());
  int64_t places = typeOf(op.getInitial().front()).getDimSize(0);
  auto sorted =
      SortOp::create(rewriter, loc, TypeRange{words, words}, op.getPositions(),
                     ValueRange(), rewriter.getDenseBoolArrayAttr({true}),
                     rewriter.getDenseBoolArrayAttr({false}), /*numbers=*/true);
  Value starts =
      makeWords(rewriter, loc, {places + 1}, {},
                [](ScalarBuilder &s, ArrayRef<Expr> indices, ArrayRef<Expr>) {
                  return indices.front().signedToWord();
                });
  Value offsets = SearchSortedOp::create(
      rewriter, loc, starts.getType(), sorted.getSorted()[0], starts,
      /*right=*/false, /*is_unsigned=*/true, /*descending=*/false);
  for (unsigned i : which) {
    Value update = op.getUpdates()[i], initial = op.getInitial()[i];
    Value moved = GatherOp::create(rewriter, loc, update.getType(), update,
                                   sorted.getSorted()[1]);
    auto reduce = SegmentReduceOp::create(rewriter, loc, initial.getType(),
                                          moved, offsets, initial);
    Type element = typeOf(initial).getElementType();
    OpBuilder::InsertionGuard guard(rewriter);
    Block *block = rewriter.createBlock(&reduce.getCombine(), {},
                                        {element, element}, {loc, loc});
    ExprBuilder b(rewriter, loc);
    Value combined = combine(op.getRule(i), b(block->getArgument(0)),
                             b(block->getArgument(1)));
    YieldOp::create(rewriter, loc, combined);
    rewriter.replaceAllUsesWith(op.getResults()[i], reduce.getResult(0));
  }
}

LogicalResult SplitScatter::matchAndRewrite(ScatterOp op,
                                            PatternRewriter &rewriter) const {
  SmallVector<unsigned> direct, last, others;
  for (unsigned i = 0; i < op.getNumResults(); ++i)
    if (isDirect(op, i))
      direct.push_back(i);
    else
      (op.getRule(i) == Rule::last ? last : others).push_back(i);
  if (typeOf(op.getPositions()).getRank() != 1 ||
      (last.empty() && others.empty()))
    return failure();
  if (!direct.empty())
    scatterDirectly(op, direct, rewriter);
  if (!last.empty())
    scatterLast(op, last, rewriter);
  if (!others.empty())
    sortUpdates(op, others, rewriter);
  rewriter.eraseOp(op);
  return success();
}

LogicalResult
ExpandHistogram2d::matchAndRewrite(Histogram2dOp op,
                                   PatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  RankedTensorType pairs = typeOf(op.getRows()), table = typeOf(op.getCounts());
  int64_t height = table.getDimSize(0), width = table.getDimSize(1);
  auto place = [&](ScalarBuilder &, ArrayRef<Expr>, ArrayRef<Expr> pair) {
    Expr isRow = pair[0] < height, isColumn = pair[1] < width;
    Expr isInside = isRow & isColumn;
    Expr first = pair[0] * width, element = first + pair[1];
    return select(isInside, element, -1);
  };
  Value positions = makeWords(rewriter, loc, pairs.getShape(),
                              {op.getRows(), op.getColumns()}, place);
  auto splat = [&](RankedTensorType type, int32_t value) -> Value {
    return arith::ConstantOp::create(
        rewriter, loc, DenseElementsAttr::get(type, APInt(32, value)));
  };
  auto flat = RankedTensorType::get(height * width, table.getElementType());
  auto counts = ScatterOp::create(
      rewriter, loc, TypeRange{flat}, splat(pairs, 1), positions,
      splat(flat, 0),
      rewriter.getArrayAttr(RuleAttr::get(rewriter.getContext(), Rule::add)));
  rewriter.replaceOp(
      op, reshapeTo(rewriter, loc, counts.getResult(0), table.getShape()));
  return success();
}

void gpuvm::populateExpandScatterPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandHistogram2d, FlattenPositions, FlattenRows, SplitScatter>(
      patterns.getContext());
}
