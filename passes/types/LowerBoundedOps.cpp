//===- LowerBoundedOps.cpp - operations on bounded tensors ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/types/BoundLowering.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::gpuvm;

static ArrayRef<int64_t> shapeInMemory(Value rows) {
  return withAllRows(cast<RankedTensorType>(rows.getType())).getShape();
}

//===----------------------------------------------------------------------===//
// Rows past the count
//===----------------------------------------------------------------------===//

Expr BoundLowering::isInside(ScalarBuilder &s, const Expr &row,
                             StringAttr symbol) {
  Expr number = row.signedToWord();
  return lessSigned(number, s.read(counts.lookup(symbol), {}));
}

/// The rows of a bounded value, and something else past its count.
Value BoundLowering::select(Value rows, StringAttr symbol,
                            OtherwiseFn otherwise) {
  auto choose = [&](ScalarBuilder &s, ArrayRef<Expr> indices,
                    ArrayRef<Expr> elements) -> SmallVector<Value> {
    Expr isThere = isInside(s, indices.front(), symbol);
    return {gpuvm::select(isThere, elements.front(), otherwise(s))};
  };
  return makeElements(b, rows.getLoc(), shapeInMemory(rows),
                      getElementTypeOrSelf(rows), rows, choose)
      .getResult(0);
}

/// Past the count there shall be `element`.
void BoundLowering::hide(OpOperand &rows, StringAttr symbol,
                         TypedAttr element) {
  rows.set(select(rows.get(), symbol,
                  [&](ScalarBuilder &s) { return s.constant(element); }));
}

void BoundLowering::hide(OpOperand &rows, StringAttr symbol, int64_t element) {
  Type type = getElementTypeOrSelf(rows.get());
  hide(rows, symbol, b.getIntegerAttr(type, element));
}

/// 1 for each row past the count, as i8.
Value BoundLowering::isBehind(Location loc, ArrayRef<int64_t> shape,
                              StringAttr symbol) {
  Type i8 = b.getI8Type();
  auto flag = [&](ScalarBuilder &s, ArrayRef<Expr> indices,
                  ArrayRef<Expr>) -> SmallVector<Value> {
    Expr isThere = isInside(s, indices.front(), symbol);
    return {gpuvm::select(isThere, s.constant(i8, 0), 1)};
  };
  return makeElements(b, loc, shape, i8, {}, flag).getResult(0);
}

/// Other readers of `words`, a result, read instead what `build` computes of
/// inputs and of that result.
void BoundLowering::replaceWords(OpResult words, ValueRange inputs,
                                 WordFn build) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(words.getOwner());
  Value made =
      makeWords(b, words.getLoc(), shapeInMemory(words), inputs,
                [&](ScalarBuilder &s, ArrayRef<Expr>, ArrayRef<Expr> elements) {
                  return build(s, elements);
                });
  made.setType(words.getType());
  if (StringAttr symbol = symbolOf.lookup(words))
    symbolOf[made] = symbol;
  words.replaceAllUsesExcept(made, made.getDefiningOp());
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

LogicalResult BoundLowering::lowerBounded(BoundedOp op) {
  int64_t bound = cast<RankedTensorType>(op.getData().getType()).getDimSize(0);
  // Several values may have the rows of one count.
  StringAttr symbol;
  if (auto known = op.getCount().getDefiningOp<CountOp>()) {
    symbol = symbolOf.lookup(known.getSource());
    auto control = symbols.lookup<ControlOp>(symbol.getValue());
    if (static_cast<int64_t>(*control.getBound()) != bound)
      return op.emitOpError("has ")
             << bound << " rows at most, but @" << symbol.getValue() << " "
             << *control.getBound();
  }
  for (BoundedOp other : bounded)
    if (other.getCount() == op.getCount() &&
        other.getData().getType().getDimSize(0) == bound)
      symbol = symbolOf.lookup(other.getResult());
  if (!symbol)
    symbol = makeSymbol(op.getLoc(), op.getCount(), bound);
  symbolOf[op.getResult()] = symbol;
  bounded.push_back(op);
  return success();
}

/// Only `gpuvm.bounded` still asks for it: by that it knows its symbol.
void BoundLowering::lowerCount(CountOp op) {
  Value count = counts.lookup(symbolOf.lookup(op.getSource()));
  op.getCount().replaceUsesWithIf(
      count, [](OpOperand &use) { return !isa<BoundedOp>(use.getOwner()); });
}

void BoundLowering::lowerFilled(FilledOp op) {
  Value filled =
      select(op.getSource(), symbolOf.lookup(op.getSource()),
             [&](ScalarBuilder &s) { return s.read(op.getElement(), {}); });
  op.replaceAllUsesWith(filled);
  op.erase();
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// An element that no other comes after, as gpuvm.sort sorts.
static TypedAttr lastElement(Type type, bool isUnsigned, bool descends) {
  if (auto number = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = number.getFloatSemantics();
    return FloatAttr::get(type, descends ? APFloat::getInf(semantics, true)
                                         : APFloat::getQNaN(semantics));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  if (isUnsigned || width == 1)
    return IntegerAttr::get(type, descends ? APInt::getZero(width)
                                           : APInt::getAllOnes(width));
  return IntegerAttr::get(type, descends ? APInt::getSignedMinValue(width)
                                         : APInt::getSignedMaxValue(width));
}

static LogicalResult checkOneDimension(Operation *op, Value rows) {
  if (shapeInMemory(rows).size() == 1)
    return success();
  return op->emitOpError("sorts rows whose number only the device knows by "
                         "their last dimension; sort one dimension");
}

/// Rows past the count come after all others.
LogicalResult BoundLowering::lowerSort(SortOp op) {
  FailureOr<StringAttr> symbol = symbolFor(op, op.getOperands());
  Value first = op.getKeys().front();
  if (failed(symbol) || failed(checkOneDimension(op, first)))
    return failure();
  Value behind = isBehind(op.getLoc(), shapeInMemory(first), *symbol);
  SmallVector<Value> keys = {behind};
  llvm::append_range(keys, op.getKeys());
  SmallVector<Type> types = {behind.getType()};
  llvm::append_range(types, op.getResultTypes());
  SmallVector<bool> isUnsigned = {true}, descends = {false};
  llvm::append_range(isUnsigned, op.getUnsignedKeys());
  llvm::append_range(descends, op.getDescending());
  auto sorted = SortOp::create(b, op.getLoc(), types, keys, op.getPayloads(),
                               isUnsigned, descends, op.getNumbers());
  setSymbol(sorted, *symbol);
  op.replaceAllUsesWith(sorted->getResults().drop_front());
  op.erase();
  return success();
}

/// The element for rows past the count sorts after all existing ones, also
/// after those that are equal to it.
LogicalResult BoundLowering::lowerTopK(TopKOp op) {
  if (failed(checkOneDimension(op, op.getInput())))
    return failure();
  StringAttr symbol = symbolOf.lookup(op.getInput());
  hide(op.getInputMutable(), symbol,
       lastElement(getElementTypeOrSelf(op.getInput()), op.getIsUnsigned(),
                   !op.getSmallest()));
  int64_t most = shapeInMemory(op.getValues()).front();
  Value count = clamp(op.getLoc(), counts.lookup(symbol), most);
  setSymbol(op, makeSymbol(op.getLoc(), count, most));
  return success();
}

/// The element for the rest of a table sorts after all existing ones.
LogicalResult BoundLowering::lowerSearch(SearchSortedOp op) {
  if (failed(lowerRows(op, op.getQueries())))
    return failure();
  StringAttr symbol = symbolOf.lookup(op.getTable());
  if (!symbol)
    return success();
  hide(op.getTableMutable(), symbol,
       lastElement(getElementTypeOrSelf(op.getTable()), op.getIsUnsigned(),
                   op.getDescending()));
  OpResult result = op->getResult(0);
  replaceWords(result, result, [&](ScalarBuilder &s, ArrayRef<Expr> place) {
    return minSigned(place.front(), s.read(counts.lookup(symbol), {}));
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// Rows past the count share a key that sorts after all others.
LogicalResult BoundLowering::lowerDistinct(DistinctOp op) {
  if (failed(lowerRows(op, op.getKeys())))
    return failure();
  StringAttr symbol = symbolOf.lookup(op.getNumbers());
  ArrayRef<int64_t> shape = shapeInMemory(op.getNumbers());
  for (OpOperand &key : op->getOpOperands())
    hide(key, symbol, 0);
  op->insertOperands(0, isBehind(op.getLoc(), shape, symbol));
  OpResult count = op->getOpResult(2);
  replaceWords(count, count, [&](ScalarBuilder &s, ArrayRef<Expr> all) {
    Expr last = s.word(shape.front() - 1);
    Expr isFull = lessSigned(last, s.read(counts.lookup(symbol), {}));
    return all.front() - gpuvm::select(isFull, s.word(0), 1);
  });
  return success();
}

/// Of the rows with one key those that are there come first: their numbers
/// ascend.
LogicalResult BoundLowering::lowerMatch(MatchOp op) {
  FailureOr<StringAttr> table = symbolFor(op, op.getTable());
  if (failed(table) || failed(lowerRows(op, op.getKeys())))
    return failure();
  if (!*table)
    return success();
  auto countOfThose = [&](ScalarBuilder &s, ArrayRef<Expr> range) {
    Expr begin = range[0].signedToIndex();
    Expr end = begin + range[1].signedToIndex();
    Expr rows = s.read(counts.lookup(*table), {});
    auto isThere = [&](ScalarBuilder &inside, const Expr &place) {
      return lessSigned(inside.read(op.getOrder(), place), rows);
    };
    return s.search(begin, end, isThere).signedToWord() - range[0];
  };
  replaceWords(op->getResult(1), {op.getFirst(), op.getCounts()}, countOfThose);
  return success();
}

//===----------------------------------------------------------------------===//
// All operations
//===----------------------------------------------------------------------===//

/// Results have as many rows as these operands.
LogicalResult BoundLowering::lowerRows(Operation *op, ValueRange rows) {
  FailureOr<StringAttr> symbol = symbolFor(op, rows);
  if (failed(symbol))
    return failure();
  setSymbol(op, *symbol);
  return success();
}

/// The same, and `operand`, if it is bounded, has `element` past its count.
LogicalResult BoundLowering::lowerHidden(OpOperand &operand, ValueRange rows,
                                         int64_t element) {
  if (failed(lowerRows(operand.getOwner(), rows)))
    return failure();
  if (StringAttr symbol = symbolOf.lookup(operand.get()))
    hide(operand, symbol, element);
  return success();
}

LogicalResult BoundLowering::lowerSegments(SegmentReduceOp op) {
  FailureOr<StringAttr> symbol = symbolFor(op, op.getInputs());
  if (failed(symbol))
    return failure();
  auto atMost = [&](ScalarBuilder &s, ArrayRef<Expr>, ArrayRef<Expr> offset) {
    return minSigned(offset.front(), s.read(counts.lookup(*symbol), {}));
  };
  Value offsets = op.getOffsets();
  op.getOffsetsMutable().assign(
      makeWords(b, op.getLoc(), shapeInMemory(offsets), offsets, atMost));
  return success();
}

LogicalResult BoundLowering::lower(Operation *op) {
  b.setInsertionPoint(op);
  if (auto made = dyn_cast<BoundedOp>(op))
    return lowerBounded(made);
  if (isa<LoadOp>(op)) // takeMessages() knows its count.
    return success();
  if (!llvm::any_of(op->getOperands(), isBoundedValue)) {
    if (llvm::any_of(op->getResults(), isBoundedValue))
      return op->emitOpError("makes rows whose number nobody says");
    return success();
  }
  auto refuse = [&] {
    return op->emitOpError("cannot work on rows whose number only the device "
                           "knows; gpuvm.filled makes a tensor of all rows");
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([](SendOp) { return success(); }) // Payloads have their own counts.
      .Case([&](CountOp count) { return lowerCount(count), success(); })
      .Case([&](FilledOp filled) { return lowerFilled(filled), success(); })
      .Case([&](linalg::LinalgOp linalg) { return lowerLinalg(linalg); })
      .Case([&](SortOp sort) { return lowerSort(sort); })
      .Case([&](TopKOp top) { return lowerTopK(top); })
      .Case([&](SearchSortedOp search) { return lowerSearch(search); })
      .Case([&](DistinctOp distinct) { return lowerDistinct(distinct); })
      .Case([&](MatchOp match) { return lowerMatch(match); })
      .Case([&](GatherOp gather) { return lowerRows(op, gather.getRows()); })
      .Case([&](SegmentReduceOp reduce) { return lowerSegments(reduce); })
      .Case([&](CompactOp compact) {
        return lowerHidden(compact.getKeepMutable(), op->getOperands(), 0);
      })
      .Case([&](ExpandOp expand) {
        return lowerHidden(expand.getCountsMutable(), op->getOperands(), 0);
      })
      .Case([&](ScatterOp scatter) {
        return lowerHidden(scatter.getPositionsMutable(), op->getOperands(),
                           -1);
      })
      .Case([&](ScanOp scan) {
        bool seesBehind = scan.getReverse() || scan.getDimension() != 0;
        return seesBehind ? refuse() : lowerRows(op, op->getOperands());
      })
      .Default([&](Operation *) {
        return op->hasTrait<OpTrait::Elementwise>()
                   ? lowerRows(op, op->getOperands())
                   : refuse();
      });
}
