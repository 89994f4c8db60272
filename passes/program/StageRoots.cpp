//===- StageRoots.cpp - scans, sorts, groups and joins of a rank ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that know nothing of each other are those of a block. Where all of an
// axis that is cut is combined, each rank combines its own part, and a small
// exchange puts the parts together.
//
//===----------------------------------------------------------------------===//

#include "passes/program/StageCutter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Rows that know nothing of each other
//===----------------------------------------------------------------------===//

namespace {
/// How the operands and results of an operation are cut.
struct RowCut {
  SmallVector<Axis> operands, results;
};
using AxisOf = function_ref<Axis(Value)>;
} // namespace

/// All along one axis that is not `except`, the one that rows are along.
static std::optional<RowCut> cutAll(Operation *op, AxisOf axisOf,
                                    int64_t except) {
  for (Value operand : op->getOperands())
    if (Axis axis = axisOf(operand); axis && *axis != except)
      return RowCut{SmallVector<Axis>(op->getNumOperands(), axis),
                    SmallVector<Axis>(op->getNumResults(), axis)};
  return std::nullopt;
}

static std::optional<RowCut> cutRows(SortOp op, AxisOf axisOf) {
  return cutAll(op, axisOf, typeOf(op.getKeys()[0]).getRank() - 1);
}

static std::optional<RowCut> cutRows(TopKOp op, AxisOf axisOf) {
  return cutAll(op, axisOf, typeOf(op.getInput()).getRank() - 1);
}

/// Whether a scan rounds nothing, so that its order cannot be seen.
static bool isOfIntegers(ScanOp op) {
  return llvm::all_of(op.getInputs(), [](Value input) {
    return isa<IntegerType>(typeOf(input).getElementType());
  });
}

static std::optional<RowCut> cutRows(ScanOp op, AxisOf axisOf) {
  std::optional<RowCut> cut =
      isOfIntegers(op)
          ? cutAll(op, axisOf, static_cast<int64_t>(op.getDimension()))
          : std::nullopt;
  if (cut)
    for (auto [axis, operand] :
         llvm::zip_equal(cut->operands, op.getOperands()))
      if (typeOf(operand).getRank() == 0) // An initial value.
        axis = std::nullopt;
  return cut;
}

/// Queries of a table that all have.
static std::optional<RowCut> cutRows(SearchSortedOp op, AxisOf axisOf) {
  Axis axis = axisOf(op.getQueries());
  return axis ? std::optional(RowCut{{std::nullopt, axis}, {axis}})
              : std::nullopt;
}

/// Keys, of which each finds its rows in a table that all have.
static std::optional<RowCut> cutRows(MatchOp op, AxisOf axisOf) {
  if (!llvm::any_of(op.getKeys(), [&](Value key) { return axisOf(key); }))
    return std::nullopt;
  RowCut cut;
  cut.operands.assign(op.getKeys().size(), 0);
  cut.operands.append(op.getTable().size(), std::nullopt);
  cut.results = {0, 0, std::nullopt};
  return cut;
}

/// Rows of a table that all have, or parts of rows.
static std::optional<RowCut> cutRows(GatherOp op, AxisOf axisOf) {
  if (Axis axis = axisOf(op.getRows()))
    return RowCut{{std::nullopt, axis}, {axis}};
  Axis axis = axisOf(op.getSource());
  if (!axis || *axis == 0)
    return std::nullopt;
  return RowCut{{axis, std::nullopt},
                {*axis - 1 + typeOf(op.getRows()).getRank()}};
}

static std::optional<RowCut> cutRowsOf(Operation &op, AxisOf axisOf) {
  return TypeSwitch<Operation *, std::optional<RowCut>>(&op)
      .Case<SortOp, TopKOp, ScanOp, SearchSortedOp, MatchOp, GatherOp>(
          [&](auto root) { return cutRows(root, axisOf); })
      .Default([](Operation *) { return std::nullopt; });
}

/// What the regions of `op` take from around it, in this stage.
IRMapping StageCutter::mapCaptures(Operation &op) {
  IRMapping mapping;
  SetVector<Value> captures;
  getUsedValuesDefinedAbove(op.getRegions(), captures);
  for (Value value : captures)
    mapping.map(value, wholeHere(value));
  return mapping;
}

/// Computes rows of the block, if `op` computes rows that know nothing of each
/// other.
bool StageCutter::placeApart(Operation &op) {
  std::optional<RowCut> cut =
      cutRowsOf(op, [&](Value value) { return axisOf(value); });
  if (!cut)
    return false;
  for (auto [operand, axis] : llvm::zip_equal(op.getOperands(), cut->operands))
    if (axisOf(operand) != axis)
      needWhole(operand);
  SmallVector<Value> operands;
  for (auto [operand, axis] : llvm::zip_equal(op.getOperands(), cut->operands))
    operands.push_back(axis ? blockHere(operand, *axis) : wholeHere(operand));
  IRMapping constants = mapCaptures(op);
  Operation *copy = b.clone(op, constants);
  copy->setOperands(operands);
  for (auto [result, now, axis] :
       llvm::zip_equal(op.getResults(), copy->getResults(), cut->results)) {
    if (axis)
      now.setType(all.blockOf(typeOf(result), *axis));
    define(result, now, axis);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Parts that are combined
//===----------------------------------------------------------------------===//

/// What a rank begins with, so that the initial value counts once. `isLeft`
/// says whether it is still to be added at the end.
SmallVector<Value> StageCutter::beginParts(ValueRange inits,
                                           ArrayRef<Rule> rules,
                                           SmallVectorImpl<bool> &isLeft) {
  SmallVector<Value> begins;
  for (auto [init, rule] : llvm::zip_equal(inits, rules)) {
    Value whole = wholeHere(init);
    bool adds = rule == Rule::add || rule == Rule::bit_xor;
    bool isZero =
        matchPattern(init, m_Zero()) || matchPattern(init, m_PosZeroFloat());
    isLeft.push_back(adds && !isZero);
    begins.push_back(isLeft.back()
                         ? arith::ConstantOp::create(
                               b, init.getLoc(), b.getZeroAttr(typeOf(init)))
                         : whole);
  }
  return begins;
}

static Value addInitial(OpBuilder &b, Location loc, Rule rule, Value initial,
                        Value sum) {
  if (rule != Rule::add)
    return arith::XOrIOp::create(b, loc, initial, sum);
  if (isa<FloatType>(cast<RankedTensorType>(sum.getType()).getElementType()))
    return arith::AddFOp::create(b, loc, initial, sum);
  return arith::AddIOp::create(b, loc, initial, sum);
}

/// Combines what ranks have of the results of `op`.
void StageCutter::combineParts(Operation *op, ValueRange parts,
                               ValueRange inits, ArrayRef<Rule> rules,
                               ArrayRef<bool> isLeft) {
  SmallVector<Value> sent(op->getResults());
  for (auto [result, now] : llvm::zip_equal(op->getResults(), parts))
    define(result, now, std::nullopt);
  for (auto [init, left] : llvm::zip_equal(inits, isLeft))
    if (left && inside.count(init))
      sent.push_back(init);
  done.insert(op);
  close(sent);
  for (auto [result, rule] : llvm::zip_equal(op->getResults(), rules))
    all.define(result,
               AllReduceOp::create(all.builder(), op->getLoc(), typeOf(result),
                                   all.lookup(result), rule),
               std::nullopt);
  for (auto [result, init, rule, left] :
       llvm::zip_equal(op->getResults(), inits, rules, isLeft)) {
    if (!left)
      continue;
    Value sum = here(result), first = wholeHere(init);
    Location loc = op->getLoc();
    inside[result] = addInitial(b, loc, rule, first, sum);
  }
}

/// Each rank puts its updates where they belong, if it has a block of them and
/// any order has the same bits.
bool StageCutter::placeScatter(ScatterOp op) {
  Axis axis = axisOf(op.getPositions());
  for (Value update : op.getUpdates())
    if (!axis)
      axis = axisOf(update);
  if (!axis || *axis >= typeOf(op.getPositions()).getRank())
    return false;
  SmallVector<Rule> rules;
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Type element = typeOf(result).getElementType();
    Rule rule = op.getRule(i);
    bool rounds = rule == Rule::add && !isa<IntegerType>(element);
    if (rule == Rule::last || rounds || !canCombine(rule, element))
      return false;
    rules.push_back(rule);
  }
  llvm::for_each(op.getInitial(), [&](Value value) { needWhole(value); });
  SmallVector<Value> rows(op.getUpdates());
  rows.push_back(op.getPositions());
  for (Value value : rows)
    if (axisOf(value) != axis)
      needWhole(value);
  SmallVector<Value> operands;
  for (Value value : rows)
    operands.push_back(blockHere(value, *axis));
  SmallVector<bool> isLeft;
  llvm::append_range(operands, beginParts(op.getInitial(), rules, isLeft));
  Operation *copy = b.clone(*op);
  copy->setOperands(operands);
  combineParts(op, copy->getResults(), op.getInitial(), rules, isLeft);
  return true;
}

/// Each rank counts its pairs.
bool StageCutter::placeHistogram(Histogram2dOp op) {
  Axis axis = axisOf(op.getRows());
  if (!axis)
    axis = axisOf(op.getColumns());
  if (!axis)
    return false;
  for (Value value : op.getOperands())
    if (axisOf(value) != axis)
      needWhole(value);
  Value rows = blockHere(op.getRows(), *axis),
        columns = blockHere(op.getColumns(), *axis);
  Operation *copy = b.clone(*op);
  copy->setOperands({rows, columns});
  Value none; // No initial value.
  combineParts(op, copy->getResults(), none, Rule::add, false);
  return true;
}

/// Of each element of `values` what `compute` makes of it.
static Value
mapElements(OpBuilder &b, Location loc, Value values, Type element,
            function_ref<Value(OpBuilder &, Location, Value)> compute) {
  auto type = cast<RankedTensorType>(values.getType());
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(b, loc, type.getShape(), element);
  return linalg::GenericOp::create(
             b, loc, empty.getType(), values, empty, maps, iterators,
             [&](OpBuilder &nested, Location at, ValueRange elements) {
               linalg::YieldOp::create(nested, at,
                                       compute(nested, at, elements.front()));
             })
      .getResult(0);
}

/// Numbers of elements of the block, as those of the whole axis.
Value StageCutter::numbersInWhole(Value numbers, int64_t block) {
  Value own = getRank();
  return mapElements(
      b, numbers.getLoc(), numbers, b.getI32Type(),
      [&](OpBuilder &nested, Location at, Value number) -> Value {
        Value mine = tensor::ExtractOp::create(nested, at, own, ValueRange());
        Value rows = arith::ConstantOp::create(
            nested, at, nested.getI32IntegerAttr(static_cast<int32_t>(block)));
        Value begin = arith::MulIOp::create(nested, at, mine, rows);
        return arith::AddIOp::create(nested, at, begin, number);
      });
}

/// What all ranks have computed, one part along `axis` after the other.
SmallVector<Value> StageCutter::gatherParts(ArrayRef<Value> parts, int64_t axis,
                                            Location loc) {
  SmallVector<Value> gathered;
  for (Value message : close({}, parts)) {
    RankedTensorType each = payloadType(message.getType());
    gathered.push_back(argument(AllGatherOp::create(
        all.builder(), loc,
        withRows(each, axis, each.getDimSize(axis) * all.getRanks()), message,
        axis)));
  }
  return gathered;
}

/// Each rank sorts its block, and all merge the blocks of all, neighbours
/// first: they are in the order of ranks, so that equal keys stay in theirs.
bool StageCutter::placeSort(SortOp op) {
  RankedTensorType type = typeOf(op.getKeys().front());
  int64_t axis = type.getRank() - 1;
  auto isAlong = [&](Value value) { return axisOf(value) == axis; };
  if (op.getKeys().size() != 1 || !llvm::any_of(op.getOperands(), isAlong))
    return false;
  for (Value operand : op.getOperands())
    if (!isAlong(operand))
      needWhole(operand);
  Location loc = op.getLoc();
  int64_t block = type.getDimSize(axis) / all.getRanks();
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(blockHere(operand, axis));
  auto own = cast<SortOp>(b.clone(*op));
  own->setOperands(operands);
  for (OpResult result : own->getResults())
    result.setType(all.blockOf(typeOf(result), axis));
  SmallVector<Value> parts(own.getSorted());
  if (op.getNumbers())
    parts.back() = numbersInWhole(parts.back(), block);
  done.insert(op);
  SmallVector<Value> gathered = gatherParts(parts, axis, loc);
  SmallVector<SmallVector<Value>> runs; // What moves together, in order.
  for (int64_t i = 0; i < all.getRanks(); ++i)
    runs.push_back(llvm::map_to_vector(gathered, [&](Value whole) {
      return sliceRows(b, loc, whole, axis, b.getIndexAttr(i * block), block);
    }));
  auto merge = [&](ArrayRef<Value> first, ArrayRef<Value> second) {
    auto types = llvm::map_to_vector(
        llvm::zip_equal(first, second), [&](auto pair) -> Type {
          auto [earlier, later] = pair;
          return withRows(typeOf(earlier), axis,
                          typeOf(earlier).getDimSize(axis) +
                              typeOf(later).getDimSize(axis));
        });
    auto both = MergeOp::create(b, loc, types, first.front(), second.front(),
                                first.drop_front(), second.drop_front(),
                                op.getUnsignedKeys().front(),
                                op.getDescending().front());
    return SmallVector<Value>(both.getMerged());
  };
  while (runs.size() > 1) {
    SmallVector<SmallVector<Value>> longer;
    for (size_t i = 0; i + 1 < runs.size(); i += 2)
      longer.push_back(merge(runs[i], runs[i + 1]));
    if (runs.size() % 2)
      longer.push_back(runs.back());
    runs = std::move(longer);
  }
  for (auto [result, whole] : llvm::zip_equal(op.getSorted(), runs.front()))
    define(result, whole, std::nullopt);
  return true;
}

/// Each rank picks from its block, and all pick from what all have picked,
/// which is in the order of ranks, as it was.
bool StageCutter::placeTopK(TopKOp op) {
  RankedTensorType type = typeOf(op.getInput()), kept = typeOf(op.getValues());
  int64_t axis = type.getRank() - 1,
          block = type.getDimSize(axis) / all.getRanks();
  if (axisOf(op.getInput()) != axis || kept.getDimSize(axis) > block)
    return false;
  Location loc = op.getLoc();
  auto own = cast<TopKOp>(b.clone(*op));
  own->setOperands(blockHere(op.getInput(), axis));
  Value numbers = numbersInWhole(own.getNumbers(), block);
  done.insert(op);
  SmallVector<Value> gathered =
      gatherParts({own.getValues(), numbers}, axis, loc);
  auto last = cast<TopKOp>(b.clone(*op));
  last->setOperands(gathered.front());
  Value table = gathered.back();
  Value found =
      mapElements(b, loc, last.getNumbers(), b.getI32Type(),
                  [&](OpBuilder &nested, Location at, Value number) -> Value {
                    SmallVector<Value> place;
                    for (int64_t i = 0; i < axis; ++i)
                      place.push_back(linalg::IndexOp::create(nested, at, i));
                    place.push_back(arith::IndexCastOp::create(
                        nested, at, nested.getIndexType(), number));
                    return tensor::ExtractOp::create(nested, at, table, place);
                  });
  define(op.getValues(), last.getValues(), std::nullopt);
  define(op.getNumbers(), found, std::nullopt);
  return true;
}

//===----------------------------------------------------------------------===//
// Scans along the axis that is cut
//===----------------------------------------------------------------------===//

/// One row of `value` along `axis`, which the result has not.
static Value rowOf(OpBuilder &b, Location loc, Value value, int64_t axis,
                   Value row) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  auto own = sliceRows(b, loc, value, axis, row, 1)
                 .getDefiningOp<tensor::ExtractSliceOp>();
  own.getResult().setType(RankedTensorType::get(shape, type.getElementType()));
  return own;
}

/// Of all inputs together, `before` combined with each element of `blocks` in
/// its row, but on the rank before which there is nothing.
static SmallVector<Value> combineBefore(OpBuilder &b, ScanOp op,
                                        const IRMapping &captures,
                                        ArrayRef<Value> before,
                                        ArrayRef<Value> blocks, Value rank,
                                        int64_t firstRank) {
  Location loc = op.getLoc();
  size_t count = blocks.size();
  int64_t axis = static_cast<int64_t>(op.getDimension());
  auto type = cast<RankedTensorType>(blocks.front().getType());
  AffineMap all = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<AffineMap> maps(count, all.dropResult(axis));
  maps.append(2 * count, all);
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  SmallVector<Value> inputs(before), empty;
  llvm::append_range(inputs, blocks);
  SmallVector<Type> types;
  for (Value block : blocks) {
    auto each = cast<RankedTensorType>(block.getType());
    types.push_back(each);
    empty.push_back(tensor::EmptyOp::create(b, loc, each.getShape(),
                                            each.getElementType()));
  }
  auto combine = [&](OpBuilder &nested, Location at, ValueRange elements) {
    Block &region = op.getCombine().front();
    IRMapping mapping = captures;
    for (auto [argument, element] : llvm::zip(region.getArguments(), elements))
      mapping.map(argument, element);
    for (Operation &inner : region.without_terminator())
      nested.clone(inner, mapping);
    Value number = tensor::ExtractOp::create(nested, at, rank, ValueRange());
    Value first = arith::ConstantOp::create(
        nested, at, nested.getI32IntegerAttr(static_cast<int32_t>(firstRank)));
    Value isFirst = arith::CmpIOp::create(nested, at, arith::CmpIPredicate::eq,
                                          number, first);
    SmallVector<Value> results;
    for (auto [i, value] :
         llvm::enumerate(region.getTerminator()->getOperands()))
      results.push_back(
          arith::SelectOp::create(nested, at, isFirst, elements[count + i],
                                  mapping.lookupOrDefault(value)));
    linalg::YieldOp::create(nested, at, results);
  };
  auto generic = linalg::GenericOp::create(b, loc, types, inputs, empty, maps,
                                           iterators, combine);
  return SmallVector<Value>(generic.getResults());
}

/// Each rank scans its block, then all that came before it is known: ranks
/// exchange their last rows, and scan these.
bool StageCutter::placeScan(ScanOp op) {
  int64_t axis = static_cast<int64_t>(op.getDimension());
  auto isAlong = [&](Value input) { return axisOf(input) == axis; };
  if (!isOfIntegers(op) || !op.getInitial().empty() || op.getSegments() ||
      !llvm::any_of(op.getInputs(), isAlong))
    return false;
  for (Value input : op.getInputs())
    if (!isAlong(input))
      needWhole(input);
  Location loc = op.getLoc();
  SmallVector<Value> blocks;
  SmallVector<Type> types;
  for (Value input : op.getInputs()) {
    blocks.push_back(blockHere(input, axis));
    types.push_back(blocks.back().getType());
  }
  auto scan = [&](ValueRange inputs) {
    IRMapping constants = mapCaptures(*op);
    Operation *copy = b.clone(*op, constants);
    copy->setOperands(inputs);
    for (auto [result, input] : llvm::zip_equal(copy->getResults(), inputs))
      result.setType(input.getType());
    return SmallVector<Value>(copy->getResults());
  };
  SmallVector<Value> scanned = scan(blocks), lasts;
  int64_t block = cast<RankedTensorType>(types.front()).getDimSize(axis);
  int64_t last = op.getReverse() ? 0 : block - 1;
  SmallVector<Value> sent(scanned);
  for (Value each : scanned)
    sent.push_back(sliceRows(b, loc, each, axis, b.getIndexAttr(last), 1));
  done.insert(op);
  SmallVector<Value> messages = close({}, sent);
  for (Value message : ArrayRef(messages).drop_front(scanned.size())) {
    RankedTensorType row = payloadType(message.getType());
    lasts.push_back(AllGatherOp::create(all.builder(), loc,
                                        withRows(row, axis, all.getRanks()),
                                        message, axis));
  }
  SmallVector<Value> ranks, before;
  for (Value each : lasts)
    ranks.push_back(argument(each));
  Value rank = getRank();
  Value number = tensor::ExtractOp::create(b, loc, rank, ValueRange());
  Value index = arith::IndexCastOp::create(b, loc, b.getIndexType(), number);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value near;
  if (op.getReverse()) {
    Value most = arith::ConstantIndexOp::create(b, loc, all.getRanks() - 1);
    Value next = arith::AddIOp::create(b, loc, index, one);
    near = arith::MinSIOp::create(b, loc, next, most);
  } else {
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value next = arith::SubIOp::create(b, loc, index, one);
    near = arith::MaxSIOp::create(b, loc, next, zero);
  }
  for (Value each : scan(ranks))
    before.push_back(rowOf(b, loc, each, axis, near));
  SmallVector<Value> own;
  for (Value each : ArrayRef(messages).take_front(scanned.size()))
    own.push_back(argument(each));
  SmallVector<Value> results =
      combineBefore(b, op, mapCaptures(*op), before, own, rank,
                    op.getReverse() ? all.getRanks() - 1 : 0);
  for (auto [result, now] : llvm::zip_equal(op.getResults(), results))
    define(result, now, axis);
  return true;
}

bool StageCutter::placeRoot(Operation &op) {
  if (placeApart(op))
    return true;
  return TypeSwitch<Operation *, bool>(&op)
      .Case([&](ScanOp scan) { return placeScan(scan); })
      .Case([&](ScatterOp scatter) { return placeScatter(scatter); })
      .Case([&](Histogram2dOp counts) { return placeHistogram(counts); })
      .Case([&](TopKOp largest) { return placeTopK(largest); })
      .Case([&](SortOp sort) { return placeSort(sort); })
      .Default([](Operation *) { return false; });
}
