//===- ElementEmitter.cpp - the value of an element, recursively ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/elements/ElementEmitter.h"

#include "dialects/gpuvm/ScalarBody.h"
#include "kernels/elements/IndexSums.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace mlir;
using namespace mlir::gpuvm;

/// A divisor that stands for "zero, a multiple of everything".
static constexpr int64_t kAnyDivisor = int64_t(1) << 30;

ElementEmitter::ElementEmitter(KernelBuilder &kernel,
                               std::function<unsigned(BlockArgument)> bindingOf,
                               bool exact)
    : kernel(kernel), bindingOf(std::move(bindingOf)), exact(exact) {}

void ElementEmitter::begin(int64_t laneCount) {
  now = Scope();
  now.lanes = laneCount;
}

ElementEmitter::Scope ElementEmitter::exchange(Scope scope) {
  std::swap(now, scope);
  return scope;
}

//===----------------------------------------------------------------------===//
// Lane indices
//===----------------------------------------------------------------------===//

/// Whether all that is known of `index` is known of `known`, and they are the
/// same.
static bool answersFor(const LaneIndex &known, const LaneIndex &index) {
  return isSameIndex(known.base, index.base) && known.stride == index.stride &&
         known.divisor % index.divisor == 0 && known.low == index.low &&
         known.high == index.high && known.anchor == index.anchor;
}

static bool hasRange(const LaneIndex &index) {
  return index.high < LaneIndex::kUnbounded;
}

LaneIndex ElementEmitter::addIndex(LaneIndex a, LaneIndex b) {
  LaneIndex sum = {isConstantIndex(b.base) ? addConstant(kernel, a.base, b.base)
                                           : kernel(a.base) + b.base,
                   a.stride + b.stride, std::gcd(a.divisor, b.divisor)};
  if (hasRange(a) && hasRange(b)) {
    sum.low = a.low + b.low;
    sum.high = a.high + b.high;
  }
  if (b.anchor)
    std::swap(a, b);
  bool bIsConstant = b.low == b.high && b.stride == 0;
  if (a.anchor && bIsConstant)
    sum.anchor = {a.anchor->dim, a.anchor->offset + b.low};
  return sum;
}

LaneIndex ElementEmitter::mulIndex(LaneIndex a, int64_t factor) {
  if (factor == 1)
    return a;
  int64_t divisor;
  if (llvm::MulOverflow(a.divisor, std::abs(factor), divisor) ||
      divisor > kAnyDivisor)
    divisor = kAnyDivisor;
  LaneIndex product = {kernel(a.base) * factor, a.stride * factor, divisor};
  bool fits = hasRange(a) && factor >= 0 &&
              !llvm::MulOverflow(a.high, factor, product.high);
  if (fits && product.high < LaneIndex::kUnbounded)
    product.low = a.low * factor;
  else
    product.high = LaneIndex::kUnbounded;
  return product;
}

LaneIndex ElementEmitter::constantIndex(int64_t value) {
  return {kernel.index(value), 0, value == 0 ? kAnyDivisor : std::abs(value),
          value, value};
}

Value ElementEmitter::laneValue(LaneIndex index, int64_t lane) {
  return addConstant(kernel, index.base, kernel.index(index.stride * lane));
}

/// The index of one lane alone.
LaneIndex ElementEmitter::laneIndex(LaneIndex index, int64_t lane) {
  LaneIndex own = index;
  int64_t offset = index.stride * lane;
  own.base = laneValue(index, lane);
  own.stride = 0;
  own.divisor = 1;
  if (hasRange(index)) {
    own.low += offset;
    own.high += offset;
  }
  if (own.anchor)
    own.anchor->offset += offset;
  return own;
}

LaneIndex ElementEmitter::evaluate(AffineExpr expr, ArrayRef<LaneIndex> dims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constantIndex(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  LaneIndex lhs = evaluate(binary.getLHS(), dims);
  if (binary.getKind() == AffineExprKind::Add)
    return addIndex(lhs, evaluate(binary.getRHS(), dims));
  int64_t rhs = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  switch (binary.getKind()) {
  case AffineExprKind::Mul:
    return mulIndex(lhs, rhs);
  case AffineExprKind::FloorDiv: // Lanes were chosen so that they agree.
    return {kernel(lhs.base) / rhs, 0, 1};
  case AffineExprKind::Mod:
    return {kernel(lhs.base) % rhs, lhs.stride,
            std::gcd(lhs.divisor, std::abs(rhs))};
  default:
    llvm_unreachable("indexing maps hold no other expression");
  }
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

SmallVector<LaneIndex> gpuvm::delinearize(KernelBuilder &k, LaneIndex position,
                                          ArrayRef<int64_t> shape) {
  SmallVector<LaneIndex> indices(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    if (dim == 0) {
      indices[0] = position;
      break;
    }
    indices[dim] = {k(position.base) % shape[dim], position.stride,
                    std::gcd(position.divisor, shape[dim])};
    position = {k(position.base) / shape[dim], 0, 1};
  }
  return indices;
}

ElementEmitter::Point ElementEmitter::point(ArrayRef<LaneIndex> indices,
                                            ArrayRef<int64_t> shape) {
  // Several results may read the same elements; once is enough.
  for (Point known = now.places.size(); known-- > 0;)
    if (ArrayRef(now.places[known].shape) == shape && !indices.empty() &&
        llvm::equal(now.places[known].indices, indices, answersFor))
      return known;
  now.places.push_back(
      {llvm::to_vector(indices), std::nullopt, llvm::to_vector(shape)});
  return now.places.size() - 1;
}

ElementEmitter::Point ElementEmitter::point(ArrayRef<LaneIndex> indices,
                                            LaneIndex flat,
                                            ArrayRef<int64_t> shape) {
  now.places.push_back(
      {llvm::to_vector(indices), flat, llvm::to_vector(shape)});
  return now.places.size() - 1;
}

ElementEmitter::Point ElementEmitter::flatPoint(LaneIndex flat,
                                                ArrayRef<int64_t> shape) {
  now.places.push_back({{}, flat, llvm::to_vector(shape)});
  return now.places.size() - 1;
}

ArrayRef<LaneIndex> ElementEmitter::indicesOf(Point at) {
  Scope::Place &place = now.places[at];
  if (!place.indices.empty() || place.shape.empty())
    return place.indices;
  LaneIndex rest = *place.flat;
  SmallVector<LaneIndex> reversed;
  for (int64_t size : llvm::reverse(ArrayRef(place.shape).drop_front())) {
    reversed.push_back(
        {kernel(rest.base) % size, rest.stride, std::gcd(rest.divisor, size)});
    int64_t divisor = rest.divisor % size == 0 ? rest.divisor / size : 1;
    rest = {kernel(rest.base) / size, 0, divisor};
  }
  reversed.push_back(rest);
  place.indices.assign(reversed.rbegin(), reversed.rend());
  return place.indices;
}

LaneIndex ElementEmitter::position(Point at) {
  if (now.places[at].flat)
    return *now.places[at].flat;
  SmallVector<LaneIndex> indices(indicesOf(at));
  LaneIndex sum = constantIndex(0);
  int64_t stride = 1;
  for (auto [index, size] :
       llvm::reverse(llvm::zip_equal(indices, now.places[at].shape))) {
    sum = addIndex(mulIndex(index, stride), sum);
    stride *= size;
  }
  now.places[at].flat = sum;
  return sum;
}

ElementEmitter::Point ElementEmitter::throughMap(Point at, AffineMap map,
                                                 ArrayRef<int64_t> shape) {
  if (map.isIdentity() && ArrayRef(now.places[at].shape) == shape)
    return at;
  auto [entry, inserted] = now.mapped.try_emplace({at, map}, 0);
  if (!inserted && ArrayRef(now.places[entry->second].shape) == shape)
    return entry->second;
  SmallVector<LaneIndex> dims, indices;
  if (map.getNumDims() != 0 && !map.isConstant())
    dims.assign(indicesOf(at).begin(), indicesOf(at).end());
  for (AffineExpr expr : map.getResults())
    indices.push_back(evaluate(expr, dims));
  Point to = point(indices, shape);
  now.mapped[{at, map}] = to;
  return to;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

FailureOr<Lanes> ElementEmitter::emit(Value tensor, Point at) {
  if (auto known = bound.find(tensor); known != bound.end())
    return known->second.size() == 1 ? Lanes(now.lanes, known->second.front())
                                     : known->second;
  if (auto known = now.memo.find({tensor, at}); known != now.memo.end())
    return known->second;
  FailureOr<Lanes> elements = emitNew(tensor, at);
  if (succeeded(elements))
    now.memo[{tensor, at}] = *elements;
  return elements;
}

FailureOr<Lanes> ElementEmitter::emitNew(Value tensor, Point at) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return emitWindow(argument, at);
  Operation *op = tensor.getDefiningOp();
  SplatElementsAttr splat;
  if (matchPattern(tensor, m_Constant(&splat)))
    return Lanes(now.lanes,
                 arith::ConstantOp::create(
                     kernel.ir(), kernel.loc(),
                     cast<TypedAttr>(splat.getSplatValue<Attribute>())));
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    unsigned number = cast<OpResult>(tensor).getResultNumber();
    if (op->hasAttr(kInnerAttr))
      return emitEachLane(at, [&](ArrayRef<LaneIndex> indices) {
        return emitInner(generic, number, indices);
      });
    // All results, since what they have in common is most of a body.
    FailureOr<SmallVector<Lanes>> values = emitBody(
        generic, at, generic.getBody()->getTerminator()->getOperands());
    if (failed(values))
      return failure();
    for (auto [result, lanes] : llvm::zip_equal(op->getResults(), *values))
      now.memo.try_emplace({result, at}, lanes);
    return (*values)[number];
  }
  if (isa<flow::HoldOp>(op)) {
    if (now.lanes > 1) // An inner reduction takes some at once.
      return emitEachLane(at, [&](ArrayRef<LaneIndex> indices) {
        return held(tensor, indices);
      });
    FailureOr<Value> element = held(tensor, indicesOf(at));
    if (failed(element))
      return failure();
    return Lanes(1, *element);
  }
  if (isa<tensor::EmptyOp>(op)) // Whatever it holds, nobody may depend on it.
    return Lanes(
        now.lanes,
        arith::ConstantOp::create(
            kernel.ir(), kernel.loc(),
            kernel.ir().getZeroAttr(
                cast<RankedTensorType>(tensor.getType()).getElementType())));
  if (auto decode = dyn_cast<DecodeOp>(op))
    return emitDecode(decode, at);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return emitSlice(slice, at);
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return emitReshape(op->getOperand(0), at);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return emitEachLane(at, [&](ArrayRef<LaneIndex> indices) {
      return emitConcat(concat, indices);
    });
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return emitEachLane(
        at, [&](ArrayRef<LaneIndex> indices) { return emitPad(pad, indices); });
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return emitEachLane(at, [&](ArrayRef<LaneIndex> indices) {
      return emitInsertSlice(insert, indices);
    });
  if (auto gather = dyn_cast<GatherOp>(op))
    return emitGather(gather, at);
  op->emitOpError("cannot be part of a kernel");
  return failure();
}

FailureOr<Lanes> ElementEmitter::emitWindow(BlockArgument argument, Point at) {
  LaneIndex where = position(at);
  unsigned binding = bindingOf(argument);
  Type type = cast<RankedTensorType>(argument.getType()).getElementType();
  if (where.stride == 0)
    return Lanes(now.lanes, kernel.load(binding, type, where.base));
  if (where.stride == 1 && where.divisor % now.lanes == 0)
    return Lanes(kernel.loadVector(binding, type, where.base, now.lanes));
  Lanes elements;
  for (int64_t lane = 0; lane < now.lanes; ++lane)
    elements.push_back(kernel.load(binding, type, laneValue(where, lane)));
  return elements;
}

void ElementEmitter::store(unsigned binding, ArrayRef<Value> elements,
                           Point at) {
  LaneIndex where = position(at);
  int64_t count = elements.size();
  if (count > 1 && where.stride == 1 && where.divisor % count == 0)
    return kernel.storeVector(binding, elements, where.base);
  for (int64_t lane = 0; lane < count; ++lane)
    kernel.store(binding, elements[lane], laneValue(where, lane));
}

FailureOr<Lanes> ElementEmitter::emitReshape(Value source, Point at) {
  LaneIndex flat = position(at);
  if (isa<BlockArgument>(source) || flat.stride == 0 || flat.stride == 1)
    return emit(source, flatPoint(flat, shapeOf(source)));
  // Lanes that are no neighbours may be in different rows of the source.
  SmallVector<int64_t> shape(now.places[at].shape);
  return emitEachLane(at, [&](ArrayRef<LaneIndex> own) -> FailureOr<Value> {
    LaneIndex alone = position(point(own, shape));
    FailureOr<Lanes> element = emit(source, flatPoint(alone, shapeOf(source)));
    if (failed(element))
      return failure();
    return element->front();
  });
}

FailureOr<Lanes> ElementEmitter::emitSlice(tensor::ExtractSliceOp op,
                                           Point at) {
  // Dimensions that the slice drops have size 1 in it.
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<LaneIndex> sliceIndices(indicesOf(at)), indices;
  auto next = sliceIndices.begin();
  for (auto [dim, offset, stride] :
       llvm::enumerate(op.getStaticOffsets(), op.getStaticStrides())) {
    LaneIndex start = constantIndex(offset);
    indices.push_back(
        dropped.test(dim) ? start : addIndex(mulIndex(*next++, stride), start));
  }
  return emit(op.getSource(), point(indices, shapeOf(op.getSource())));
}
