//===- ExpandSegments.cpp - segments as loops over tables -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A segment is combined by one lane, which also computes the elements that it
// combines; pieces of long segments have one each before.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"
#include "dialects/gpuvm/ScalarBody.h"
#include "dialects/gpuvm/Segments.h"
#include "passes/expand/ElementBuilder.h"
#include "passes/expand/ExpandGroups.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
/// Makes the operations that one `gpuvm.segment_reduce` becomes.
class SegmentExpander {
public:
  SegmentExpander(SegmentReduceOp op, OpBuilder &b)
      : op(op), b(b), loc(op.getLoc()),
        shape(typeOf(op.getInputs().front()).getShape()),
        segments(typeOf(op.getOffsets()).getDimSize(0) - 1),
        piece(rowsPerPiece(shape.front())) {
    for (Value input : op.getInputs())
      elements.push_back(typeOf(input).getElementType());
  }
  SmallVector<Value> run();

private:
  using Values = SmallVector<Value>;

  std::pair<Expr, Expr> rangeOf(ScalarBuilder &s, const Expr &segment);
  Values readAll(ScalarBuilder &s, ValueRange tables, const Expr &row,
                 ArrayRef<Expr> indices);
  Values fold(ScalarBuilder &s, ValueRange tables, const Expr &begin,
              const Expr &end, ValueRange start, ArrayRef<Expr> indices);
  Values combine(ScalarBuilder &s, ValueRange a, ValueRange b);
  Values initialOf(ScalarBuilder &s, ArrayRef<Expr> indices);
  /// The pieces of so many rows.
  Expr countPieces(const Expr &rows) { return (rows + (piece - 1)) / piece; }
  void makePieces();

  SegmentReduceOp op;
  OpBuilder &b;
  Location loc;
  SmallVector<int64_t> shape; ///< Of the inputs.
  int64_t segments, piece;
  SmallVector<Type> elements;
  Value ends;      ///< Of the pieces of long segments, by segment.
  Values partials; ///< Of these pieces.
};
} // namespace

/// The rows of a segment, as words.
std::pair<Expr, Expr> SegmentExpander::rangeOf(ScalarBuilder &s,
                                               const Expr &segment) {
  auto clamped = [&](const Expr &at) {
    return minSigned(maxSigned(s.read(op.getOffsets(), at), 0), shape.front());
  };
  Expr begin = clamped(segment);
  return {begin, maxSigned(begin, clamped(segment + 1))};
}

/// Row `row` at the place `indices`, of which the first one counts something
/// else.
SegmentExpander::Values SegmentExpander::readAll(ScalarBuilder &s,
                                                 ValueRange tables,
                                                 const Expr &row,
                                                 ArrayRef<Expr> indices) {
  SmallVector<Expr> at = {row};
  llvm::append_range(at, indices.drop_front());
  Values values;
  for (Value table : tables)
    values.push_back(s.read(table, at));
  return values;
}

SegmentExpander::Values SegmentExpander::combine(ScalarBuilder &s, ValueRange x,
                                                 ValueRange y) {
  Values arguments(x);
  llvm::append_range(arguments, y);
  return s.inlineBlock(op.getCombine().front(), arguments);
}

/// `start` combined with rows `begin` to `end` - 1, words.
SegmentExpander::Values SegmentExpander::fold(ScalarBuilder &s,
                                              ValueRange tables,
                                              const Expr &begin,
                                              const Expr &end, ValueRange start,
                                              ArrayRef<Expr> indices) {
  auto step = [&](ScalarBuilder &inside, const Expr &row, ValueRange now) {
    return combine(inside, now, readAll(inside, tables, row, indices));
  };
  Expr first = begin.signedToIndex();
  return s.loop(first, end.signedToIndex(), start, step);
}

SegmentExpander::Values SegmentExpander::initialOf(ScalarBuilder &s,
                                                   ArrayRef<Expr> indices) {
  Values values;
  for (Value initial : op.getInitial()) {
    bool isScalar = typeOf(initial).getRank() == 0;
    values.push_back(s.read(initial, isScalar ? ArrayRef<Expr>() : indices));
  }
  return values;
}

static SmallVector<Value> selectAll(const Expr &condition, ValueRange x,
                                    ValueRange y) {
  SmallVector<Value> chosen;
  for (auto [a, b] : llvm::zip_equal(x, y))
    chosen.push_back(select(condition, a, b));
  return chosen;
}

/// Pieces of long segments: where those of each segment end, and what is in
/// each of them. There are less than two full ones for each piece's rows.
void SegmentExpander::makePieces() {
  Value counts =
      makeWords(b, loc, {segments}, {},
                [&](ScalarBuilder &s, ArrayRef<Expr> indices, ArrayRef<Expr>) {
                  auto [begin, end] = rangeOf(s, indices.front());
                  Expr rows = end - begin, pieces = countPieces(rows);
                  return select(lessSigned(piece, rows), pieces, 0);
                });
  auto scan = ScanOp::create(b, loc, counts.getType(), counts, ValueRange(),
                             Value(), /*dimension=*/0, /*reverse=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    Type i32 = b.getI32Type();
    Block *block =
        b.createBlock(&scan.getCombine(), {}, {i32, i32}, {loc, loc});
    Expr before = ExprBuilder(b, loc)(block->getArgument(0));
    YieldOp::create(b, loc, Value(before + block->getArgument(1)));
  }
  ends = scan.getResult(0);
  int64_t count = 2 * llvm::divideCeil(shape.front(), piece);
  Value numbers =
      makeWords(b, loc, {count}, {},
                [](ScalarBuilder &s, ArrayRef<Expr> indices, ArrayRef<Expr>) {
                  return indices.front().signedToWord();
                });
  Value owners = SearchSortedOp::create(b, loc, numbers.getType(), ends,
                                        numbers, /*right=*/true,
                                        /*is_unsigned=*/false,
                                        /*descending=*/false);
  SmallVector<int64_t> pieceShape(shape);
  pieceShape.front() = count;
  auto makePiece = [&](ScalarBuilder &s, ArrayRef<Expr> indices,
                       ArrayRef<Expr>) {
    Expr number = indices.front().signedToWord();
    Expr owner = s.read(owners, indices.front());
    Expr isThere = lessSigned(owner, segments);
    Expr segment = minSigned(owner, segments - 1).signedToIndex();
    auto [begin, end] = rangeOf(s, segment);
    // Its pieces end with the last one: that begins where the rest does.
    Expr later = s.read(ends, segment) - number;
    Expr pieces = countPieces(end - begin);
    Expr first = select(isThere, begin + (pieces - later) * piece, 0);
    Expr last = select(isThere, minSigned(first + piece, end), 0);
    Values start = readAll(s, op.getInputs(), first.signedToIndex(), indices);
    return fold(s, op.getInputs(), first + 1, last, start, indices);
  };
  auto made = makeElements(b, loc, pieceShape, elements, {}, makePiece);
  made->setAttr(kReadsTablesOnceAttr, b.getUnitAttr());
  llvm::append_range(partials, made.getResults());
}

SmallVector<Value> SegmentExpander::run() {
  bool hasPieces = shape.front() > piece;
  if (hasPieces)
    makePieces();
  SmallVector<int64_t> resultShape(shape);
  resultShape.front() = segments;
  auto reduce = [&](ScalarBuilder &s, ArrayRef<Expr> indices, ArrayRef<Expr>) {
    const Expr &segment = indices.front();
    auto [begin, end] = rangeOf(s, segment);
    Expr rows = end - begin, isLong = lessSigned(piece, rows);
    Values initial = initialOf(s, indices);
    Expr stop = hasPieces ? select(isLong, begin, end) : end;
    Expr some = minSigned(begin, shape.front() - 1);
    Values result = readAll(s, op.getInputs(), some.signedToIndex(), indices);
    result = fold(s, op.getInputs(), begin + 1, stop, result, indices);
    Expr isEmpty = lessSigned(rows, 1);
    result = selectAll(isEmpty, initial, combine(s, initial, result));
    if (!hasPieces)
      return result;
    Expr last = s.read(ends, segment), pieces = countPieces(rows);
    Expr first = select(isLong, last - pieces, last);
    Values folded = fold(s, partials, first, last, initial, indices);
    return selectAll(isLong, folded, result);
  };
  auto made = makeElements(b, loc, resultShape, elements, {}, reduce);
  made->setAttr(kReadsTablesOnceAttr, b.getUnitAttr());
  return Values(made.getResults());
}

namespace {
struct ExpandSegmentReduce : OpRewritePattern<SegmentReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SegmentReduceOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, SegmentExpander(op, rewriter).run());
    return success();
  }
};
} // namespace

void gpuvm::populateExpandSegmentsPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandSegmentReduce>(patterns.getContext());
}
