//===- ExpandSort.cpp - sorts as steps of one dispatch each ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short rows are sorted by one workgroup each, longer ones in runs that are
// merged, and long ones in radix passes. What is narrow moves with its key;
// else numbers of elements move, and the rest is gathered by them.
//
//===----------------------------------------------------------------------===//

#include "passes/expand/ExpandSort.h"
#include "passes/expand/ElementBuilder.h"

#include "dialects/gpuvm/Gpuvm.h"
#include "dialects/gpuvm/Target.h"
#include "kernels/sort/SortLayout.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Runs that are merged at once.
static constexpr int64_t kMaxRuns = 16;
/// Elements beyond which a merge of more than a few runs costs more than the
/// radix passes, whose dispatches are more.
static constexpr int64_t kMaxMerged = 1 << 17;
static constexpr int64_t kFewRuns = 4;
/// What moves with a key.
static constexpr int64_t kMaxMovedBytes = 8;

//===----------------------------------------------------------------------===//
// Numbers of elements
//===----------------------------------------------------------------------===//

/// The place of each element along its row.
static Value numberElements(OpBuilder &b, Location loc, RankedTensorType like) {
  return makeWords(b, loc, like.getShape(), {},
                   [](ScalarBuilder &, ArrayRef<Expr> at, ArrayRef<Expr>) {
                     return at.back().signedToWord();
                   });
}

/// Of each row of `source` the elements with these places.
static Value gatherAlong(OpBuilder &b, Location loc, Value source,
                         Value places) {
  RankedTensorType type = typeOf(source);
  Value numbers = places, flat = source;
  if (type.getRank() > 1) {
    auto numberOf = [&](ScalarBuilder &, ArrayRef<Expr> indices,
                        ArrayRef<Expr> place) {
      SmallVector<Expr> at;
      for (const Expr &index : indices)
        at.push_back(index.signedToWord());
      Expr row = at.front();
      for (int64_t dim = 1; dim < type.getRank() - 1; ++dim)
        row = row * type.getDimSize(dim) + at[dim];
      return row * type.getShape().back() + place.front();
    };
    numbers = makeWords(b, loc, type.getShape(), places, numberOf);
    ReassociationIndices all =
        llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()));
    auto flatType =
        RankedTensorType::get(type.getNumElements(), type.getElementType());
    flat = tensor::CollapseShapeOp::create(b, loc, flatType, source,
                                           ArrayRef{all});
  }
  return GatherOp::create(b, loc, type, flat, numbers);
}

//===----------------------------------------------------------------------===//
// One key
//===----------------------------------------------------------------------===//

/// The number of a digit, from the heap: as a constant it would be part of the
/// kernel's code, and each pass a kernel of its own. Each number has a window.
static Value loadDigit(OpBuilder &b, Location loc, int64_t number) {
  constexpr StringLiteral kSymbol = "sort_digits";
  constexpr int64_t kMaxDigits = 8;
  constexpr int64_t kWords = kWindowAlignment / sizeof(int32_t);
  auto program =
      b.getInsertionBlock()->getParent()->getParentOfType<ProgramOp>();
  auto type = RankedTensorType::get({kMaxDigits, kWords}, b.getI32Type());
  SmallVector<int32_t> words;
  for (int32_t digit = 0; digit < kMaxDigits; ++digit)
    words.append(kWords, digit);
  ElementsAttr value = DenseIntElementsAttr::get(type, words);
  auto isDigits = [&](HeapOp heap) {
    return getSymbolInfo(heap).initial == value &&
           heap.getSymName().starts_with(kSymbol);
  };
  auto heaps =
      llvm::make_filter_range(program.getBody().getOps<HeapOp>(), isDigits);
  StringAttr name;
  if (heaps.begin() != heaps.end()) {
    name = (*heaps.begin()).getSymNameAttr();
  } else {
    SymbolTable symbols(program);
    OpBuilder outside = OpBuilder::atBlockBegin(&program.getBody().front());
    auto heap =
        HeapOp::create(outside, loc, kSymbol, type, value, StringAttr(),
                       WindowAttr(), /*shared=*/false, FlatSymbolRefAttr());
    name = symbols.insert(heap);
  }
  return LoadOp::create(b, loc,
                        RankedTensorType::get({1, kWords}, b.getI32Type()),
                        name.getValue(), b.getI64IntegerAttr(number));
}

namespace {
/// Sorts by one key with these flags.
struct KeySorter {
  OpBuilder &b;
  Location loc;
  bool isUnsigned, descends;

  UnitAttr flag(bool set) const { return set ? b.getUnitAttr() : UnitAttr(); }
  TargetAttr target() const {
    return getMainTarget(b.getInsertionBlock()->getParentOp());
  }

  /// Each run of the rows, or the first `keep` elements of it.
  SmallVector<Value> sortRuns(ArrayRef<Value> moved, int64_t run,
                              int64_t keep = 0) const {
    SmallVector<Type> types;
    for (Value value : moved) {
      SmallVector<int64_t> shape(typeOf(value).getShape());
      if (keep)
        shape.back() = llvm::divideCeil(shape.back(), run) * keep;
      types.push_back(typeOf(value).clone(shape));
    }
    return SortRunsOp::create(b, loc, types, moved.front(), moved.drop_front(),
                              b.getI64IntegerAttr(run),
                              keep ? b.getI64IntegerAttr(keep) : IntegerAttr(),
                              flag(isUnsigned), flag(descends))
        .getSorted();
  }

  SmallVector<Value> mergeRuns(ArrayRef<Value> moved, int64_t run) const {
    return MergeRunsOp::create(b, loc, ValueRange(moved).getTypes(),
                               moved.front(), moved.drop_front(),
                               b.getI64IntegerAttr(run), flag(isUnsigned),
                               flag(descends))
        .getSorted();
  }

  SmallVector<Value> sortDigits(ArrayRef<Value> moved) const;
  /// The key and its payloads in the order of the key.
  SmallVector<Value> sort(ArrayRef<Value> moved) const;
};
} // namespace

SmallVector<Value> KeySorter::sortDigits(ArrayRef<Value> moved) const {
  RankedTensorType type = typeOf(moved.front());
  int64_t chunk = chooseChunk(type.getShape().back(), target());
  SmallVector<int64_t> shape(type.getShape().drop_back());
  shape.push_back(
      llvm::alignTo(llvm::divideCeil(type.getShape().back(), chunk), 8));
  shape.push_back(SortLayout::kDigits);
  auto offsetsType = RankedTensorType::get(shape, b.getI32Type());
  SmallVector<Value> now(moved);
  int64_t digits = elementBytes(type.getElementType());
  for (int64_t number = 0; number < digits; ++number) {
    Value digit = loadDigit(b, loc, number);
    Value offsets = CountDigitsOp::create(b, loc, offsetsType, now.front(),
                                          digit, b.getI64IntegerAttr(chunk),
                                          flag(isUnsigned), flag(descends));
    now = ScatterDigitsOp::create(
              b, loc, ValueRange(now).getTypes(), now.front(), offsets, digit,
              ArrayRef(now).drop_front(), b.getI64IntegerAttr(chunk),
              flag(isUnsigned), flag(descends))
              .getSorted();
  }
  return now;
}

SmallVector<Value> KeySorter::sort(ArrayRef<Value> moved) const {
  RankedTensorType type = typeOf(moved.front());
  int64_t length = type.getShape().back(), run = SortLayout::kMaxTile;
  if (length == 1)
    return SmallVector<Value>(moved);
  if (length <= run)
    return sortRuns(moved, length);
  int64_t count = type.getNumElements();
  int64_t runs = llvm::divideCeil(length, run);
  if (runs > kMaxRuns || (runs > kFewRuns && count > kMaxMerged))
    return sortDigits(moved);
  if (int64_t(llvm::divideCeil(count, run)) < target().getBusyGroups() / 2)
    run = llvm::alignTo(llvm::divideCeil(length, kMaxRuns), 32);
  return mergeRuns(sortRuns(moved, run), run);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
struct ExpandSort : OpRewritePattern<SortOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SortOp op,
                                PatternRewriter &rewriter) const override;

private:
  static KeySorter sorterOf(SortOp op, OpBuilder &b, size_t key) {
    return {b, op.getLoc(), op.getUnsignedKeys()[key], op.getDescending()[key]};
  }
  static bool movesAll(SortOp op);
  static void moveAll(SortOp op, PatternRewriter &rewriter);
  static void moveNumbers(SortOp op, PatternRewriter &rewriter);
};

struct ExpandTopK : OpRewritePattern<TopKOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TopKOp op,
                                PatternRewriter &rewriter) const override;
};
} // namespace

/// Whether all that is asked for is narrow enough to move with the only key.
bool ExpandSort::movesAll(SortOp op) {
  int64_t bytes = 0;
  for (Value result : op.getSorted().drop_front())
    if (!result.use_empty())
      bytes += elementBytes(typeOf(result).getElementType());
  return op.getKeys().size() == 1 && bytes <= kMaxMovedBytes;
}

void ExpandSort::moveAll(SortOp op, PatternRewriter &rewriter) {
  SmallVector<Value> moved = {op.getKeys().front()};
  SmallVector<Value> results = {op.getSorted().front()};
  for (auto [i, result] : llvm::enumerate(op.getSorted())) {
    if (i == 0 || result.use_empty())
      continue;
    results.push_back(result);
    moved.push_back(
        i < op->getNumOperands()
            ? op->getOperand(i)
            : numberElements(rewriter, op.getLoc(), typeOf(moved.front())));
  }
  for (auto [result, sorted] :
       llvm::zip_equal(results, sorterOf(op, rewriter, 0).sort(moved)))
    rewriter.replaceAllUsesWith(result, sorted);
}

/// Sorts numbers of elements, by the last key first.
void ExpandSort::moveNumbers(SortOp op, PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value numbers, first;
  for (size_t i = op.getKeys().size(); i-- > 0;) {
    Value key = op.getKeys()[i];
    if (numbers)
      key = gatherAlong(rewriter, loc, key, numbers);
    else
      numbers = numberElements(rewriter, loc, typeOf(key));
    SmallVector<Value> sorted = sorterOf(op, rewriter, i).sort({key, numbers});
    first = sorted[0];
    numbers = sorted[1];
  }
  rewriter.replaceAllUsesWith(op.getSorted().front(), first);
  for (auto [i, result] : llvm::enumerate(op.getSorted())) {
    if (i == 0 || result.use_empty())
      continue;
    bool isNumbers = i >= op->getNumOperands();
    rewriter.replaceAllUsesWith(
        result, isNumbers
                    ? numbers
                    : gatherAlong(rewriter, loc, op->getOperand(i), numbers));
  }
}

LogicalResult ExpandSort::matchAndRewrite(SortOp op,
                                          PatternRewriter &rewriter) const {
  if (movesAll(op))
    moveAll(op, rewriter);
  else
    moveNumbers(op, rewriter);
  rewriter.eraseOp(op);
  return success();
}

/// The first elements of each run, of these, and so on, until one run is left.
/// Elements that are equal stay in order, and what fills up a short run comes
/// after all of them.
LogicalResult ExpandTopK::matchAndRewrite(TopKOp op,
                                          PatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  int64_t kept = typeOf(op.getValues()).getShape().back();
  KeySorter sorter = {rewriter, loc, op.getIsUnsigned(), !op.getSmallest()};
  SmallVector<Value> moved = {
      op.getInput(), numberElements(rewriter, loc, typeOf(op.getInput()))};
  int64_t length = typeOf(op.getInput()).getShape().back();
  while (length > SortLayout::kMaxTile) {
    moved = sorter.sortRuns(moved, SortLayout::kMaxTile, kept);
    length = typeOf(moved.front()).getShape().back();
  }
  rewriter.replaceOp(op, sorter.sortRuns(moved, length, kept));
  return success();
}

void gpuvm::populateExpandSortPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandSort, ExpandTopK>(patterns.getContext());
}
