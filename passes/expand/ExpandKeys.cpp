//===- ExpandKeys.cpp - equal keys found, numbered and paired -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A key of up to 64 bits is hashed to as many by a function that can be undone,
// so that equal hashes are equal keys. Hashes are spread evenly whatever the
// keys are: their leading bits are the place in a directory that says where in
// the sorted hashes to look. Longer keys are numbered first.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"
#include "passes/expand/ElementBuilder.h"
#include "passes/expand/ExpandGroups.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Entries of a directory: about one for each row of the table, and not more
/// than 2 to this power.
static constexpr unsigned kMaxDirectoryBits = 26;

static int64_t lengthOf(Value column) { return typeOf(column).getDimSize(0); }

static Value numberRows(OpBuilder &b, Location loc, int64_t count) {
  return makeWords(
      b, loc, {count}, {},
      [](ScalarBuilder &s, ArrayRef<Expr> indices, ArrayRef<Expr>) {
        return indices.front().signedToWord();
      });
}

/// The inclusive scan of a column of words by `combine`.
static Value scanWords(OpBuilder &b, Location loc, Value words,
                       function_ref<Expr(const Expr &, const Expr &)> combine) {
  auto scan = ScanOp::create(b, loc, words.getType(), words, ValueRange(),
                             Value(), /*dimension=*/0, /*reverse=*/false);
  OpBuilder::InsertionGuard guard(b);
  Type i32 = b.getI32Type();
  Block *block = b.createBlock(&scan.getCombine(), {}, {i32, i32}, {loc, loc});
  ExprBuilder e(b, loc);
  Value combined = combine(e(block->getArgument(0)), e(block->getArgument(1)));
  YieldOp::create(b, loc, combined);
  return scan.getResult(0);
}

/// Columns sorted together, ascending, and the row each element came from.
static SmallVector<Value> sortRows(OpBuilder &b, Location loc,
                                   ValueRange columns, bool isUnsigned) {
  SmallVector<Type> types(columns.getTypes());
  types.push_back(typeOf(columns.front()).clone(b.getI32Type()));
  SmallVector<bool> flags(columns.size(), isUnsigned),
      ascending(columns.size(), false);
  auto sort = SortOp::create(b, loc, types, columns, ValueRange(), flags,
                             ascending, /*numbers=*/true);
  return SmallVector<Value>(sort.getSorted());
}

//===----------------------------------------------------------------------===//
// Expand
//===----------------------------------------------------------------------===//

namespace {
struct ExpandExpand : OpRewritePattern<ExpandOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ExpandOp op,
                                PatternRewriter &rewriter) const override;
};

struct ExpandDistinct : OpRewritePattern<DistinctOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DistinctOp op,
                                PatternRewriter &rewriter) const override;
};

struct ExpandMatch : OpRewritePattern<MatchOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatchOp op,
                                PatternRewriter &rewriter) const override;
};
} // namespace

/// A place belongs to the first row that ends after it.
LogicalResult ExpandExpand::matchAndRewrite(ExpandOp op,
                                            PatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  int64_t rows = lengthOf(op.getCounts());
  Value counts =
      makeWords(rewriter, loc, {rows}, op.getCounts(),
                [](ScalarBuilder &s, ArrayRef<Expr>, ArrayRef<Expr> elements) {
                  return maxSigned(elements.front(), 0);
                });
  auto addUpToMost = [](const Expr &x, const Expr &y) {
    Expr sum = x + y;
    return select(lessSigned(sum, 0), INT32_MAX, sum);
  };
  Value ends = scanWords(rewriter, loc, counts, addUpToMost);
  Value places = numberRows(rewriter, loc, lengthOf(op.getRows()));
  Value owners = SearchSortedOp::create(
      rewriter, loc, places.getType(), ends, places, /*right=*/true,
      /*is_unsigned=*/false, /*descending=*/false);
  Value ordinals = makeWords(
      rewriter, loc, typeOf(owners).getShape(), owners,
      [&](ScalarBuilder &s, ArrayRef<Expr> indices, ArrayRef<Expr> elements) {
        const Expr &owner = elements.front();
        Expr before = maxSigned(owner - 1, 0), isAfter = lessSigned(0, owner);
        Expr end = s.read(ends, before.signedToIndex());
        Expr begin = select(isAfter, end, 0);
        return indices.front().signedToWord() - begin;
      });
  Value total =
      makeWords(rewriter, loc, {}, {},
                [&](ScalarBuilder &s, ArrayRef<Expr>, ArrayRef<Expr>) {
                  return s.read(ends, s.index(rows - 1));
                });
  rewriter.replaceOp(op, {owners, ordinals, total});
  return success();
}

//===----------------------------------------------------------------------===//
// Distinct
//===----------------------------------------------------------------------===//

/// In the order of the keys each row that differs from the one before begins
/// another number.
LogicalResult ExpandDistinct::matchAndRewrite(DistinctOp op,
                                              PatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  SmallVector<Value> sorted =
      sortRows(rewriter, loc, op.getKeys(), /*isUnsigned=*/false);
  Value order = sorted.pop_back_val();
  ArrayRef<int64_t> shape = typeOf(order).getShape();
  auto begins = [&](ScalarBuilder &s, ArrayRef<Expr> indices,
                    ArrayRef<Expr> elements) -> SmallVector<Value> {
    Expr row = indices.front().signedToWord();
    Expr before = maxSigned(row - 1, 0).signedToIndex();
    Expr begins = row == 0;
    for (auto [column, element] : llvm::zip_equal(sorted, elements))
      begins = begins | (element != s.read(column, before));
    return {begins};
  };
  Value heads =
      makeElements(rewriter, loc, shape, rewriter.getI1Type(), sorted, begins)
          .getResult(0);
  Value ones =
      makeWords(rewriter, loc, shape, heads,
                [](ScalarBuilder &s, ArrayRef<Expr>, ArrayRef<Expr> elements) {
                  return select(elements.front(), s.word(1), 0);
                });
  Value ranks = scanWords(rewriter, loc, ones,
                          [](const Expr &x, const Expr &y) { return x + y; });
  Value own =
      makeWords(rewriter, loc, shape, ranks,
                [](ScalarBuilder &s, ArrayRef<Expr>, ArrayRef<Expr> elements) {
                  return elements.front() - 1;
                });
  Value zeros = arith::ConstantOp::create(
      rewriter, loc,
      DenseElementsAttr::get(typeOf(own), rewriter.getI32IntegerAttr(0)));
  Value numbers =
      ScatterOp::create(rewriter, loc, own.getType(), own, order, zeros,
                        rewriter.getArrayAttr(
                            RuleAttr::get(rewriter.getContext(), Rule::add)))
          .getResult(0);
  auto compact = CompactOp::create(
      rewriter, loc, TypeRange{op.getRows().getType(), op.getCount().getType()},
      order, heads);
  rewriter.replaceOp(
      op, {numbers, compact.getResults().front(), compact.getCount()});
  return success();
}

//===----------------------------------------------------------------------===//
// Match
//===----------------------------------------------------------------------===//

static unsigned bitsOf(ValueRange columns) {
  unsigned bits = 0;
  for (Value column : columns)
    bits += typeOf(column).getElementType().getIntOrFloatBitWidth();
  return bits;
}

/// x ^= x >> a; x *= m; x ^= x >> b; x *= n; x ^= x >> c: each step can be
/// undone. The numbers are those of MurmurHash3's last step.
static Expr hash(Expr x) {
  auto fold = [](const Expr &value, unsigned bits) {
    return value ^ (value >> bits);
  };
  if (x.isWide()) {
    x = fold(x, 33) * 0xff51afd7ed558ccd;
    return fold(fold(x, 33) * 0xc4ceb9fe1a85ec53, 33);
  }
  x = fold(x, 16) * 0x85ebca6b;
  return fold(fold(x, 13) * 0xc2b2ae35, 16);
}

/// The hash of a key: of its elements side by side.
static Expr hashKey(Type type, ArrayRef<Expr> elements) {
  Expr key = elements.front().extend(type);
  for (const Expr &element : elements.drop_front()) {
    key = key << element.width();
    key = key | element.extend(type);
  }
  return hash(key);
}

/// Both sides' keys as numbers that are equal where the keys are.
static std::pair<Value, Value> numberKeys(OpBuilder &b, MatchOp op) {
  Location loc = op.getLoc();
  int64_t keys = lengthOf(op.getKeys().front());
  int64_t rows = lengthOf(op.getTable().front());
  SmallVector<Value> all;
  for (auto [key, column] : llvm::zip_equal(op.getKeys(), op.getTable()))
    all.push_back(tensor::ConcatOp::create(
        b, loc, typeOf(key).clone({keys + rows}), 0, ValueRange{key, column}));
  auto words = RankedTensorType::get(keys + rows, b.getI32Type());
  auto distinct = DistinctOp::create(
      b, loc, words, words, RankedTensorType::get({}, b.getI32Type()), all);
  auto slice = [&](int64_t begin, int64_t count) -> Value {
    return tensor::ExtractSliceOp::create(
        b, loc, words.clone({count}), distinct.getNumbers(), ValueRange(),
        ValueRange(), ValueRange(), ArrayRef{begin}, ArrayRef{count},
        ArrayRef<int64_t>{1});
  };
  return {slice(0, keys), slice(keys, rows)};
}

LogicalResult ExpandMatch::matchAndRewrite(MatchOp op,
                                           PatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  SmallVector<Value> keys(op.getKeys()), table(op.getTable());
  if (bitsOf(table) > 64) {
    auto [own, theirs] = numberKeys(rewriter, op);
    keys = {own};
    table = {theirs};
  }
  Type type = rewriter.getIntegerType(bitsOf(table) > 32 ? 64 : 32);
  unsigned width = type.getIntOrFloatBitWidth();
  auto hashOf = [&](ScalarBuilder &s, ArrayRef<Expr>,
                    ArrayRef<Expr> elements) -> SmallVector<Value> {
    return {hashKey(type, elements)};
  };
  int64_t rows = lengthOf(table.front());
  Value hashes =
      makeElements(rewriter, loc, {rows}, type, table, hashOf).getResult(0);
  SmallVector<Value> sorted =
      sortRows(rewriter, loc, hashes, /*isUnsigned=*/true);
  unsigned bits =
      std::clamp<unsigned>(llvm::Log2_64_Ceil(rows), 1, kMaxDirectoryBits);
  auto firstHash = [&](ScalarBuilder &s, ArrayRef<Expr> indices,
                       ArrayRef<Expr>) -> SmallVector<Value> {
    return {indices.front().signedToWord().extend(type) << (width - bits)};
  };
  int64_t entries = int64_t(1) << bits;
  Value firsts =
      makeElements(rewriter, loc, {entries}, type, {}, firstHash).getResult(0);
  Value directory = SearchSortedOp::create(
      rewriter, loc, RankedTensorType::get(entries, rewriter.getI32Type()),
      sorted[0], firsts, /*right=*/false, /*is_unsigned=*/true,
      /*descending=*/false);
  auto find = [&](ScalarBuilder &s, ArrayRef<Expr>,
                  ArrayRef<Expr> elements) -> SmallVector<Value> {
    Expr own = hashKey(type, elements), top = own >> (width - bits);
    Expr entry = top.truncate(s.ir().getI32Type()).signedToIndex();
    Expr next = entry + 1, isLast = next == entries;
    Expr begin = s.read(directory, entry).signedToIndex();
    Expr end = s.read(directory, select(isLast, entry, next)).signedToIndex();
    end = select(isLast, rows, end);
    auto isBelow = [&](ScalarBuilder &inside, const Expr &at) {
      return inside.read(sorted[0], at) < own;
    };
    auto isNotAbove = [&](ScalarBuilder &inside, const Expr &at) {
      return inside.read(sorted[0], at) <= own;
    };
    Expr first = s.search(begin, end, isBelow);
    Expr last = s.search(first, end, isNotAbove);
    return {first.signedToWord(), (last - first).signedToWord()};
  };
  Type i32 = rewriter.getI32Type();
  auto found = makeElements(rewriter, loc, typeOf(keys.front()).getShape(),
                            {i32, i32}, keys, find);
  rewriter.replaceOp(op,
                     {found.getResult(0), found.getResult(1), sorted.back()});
  return success();
}

void gpuvm::populateExpandKeysPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandExpand, ExpandDistinct, ExpandMatch>(
      patterns.getContext());
}
