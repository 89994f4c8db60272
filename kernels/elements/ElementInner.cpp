//===- ElementInner.cpp - emission of short reductions inside a kernel ----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/elements/ElementEmitter.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Four bytes in a word: the one that they were taken from, if there is one.
static Value packBytes(KernelBuilder &k, ArrayRef<Value> bytes) {
  Value whole;
  for (auto [i, byte] : llvm::enumerate(bytes)) {
    auto extract = byte.getDefiningOp<spirv::CompositeExtractOp>();
    bool isPlaced = extract && extract.getIndices().size() == 1 &&
                    cast<IntegerAttr>(extract.getIndices()[0]).getInt() ==
                        static_cast<int64_t>(i) &&
                    (!whole || whole == extract.getComposite());
    whole = isPlaced ? extract.getComposite() : Value();
    if (!whole)
      break;
  }
  Type word = k.ir().getI32Type();
  auto cast = whole ? whole.getDefiningOp<spirv::BitcastOp>() : nullptr;
  if (cast && cast.getOperand().getType() == word)
    return cast.getOperand();
  Type four = VectorType::get({kDotBytes}, k.ir().getI8Type());
  Value vector =
      spirv::CompositeConstructOp::create(k.ir(), k.loc(), four, bytes);
  return spirv::BitcastOp::create(k.ir(), k.loc(), word, vector);
}

static Value dotProduct(KernelBuilder &k, const ByteProduct &product,
                        Value left, Value right) {
  Type word = k.ir().getI32Type();
  auto format = spirv::PackedVectorFormatAttr::get(
      k.ir().getContext(), spirv::PackedVectorFormat::PackedVectorFormat4x8Bit);
  if (product.leftIsSigned && product.rightIsSigned)
    return spirv::SDotOp::create(k.ir(), k.loc(), word, left, right, format);
  if (!product.leftIsSigned && !product.rightIsSigned)
    return spirv::UDotOp::create(k.ir(), k.loc(), word, left, right, format);
  if (!product.leftIsSigned)
    std::swap(left, right);
  return spirv::SUDotOp::create(k.ir(), k.loc(), word, left, right, format);
}

FailureOr<Value> ElementEmitter::addDotProducts(linalg::GenericOp op, Point at,
                                                const ByteProduct &product,
                                                Value total) {
  // The accumulator is no part of the factors; anything stands for it.
  SmallVector<Lanes> unused(1, Lanes(now.lanes, total));
  auto factors = emitBody(op, at, {product.left, product.right}, unused);
  if (failed(factors))
    return failure();
  for (int64_t i = 0; i < now.lanes; i += kDotBytes) {
    auto word = [&](const Lanes &bytes) {
      return packBytes(kernel, ArrayRef(bytes).slice(i, kDotBytes));
    };
    Value sum =
        dotProduct(kernel, product, word((*factors)[0]), word((*factors)[1]));
    total = arith::AddIOp::create(kernel.ir(), kernel.loc(), total, sum);
  }
  return total;
}

/// Takes the elements of all lanes into the accumulators, one after the other.
FailureOr<SmallVector<Value>>
ElementEmitter::reduceRun(linalg::GenericOp op, Point at,
                          SmallVector<Value> accumulators) {
  std::optional<ByteProduct> product;
  if (dotProducts && now.lanes % kDotBytes == 0 && op.getNumDpsInits() == 1)
    product = matchByteProduct(op, 0);
  if (product) {
    FailureOr<Value> total =
        addDotProducts(op, at, *product, accumulators.front());
    if (failed(total))
      return failure();
    return SmallVector<Value>{*total};
  }
  Clones clones(now.lanes);
  clones.front().map(op.getRegionOutputArgs(), accumulators);
  if (failed(bindInputs(op, at, clones, nullptr)))
    return failure();
  for (int64_t lane = 0; lane < now.lanes; ++lane) {
    clones[lane].map(op.getRegionOutputArgs(), accumulators);
    if (failed(cloneBody(op, at, lane, clones)))
      return failure();
    for (auto [accumulator, yielded] : llvm::zip_equal(
             accumulators, op.getBody()->getTerminator()->getOperands()))
      accumulator = clones[lane].lookupOrDefault(yielded);
  }
  return accumulators;
}

/// One result, at `indices` of the tensor of results.
FailureOr<Value> ElementEmitter::emitInner(linalg::GenericOp op,
                                           unsigned result,
                                           ArrayRef<LaneIndex> indices) {
  SmallVector<int64_t> loops = op.getStaticLoopRanges();
  SmallVector<LaneIndex> place(loops.size(), constantIndex(0));
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(result));
  for (auto [expr, index] : llvm::zip_equal(map.getResults(), indices))
    place[cast<AffineDimExpr>(expr).getPosition()] = index;
  SmallVector<Value> accumulators;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    Point at =
        throughMap(point(place, loops), op.getMatchingIndexingMap(&init),
                   cast<RankedTensorType>(init.get().getType()).getShape());
    FailureOr<Lanes> start = emit(init.get(), at);
    if (failed(start))
      return failure();
    accumulators.push_back(start->front());
  }
  SmallVector<unsigned> dims;
  op.getReductionDims(dims);
  SmallVector<int64_t> ranges;
  for (unsigned dim : dims)
    ranges.push_back(loops[dim]);
  SmallVector<int64_t> strides = computeStrides(ranges);
  int64_t atOnce = countAtOnce(op);
  for (int64_t first = 0; first < countReduced(op); first += atOnce) {
    for (auto [dim, number] :
         llvm::zip_equal(dims, mlir::delinearize(first, strides)))
      place[dim] = constantIndex(number);
    place[dims.back()].stride = 1;
    Scope around = exchange(Scope());
    begin(atOnce);
    auto next = reduceRun(op, point(place, loops), accumulators);
    (void)exchange(std::move(around));
    if (failed(next))
      return failure();
    accumulators = *next;
  }
  return accumulators[result];
}
