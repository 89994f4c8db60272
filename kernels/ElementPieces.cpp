//===- ElementPieces.cpp - elements that come from one of several places --===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Concatenation, padding and inserted slices. An element is looked up in all
// pieces, at the place next to it that the piece has, and one is selected.
//
//===----------------------------------------------------------------------===//

#include "kernels/ElementEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

static ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

/// Neighbouring lanes may find their elements in different tensors, so each
/// lane is emitted alone.
FailureOr<Lanes> ElementEmitter::emitEachLane(
    Point at, function_ref<FailureOr<Value>(ArrayRef<Value>)> emitOne) {
  SmallVector<LaneIndex> indices(indicesOf(at));
  int64_t count = now.lanes;
  Lanes elements;
  for (int64_t lane = 0; lane < count; ++lane) {
    SmallVector<Value> own;
    for (LaneIndex index : indices)
      own.push_back(laneValue(index, lane));
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
FailureOr<Value> ElementEmitter::emitAt(Value tensor, ArrayRef<Value> indices) {
  SmallVector<LaneIndex> place;
  for (Value index : indices)
    place.push_back({index, 0, 1});
  FailureOr<Lanes> elements = emit(tensor, point(place, shapeOf(tensor)));
  if (failed(elements))
    return failure();
  return elements->front();
}

/// `index` - `offset` kept in [0, size), and whether it was there.
static std::pair<Value, Value> within(KernelBuilder &k, Value index,
                                      int64_t offset, int64_t size) {
  OpBuilder &b = k.ir();
  Value below = k.less(index, k.index(offset));
  Value first =
      arith::SelectOp::create(b, k.loc(), below, k.index(offset), index);
  Value clamped = k.min(first, k.index(offset + size - 1));
  Value inside = k.equal(clamped, index);
  return {k.add(clamped, k.index(-offset)), inside};
}

/// `a` and `b`; `a` may be null.
static Value both(KernelBuilder &k, Value a, Value b) {
  return a ? arith::AndIOp::create(k.ir(), k.loc(), a, b) : b;
}

FailureOr<Value> ElementEmitter::emitConcat(tensor::ConcatOp op,
                                            ArrayRef<Value> indices) {
  int64_t offset = 0;
  Value result;
  for (Value input : op.getInputs()) {
    int64_t size = shapeOf(input)[op.getDim()];
    auto [index, inside] = within(kernel, indices[op.getDim()], offset, size);
    SmallVector<Value> place(indices);
    place[op.getDim()] = index;
    FailureOr<Value> element = emitAt(input, place);
    if (failed(element))
      return failure();
    result = result ? arith::SelectOp::create(kernel.ir(), kernel.loc(), inside,
                                              *element, result)
                    : *element;
    offset += size;
  }
  return result;
}

FailureOr<Value> ElementEmitter::emitPad(tensor::PadOp op,
                                         ArrayRef<Value> indices) {
  OpBuilder &b = kernel.ir();
  Value padding =
      b.clone(*op.getConstantPaddingValue().getDefiningOp())->getResult(0);
  SmallVector<Value> place;
  Value isInside;
  for (auto [index, low, size] :
       llvm::zip_equal(indices, op.getStaticLow(), shapeOf(op.getSource()))) {
    auto [own, inside] = within(kernel, index, low, size);
    place.push_back(own);
    isInside = both(kernel, isInside, inside);
  }
  FailureOr<Value> element = emitAt(op.getSource(), place);
  if (failed(element) || !isInside)
    return element;
  return Value(
      arith::SelectOp::create(b, kernel.loc(), isInside, *element, padding));
}

FailureOr<Value> ElementEmitter::emitInsertSlice(tensor::InsertSliceOp op,
                                                 ArrayRef<Value> indices) {
  OpBuilder &b = kernel.ir();
  FailureOr<Value> around = emitAt(op.getDest(), indices);
  if (failed(around))
    return around;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<Value> place;
  Value isInside;
  for (auto [dim, index, offset, size, stride] :
       llvm::enumerate(indices, op.getStaticOffsets(), op.getStaticSizes(),
                       op.getStaticStrides())) {
    int64_t extent = (size - 1) * stride + 1;
    auto [own, inside] = within(kernel, index, offset, extent);
    if (stride != 1)
      inside = both(kernel, inside,
                    kernel.equal(kernel.rem(own, stride), kernel.index(0)));
    if (!dropped.test(dim))
      place.push_back(kernel.div(own, stride));
    isInside = both(kernel, isInside, inside);
  }
  FailureOr<Value> element = emitAt(op.getSource(), place);
  if (failed(element) || !isInside)
    return element;
  return Value(
      arith::SelectOp::create(b, kernel.loc(), isInside, *element, *around));
}
