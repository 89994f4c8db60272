//===- ElementPieces.cpp - elements that come from one of several places --===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Concatenation, padding and inserted slices. An element is looked up in all
// pieces, at the place next to it that the piece has, and one is selected.
// Rows that are picked on the device: an element is looked up in the row that
// another tensor names.
//
//===----------------------------------------------------------------------===//

#include "kernels/elements/ElementEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

static ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

/// Neighbouring lanes may find their elements in different tensors, so each
/// lane is emitted alone.
FailureOr<Lanes> ElementEmitter::emitEachLane(
    Point at, function_ref<FailureOr<Value>(ArrayRef<LaneIndex>)> emitOne) {
  SmallVector<LaneIndex> indices(indicesOf(at));
  int64_t count = now.lanes;
  Lanes elements;
  for (int64_t lane = 0; lane < count; ++lane) {
    SmallVector<LaneIndex> own;
    for (LaneIndex index : indices)
      own.push_back(laneIndex(index, lane));
    Scope all = exchange(Scope());
    FailureOr<Value> element = emitOne(own);
    (void)exchange(std::move(all));
    if (failed(element))
      return failure();
    elements.push_back(*element);
  }
  return elements;
}

/// One element, in a scope of one lane.
FailureOr<Value> ElementEmitter::emitAt(Value tensor,
                                        ArrayRef<LaneIndex> indices) {
  FailureOr<Lanes> elements = emit(tensor, point(indices, shapeOf(tensor)));
  if (failed(elements))
    return failure();
  return elements->front();
}

namespace {
/// Where an index lies in a piece of a dimension.
struct PieceIndex {
  LaneIndex own;        ///< From the piece's start, kept inside the piece.
  Value inside;         ///< Whether it was there; null if it always is.
  bool isNever = false; ///< It never is; `own` is nothing.
};
} // namespace

/// `index` in the piece [offset, offset + size). What its bounds already say is
/// not tested.
static PieceIndex within(KernelBuilder &k, LaneIndex index, int64_t offset,
                         int64_t size) {
  bool isBounded = index.high < LaneIndex::kUnbounded;
  if (isBounded && (index.high < offset || index.low >= offset + size))
    return {index, Value(), /*isNever=*/true};
  PieceIndex piece = {index, Value()};
  LaneIndex &own = piece.own;
  bool testsLow = !isBounded || index.low < offset;
  bool testsHigh = !isBounded || index.high >= offset + size;
  if (testsLow) {
    Value below = k(own.base) < offset;
    own.base = arith::SelectOp::create(k.ir(), k.loc(), below, k.index(offset),
                                       own.base);
  }
  if (testsHigh)
    own.base = min(k(own.base), offset + size - 1);
  if (testsLow || testsHigh)
    piece.inside = k(own.base) == index.base;
  own.base = k(own.base) + -offset;
  own.low = isBounded ? std::max<int64_t>(index.low - offset, 0) : 0;
  own.high = isBounded ? std::min(index.high - offset, size - 1) : size - 1;
  own.divisor = 1;
  if (own.anchor)
    own.anchor->offset -= offset;
  return piece;
}

/// `a` and `b`; a null one is true.
static Value both(KernelBuilder &k, Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return arith::AndIOp::create(k.ir(), k.loc(), a, b);
}

FailureOr<Value> ElementEmitter::emitConcat(tensor::ConcatOp op,
                                            ArrayRef<LaneIndex> indices) {
  int64_t offset = 0;
  Value result;
  for (Value input : op.getInputs()) {
    int64_t size = shapeOf(input)[op.getDim()];
    PieceIndex piece = within(kernel, indices[op.getDim()], offset, size);
    offset += size;
    if (piece.isNever)
      continue;
    SmallVector<LaneIndex> place(indices);
    place[op.getDim()] = piece.own;
    FailureOr<Value> element = emitAt(input, place);
    if (failed(element) || !piece.inside)
      return element;
    result = result ? arith::SelectOp::create(kernel.ir(), kernel.loc(),
                                              piece.inside, *element, result)
                    : *element;
  }
  return result;
}

FailureOr<Value> ElementEmitter::emitPad(tensor::PadOp op,
                                         ArrayRef<LaneIndex> indices) {
  OpBuilder &b = kernel.ir();
  Value padding =
      b.clone(*op.getConstantPaddingValue().getDefiningOp())->getResult(0);
  SmallVector<LaneIndex> place;
  Value isInside;
  for (auto [index, low, size] :
       llvm::zip_equal(indices, op.getStaticLow(), shapeOf(op.getSource()))) {
    PieceIndex piece = within(kernel, index, low, size);
    if (piece.isNever)
      return padding;
    place.push_back(piece.own);
    isInside = both(kernel, isInside, piece.inside);
  }
  FailureOr<Value> element = emitAt(op.getSource(), place);
  if (failed(element) || !isInside)
    return element;
  return Value(
      arith::SelectOp::create(b, kernel.loc(), isInside, *element, padding));
}

FailureOr<Value> ElementEmitter::emitInsertSlice(tensor::InsertSliceOp op,
                                                 ArrayRef<LaneIndex> indices) {
  OpBuilder &b = kernel.ir();
  FailureOr<Value> around = emitAt(op.getDest(), indices);
  if (failed(around))
    return around;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<LaneIndex> place;
  Value isInside;
  for (auto [dim, index, offset, size, stride] :
       llvm::enumerate(indices, op.getStaticOffsets(), op.getStaticSizes(),
                       op.getStaticStrides())) {
    int64_t extent = (size - 1) * stride + 1;
    PieceIndex piece = within(kernel, index, offset, extent);
    if (piece.isNever)
      return around;
    LaneIndex own = piece.own;
    Value inside = piece.inside;
    if (stride != 1) {
      inside = both(kernel, inside, kernel(own.base) % stride == 0);
      own = {kernel(own.base) / stride, 0, 1, 0, size - 1};
    }
    if (!dropped.test(dim))
      place.push_back(own);
    isInside = both(kernel, isInside, inside);
  }
  FailureOr<Value> element = emitAt(op.getSource(), place);
  if (failed(element) || !isInside)
    return element;
  return Value(
      arith::SelectOp::create(b, kernel.loc(), isInside, *element, *around));
}

/// Which row of the source a number is: always one that there is.
LaneIndex ElementEmitter::rowNumber(GatherOp op, Value row) {
  OpBuilder &b = kernel.ir();
  int64_t last = shapeOf(op.getSource()).front() - 1;
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, kernel.loc(),
                                     b.getI32IntegerAttr(value));
  };
  row = arith::MaxSIOp::create(b, kernel.loc(), row, number(0));
  row = arith::MinSIOp::create(b, kernel.loc(), row, number(last));
  Value index =
      arith::IndexCastOp::create(b, kernel.loc(), b.getIndexType(), row);
  return {index, 0, 1, 0, last};
}

/// Lanes inside one row read neighbours of the source; others pick each a row.
FailureOr<Lanes> ElementEmitter::emitGather(GatherOp op, Point at) {
  ArrayRef<int64_t> rowsShape = shapeOf(op.getRows());
  auto placeIn = [&](LaneIndex row, ArrayRef<LaneIndex> indices) {
    SmallVector<LaneIndex> place = {row};
    llvm::append_range(place, indices.drop_front(rowsShape.size()));
    return place;
  };
  SmallVector<LaneIndex> indices(indicesOf(at));
  auto which = ArrayRef(indices).take_front(rowsShape.size());
  if (llvm::all_of(which, [](const LaneIndex &i) { return i.stride == 0; })) {
    FailureOr<Lanes> row = emit(op.getRows(), point(which, rowsShape));
    if (failed(row))
      return failure();
    SmallVector<LaneIndex> place =
        placeIn(rowNumber(op, row->front()), indices);
    return emit(op.getSource(), point(place, shapeOf(op.getSource())));
  }
  return emitEachLane(at, [&](ArrayRef<LaneIndex> own) -> FailureOr<Value> {
    FailureOr<Value> row =
        emitAt(op.getRows(), own.take_front(rowsShape.size()));
    if (failed(row))
      return failure();
    return emitAt(op.getSource(), placeIn(rowNumber(op, *row), own));
  });
}
