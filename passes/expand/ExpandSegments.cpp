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

  std::pair<Value, Value> rangeOf(ScalarBuilder &s, Value segment);
  Values place(Value row, ArrayRef<Value> indices);
  Values readAll(ScalarBuilder &s, ValueRange tables, Value row,
                 ArrayRef<Value> indices);
  Values fold(ScalarBuilder &s, ValueRange tables, Value begin, Value end,
              ValueRange start, ArrayRef<Value> indices);
  Values combine(ScalarBuilder &s, ValueRange a, ValueRange b);
  Values initialOf(ScalarBuilder &s, ArrayRef<Value> indices);
  void makePieces();
  Values select(ScalarBuilder &s, Value condition, ValueRange a, ValueRange b);

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
std::pair<Value, Value> SegmentExpander::rangeOf(ScalarBuilder &s,
                                                 Value segment) {
  auto clamped = [&](Value at) {
    Value offset = s.read(op.getOffsets(), at);
    return s.min(s.max(offset, s.word(0)), s.word(shape.front()));
  };
  Value begin = clamped(segment);
  return {begin, s.max(begin, clamped(s.add(segment, s.index(1))))};
}

/// Indices of row `row` at the place `indices`, of which the first one counts
/// something else.
SegmentExpander::Values SegmentExpander::place(Value row,
                                               ArrayRef<Value> indices) {
  Values at = {row};
  llvm::append_range(at, indices.drop_front());
  return at;
}

SegmentExpander::Values SegmentExpander::readAll(ScalarBuilder &s,
                                                 ValueRange tables, Value row,
                                                 ArrayRef<Value> indices) {
  return llvm::map_to_vector(
      tables, [&](Value table) { return s.read(table, place(row, indices)); });
}

SegmentExpander::Values SegmentExpander::combine(ScalarBuilder &s, ValueRange x,
                                                 ValueRange y) {
  Values arguments(x);
  llvm::append_range(arguments, y);
  return s.inlineBlock(op.getCombine().front(), arguments);
}

/// `start` combined with rows `begin` to `end` - 1, words.
SegmentExpander::Values SegmentExpander::fold(ScalarBuilder &s,
                                              ValueRange tables, Value begin,
                                              Value end, ValueRange start,
                                              ArrayRef<Value> indices) {
  auto step = [&](ScalarBuilder &inside, Value row, ValueRange now) {
    return combine(inside, now, readAll(inside, tables, row, indices));
  };
  return s.loop(s.toIndex(begin), s.toIndex(end), start, step);
}

SegmentExpander::Values SegmentExpander::initialOf(ScalarBuilder &s,
                                                   ArrayRef<Value> indices) {
  return llvm::map_to_vector(op.getInitial(), [&](Value initial) {
    bool isScalar = typeOf(initial).getRank() == 0;
    return s.read(initial, isScalar ? ArrayRef<Value>() : indices);
  });
}

SegmentExpander::Values SegmentExpander::select(ScalarBuilder &s,
                                                Value condition, ValueRange x,
                                                ValueRange y) {
  Values chosen;
  for (auto [a, b] : llvm::zip_equal(x, y))
    chosen.push_back(s.select(condition, a, b));
  return chosen;
}

/// Pieces of long segments: where those of each segment end, and what is in
/// each of them. There are less than two full ones for each piece's rows.
void SegmentExpander::makePieces() {
  Value counts = makeWords(
      b, loc, {segments}, {},
      [&](ScalarBuilder &s, ArrayRef<Value> indices, ValueRange) {
        auto [begin, end] = rangeOf(s, indices.front());
        Value rows = s.sub(end, begin);
        Value pieces = s.div(s.add(rows, s.word(piece - 1)), s.word(piece));
        return s.select(s.less(s.word(piece), rows), pieces, s.word(0));
      });
  auto scan = ScanOp::create(b, loc, counts.getType(), counts, ValueRange(),
                             Value(), /*dimension=*/0, /*reverse=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    Type i32 = b.getI32Type();
    Block *block =
        b.createBlock(&scan.getCombine(), {}, {i32, i32}, {loc, loc});
    ScalarBuilder s(b, loc);
    YieldOp::create(b, loc,
                    s.add(block->getArgument(0), block->getArgument(1)));
  }
  ends = scan.getResult(0);
  int64_t count = 2 * llvm::divideCeil(shape.front(), piece);
  Value numbers =
      makeWords(b, loc, {count}, {},
                [](ScalarBuilder &s, ArrayRef<Value> indices, ValueRange) {
                  return s.toWord(indices.front());
                });
  Value owners = SearchSortedOp::create(b, loc, numbers.getType(), ends,
                                        numbers, /*right=*/true,
                                        /*is_unsigned=*/false,
                                        /*descending=*/false);
  SmallVector<int64_t> pieceShape(shape);
  pieceShape.front() = count;
  auto makePiece = [&](ScalarBuilder &s, ArrayRef<Value> indices, ValueRange) {
    Value number = s.toWord(indices.front());
    Value owner = s.read(owners, indices.front());
    Value isThere = s.less(owner, s.word(segments));
    Value segment = s.toIndex(s.min(owner, s.word(segments - 1)));
    auto [begin, end] = rangeOf(s, segment);
    // Its pieces end with the last one: that begins where the rest does.
    Value behind = s.sub(s.read(ends, segment), number);
    Value pieces =
        s.div(s.add(s.sub(end, begin), s.word(piece - 1)), s.word(piece));
    Value first = s.add(begin, s.mul(s.sub(pieces, behind), s.word(piece)));
    first = s.select(isThere, first, s.word(0));
    Value last =
        s.select(isThere, s.min(s.add(first, s.word(piece)), end), s.word(0));
    Values start = readAll(s, op.getInputs(), s.toIndex(first), indices);
    return fold(s, op.getInputs(), s.add(first, s.word(1)), last, start,
                indices);
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
  auto reduce = [&](ScalarBuilder &s, ArrayRef<Value> indices, ValueRange) {
    Value segment = indices.front();
    auto [begin, end] = rangeOf(s, segment);
    Value rows = s.sub(end, begin);
    Value isLong = s.less(s.word(piece), rows);
    Values initial = initialOf(s, indices);
    Value stop = hasPieces ? s.select(isLong, begin, end) : end;
    Value some = s.min(begin, s.word(shape.front() - 1));
    Values result = readAll(s, op.getInputs(), s.toIndex(some), indices);
    result =
        fold(s, op.getInputs(), s.add(begin, s.word(1)), stop, result, indices);
    Value isEmpty = s.less(rows, s.word(1));
    result = select(s, isEmpty, initial, combine(s, initial, result));
    if (!hasPieces)
      return result;
    Value last = s.read(ends, segment);
    Value pieces = s.div(s.add(rows, s.word(piece - 1)), s.word(piece));
    Value first = s.select(isLong, s.sub(last, pieces), last);
    Values folded = fold(s, partials, first, last, initial, indices);
    return select(s, isLong, folded, result);
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
