//===- CodeCopies.cpp - copies of the code of a value ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/CodeCopies.h"

#include "codecs/Codec.h"
#include "dialects/gpuvm/Reduction.h"
#include "dialects/gpuvm/ScalarBody.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::gpuvm;

static int64_t rankOf(Value value) {
  return payloadType(value.getType()).getRank();
}

/// Scalar operations of one copy of `op`.
static int64_t costOfCopy(Operation *op) {
  if (auto decode = dyn_cast<DecodeOp>(op)) {
    PackedType packed = decode.getPackedType();
    return packed.getCodec().getCost(packed.getLayout());
  }
  if (isa<linalg::GenericOp>(op))
    return costOf(op);
  if (isa<GatherOp>(op))
    return 4; // The row's number is kept in range.
  if (isa<tensor::PadOp, tensor::InsertSliceOp>(op))
    return 3 * rankOf(op->getResult(0));
  if (isa<tensor::ConcatOp>(op))
    return 3 * op->getNumOperands();
  return 0; // An index; only what has several operands multiplies copies.
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

/// Whether a map is too long to be composed with others again and again.
static bool isLong(AffineMap map) {
  constexpr unsigned kMostTerms = 64;
  unsigned terms = 0;
  map.walkExprs([&](AffineExpr) { ++terms; });
  return terms > kMostTerms;
}

CodeCopies::Point CodeCopies::pointAt(unsigned origin, AffineMap map) {
  if (map.isConstant()) { // All of these are one.
    origin = firstOrigin[placedOf[origin]];
    map = AffineMap::get(0, 0, map.getResults(), map.getContext());
  }
  auto [entry, isNew] = pointOf.try_emplace({origin, map}, points.size());
  if (isNew)
    points.push_back({origin, map});
  return entry->second;
}

/// Where the indices begin at which `reader`, at `from`, finds its operand
/// `number`.
unsigned CodeCopies::originAt(Point from, Operation *reader, unsigned number) {
  auto [entry, isNew] =
      originOf.try_emplace({from, reader, number}, placedOf.size());
  if (isNew)
    placedOf.push_back(placedAt(from));
  return entry->second;
}

/// The point that `map` leads to from `from`.
CodeCopies::Point CodeCopies::step(Point from, AffineMap map, Operation *reader,
                                   unsigned number) {
  AffineMap composed = map.compose(points[from].map);
  if (!isLong(composed))
    return pointAt(points[from].origin, composed);
  unsigned rank = map.getNumResults();
  return pointAt(originAt(from, reader, number),
                 AffineMap::getMultiDimIdentityMap(rank, reader->getContext()));
}

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//

void CodeCopies::read(Value value, Point at, Operation *reader,
                      unsigned number) {
  Reads &reads = readsOf[resolve(value)];
  reads.points.insert(at);
  reads.sites.insert({reader, number});
}

/// `reader` reads its operand `number` at an index that it computes itself.
void CodeCopies::readElsewhere(Value value, Point from, Operation *reader,
                               unsigned number) {
  int64_t rank = rankOf(value);
  read(value,
       pointAt(originAt(from, reader, number),
               AffineMap::getMultiDimIdentityMap(rank, reader->getContext())),
       reader, number);
}

void CodeCopies::readGeneric(linalg::GenericOp op, Point at) {
  for (OpOperand &operand : op->getOpOperands())
    if (!op.getMatchingBlockArgument(&operand).use_empty() &&
        isa<RankedTensorType>(operand.get().getType())) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      unsigned number = operand.getOperandNumber();
      read(operand.get(), step(at, map, op, number), op, number);
    }
  op.getBody()->walk([&](tensor::ExtractOp extract) {
    readElsewhere(extract.getTensor(), at, extract, 0);
  });
}

/// From the indices of a slice to those of what it is cut from.
static AffineMap mapOf(tensor::ExtractSliceOp op) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Builder b(op.getContext());
  SmallVector<AffineExpr> indices;
  unsigned next = 0;
  for (auto [dim, offset, stride] :
       llvm::enumerate(op.getStaticOffsets(), op.getStaticStrides()))
    indices.push_back(dropped.test(dim)
                          ? b.getAffineConstantExpr(offset)
                          : b.getAffineDimExpr(next++) * stride + offset);
  return AffineMap::get(next, 0, indices, op.getContext());
}

void CodeCopies::readMove(Operation *op, Point at) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return read(slice.getSource(), step(at, mapOf(slice), op, 0), op, 0);
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      readElsewhere(operand.get(), at, op, operand.getOperandNumber());
}

void CodeCopies::readAll(Operation *op, Point at) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return readGeneric(generic, at);
  readMove(op, at); // A root, too, has a place of its own in each operand.
}

void CodeCopies::place(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  unsigned rank = generic ? generic.getNumLoops() : rankOf(op->getResult(0));
  firstOrigin.push_back(placedOf.size());
  placedOf.push_back(copied.size());
  copied.push_back(0);
  readAll(op, pointAt(firstOrigin.back(), AffineMap::getMultiDimIdentityMap(
                                              rank, op->getContext())));
}

void CodeCopies::inlineIntoReaders(Operation *op) {
  for (auto [placed, count] : countCopies(op))
    copied[placed] += count * costOfCopy(op);
  for (Point at : readsOfResults(op).points) {
    Point start = at;
    if (isReduction(op)) { // Its loops are more than its result has.
      unsigned loops = cast<linalg::GenericOp>(op).getNumLoops();
      start =
          pointAt(originAt(at, op, 0),
                  AffineMap::getMultiDimIdentityMap(loops, op->getContext()));
    }
    readAll(op, start);
  }
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

CodeCopies::Reads CodeCopies::readsOfResults(Operation *op) const {
  Reads all;
  for (Value result : op->getResults())
    if (auto found = readsOf.find(result); found != readsOf.end()) {
      all.points.insert_range(found->second.points);
      all.sites.insert_range(found->second.sites);
    }
  return all;
}

llvm::MapVector<unsigned, int64_t>
CodeCopies::countCopies(Operation *op) const {
  Reads reads = readsOfResults(op);
  llvm::MapVector<unsigned, int64_t> counts;
  for (Point at : reads.points)
    ++counts[placedAt(at)];
  for (auto &[placed, count] : counts)
    count = std::max<int64_t>(count - reads.sites.size(), 0);
  return counts;
}

bool CodeCopies::areFew(Operation *op) const {
  int64_t cost = costOfCopy(op);
  Reads reads = readsOfResults(op);
  int64_t all = static_cast<int64_t>(reads.points.size()) -
                static_cast<int64_t>(reads.sites.size());
  return all * cost <= kMostSpread &&
         llvm::all_of(countCopies(op), [&](const auto &entry) {
           auto [placed, count] = entry;
           return copied[placed] + count * cost <= kMostCopied;
         });
}
