//===- ExpandFft.cpp - transforms in terms of shorter ones ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transform that does not fit one workgroup is split into two (Bailey, "FFTs
// in External or Hierarchical Memory", 1990). With a large prime factor it
// becomes a convolution with a chirp (Bluestein, "A Linear Filtering Approach
// to the Computation of Discrete Fourier Transform", 1970). The products in
// between fuse with the transforms that read them.
//
//===----------------------------------------------------------------------===//

#include "passes/expand/ExpandFft.h"
#include "passes/expand/FftTables.h"
#include "passes/expand/ReadElements.h"

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

Value gpuvm::mapComplex(ImplicitLocOpBuilder &b, RankedTensorType type,
                        ArrayRef<Value> operands, ArrayRef<AffineMap> maps,
                        PartsFn combine) {
  int64_t rank = type.getRank();
  SmallVector<AffineMap> all;
  SmallVector<Value> inputs;
  for (auto [operand, map] : llvm::zip_equal(operands, maps))
    for (int64_t part : {0, 1}) {
      SmallVector<AffineExpr> results(map.getResults());
      results.push_back(b.getAffineConstantExpr(part));
      all.push_back(AffineMap::get(rank, 0, results, b.getContext()));
      inputs.push_back(operand);
    }
  all.push_back(b.getMultiDimIdentityMap(rank));
  Value init =
      tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto build = [&](OpBuilder &nested, Location loc, ValueRange args) {
    ExprBuilder e(nested, loc);
    SmallVector<Expr> parts[2];
    for (size_t i = 0; i < inputs.size(); ++i)
      parts[i % 2].push_back(e(args[i]));
    auto [re, im] = combine(parts[0], parts[1]);
    Expr isReal = e.make<linalg::IndexOp>(rank - 1) == 0;
    linalg::YieldOp::create(nested, loc, Value(select(isReal, re, im)));
  };
  return linalg::GenericOp::create(b, type, inputs, init, all, loops, build)
      .getResult(0);
}

Parts gpuvm::multiply(const Parts &x, const Parts &y) {
  Expr re = x.re * y.re;
  re = re - x.im * y.im;
  Expr im = x.re * y.im;
  return {re, im + x.im * y.re};
}

/// Each number where it is.
static AffineMap sameNumber(ImplicitLocOpBuilder &b, RankedTensorType type) {
  return b.getMultiDimIdentityMap(type.getRank())
      .getMajorSubMap(type.getRank() - 1);
}

static AffineMap alongDimension(ImplicitLocOpBuilder &b, RankedTensorType type,
                                ArrayRef<unsigned> dimensions) {
  return b.getMultiDimIdentityMap(type.getRank()).getSubMap(dimensions);
}

static Value multiplyNumbers(ImplicitLocOpBuilder &b, Value signal,
                             Value factors, AffineMap map) {
  RankedTensorType type = typeOf(signal);
  return mapComplex(b, type, {signal, factors}, {sameNumber(b, type), map},
                    [](ArrayRef<Expr> re, ArrayRef<Expr> im) {
                      return multiply({re[0], im[0]}, {re[1], im[1]});
                    });
}

Value gpuvm::multiplyAlong(ImplicitLocOpBuilder &b, Value signal, Value factors,
                           int64_t dimension) {
  return multiplyNumbers(
      b, signal, factors,
      alongDimension(b, typeOf(signal), {static_cast<unsigned>(dimension)}));
}

RankedTensorType gpuvm::withSize(RankedTensorType type, int64_t dimension,
                                 int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dimension] = size;
  return type.clone(shape);
}

Value gpuvm::takeFirst(ImplicitLocOpBuilder &b, Value signal, int64_t dimension,
                       int64_t size) {
  RankedTensorType type = withSize(typeOf(signal), dimension, size);
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(b.getContext(), type.getShape());
  return tensor::ExtractSliceOp::create(b, type, signal, offsets, sizes,
                                        strides);
}

static FftOp makeFft(ImplicitLocOpBuilder &b, Value signal, bool inverse,
                     int64_t from, int64_t to) {
  SmallVector<int64_t> shape(typeOf(signal).getShape());
  int64_t length = shape[from];
  shape.erase(shape.begin() + from);
  shape.insert(shape.begin() + to, length);
  return FftOp::create(b, typeOf(signal).clone(shape), signal, Value(),
                       inverse ? b.getUnitAttr() : UnitAttr(),
                       b.getI64IntegerAttr(from), b.getI64IntegerAttr(to));
}

Value gpuvm::transformAlong(ImplicitLocOpBuilder &b, Value signal, bool inverse,
                            int64_t dimension) {
  return makeFft(b, signal, inverse, dimension, dimension);
}

static Value tableOf(ImplicitLocOpBuilder &b, const LongSignal &signal,
                     Type element) {
  return arith::ConstantOp::create(b, toAttribute(signal, element));
}

/// `signal` with dimension `from` at place `to`.
static Value moveDimension(ImplicitLocOpBuilder &b, Value signal, int64_t from,
                           int64_t to) {
  if (from == to)
    return signal;
  RankedTensorType type = typeOf(signal);
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<unsigned> order; // Of the result's dimensions in the source.
  for (unsigned d = 0; d < type.getRank(); ++d)
    order.push_back(d);
  order.erase(order.begin() + to);
  order.insert(order.begin() + from, to);
  shape.erase(shape.begin() + from);
  shape.insert(shape.begin() + to, type.getDimSize(from));
  return readElements(b, signal, type.clone(shape),
                      AffineMap::getPermutationMap(order, b.getContext()));
}

/// `value` as a tensor of `type`, which may have dimensions taken together.
static Value collapse(ImplicitLocOpBuilder &b, Value value, Type type) {
  auto collapsed = cast<RankedTensorType>(type);
  if (collapsed == value.getType())
    return value;
  return tensor::CollapseShapeOp::create(
      b, collapsed, value,
      *getReassociationIndicesForReshape(typeOf(value), collapsed));
}

//===----------------------------------------------------------------------===//
// Transforms of one workgroup
//===----------------------------------------------------------------------===//

static std::optional<FftStages> stagesOf(Value signal, int64_t dimension) {
  RankedTensorType type = typeOf(signal);
  return getFftStages(type.getDimSize(dimension), type.getElementType());
}

/// Gives `op` its table, if it has a use for one.
template <typename Op>
static LogicalResult addTwiddles(Op op, const FftStages &stages,
                                 PatternRewriter &rewriter) {
  if (op.getTwiddles() || countTwiddles(stages) == 0)
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Value table =
      tableOf(b, twiddleTable(stages), typeOf(op.getSource()).getElementType());
  rewriter.modifyOpInPlace(op, [&] { op.getTwiddlesMutable().assign(table); });
  return success();
}

//===----------------------------------------------------------------------===//
// Longer ones
//===----------------------------------------------------------------------===//

/// The largest factor of `length` up to its square root that one workgroup can
/// do.
static int64_t chooseSplit(int64_t length, Type element) {
  int64_t split = 1;
  for (int64_t n = 2; n * n <= length; ++n)
    if (length % n == 0 && getFftStages(n, element))
      split = n;
  return split;
}

/// exp(-+2 pi i d0 d1 / (n0 n1)) as the product of entries of two tables.
static Value twiddlesBetween(ImplicitLocOpBuilder &b, Value signal,
                             bool inverse, int64_t dimension) {
  RankedTensorType type = typeOf(signal);
  Type element = type.getElementType();
  int64_t sizes[] = {type.getDimSize(dimension),
                     type.getDimSize(dimension + 1)};
  int64_t length = sizes[0] * sizes[1];
  int64_t bits = llvm::Log2_64_Ceil(length) / 2;
  int64_t fine = int64_t(1) << bits, coarse = llvm::divideCeil(length, fine);
  int64_t sign = inverse ? -1 : 1;
  LongSignal tables[2];
  for (int64_t i = 0; i < fine; ++i)
    tables[0].push_back(rootOfUnity(sign * i, length));
  for (int64_t i = 0; i < coarse; ++i)
    tables[1].push_back(rootOfUnity(sign * i * fine, length));
  auto rowType = RankedTensorType::get(sizes, b.getI32Type());
  auto pick = [&](const LongSignal &table, bool isFine) -> Value {
    Value init = tensor::EmptyOp::create(b, sizes, b.getI32Type());
    auto build = [&](OpBuilder &nested, Location loc, ValueRange) {
      ExprBuilder e(nested, loc);
      Expr row = e.make<linalg::IndexOp>(0).signedToWord();
      Expr turns = row * e.make<linalg::IndexOp>(1).signedToWord();
      Value entry = isFine ? turns & (fine - 1) : turns >> bits;
      linalg::YieldOp::create(nested, loc, entry);
    };
    Value rows =
        linalg::GenericOp::create(
            b, TypeRange(rowType), ValueRange(), ValueRange(init),
            ArrayRef<AffineMap>{b.getMultiDimIdentityMap(2)},
            SmallVector<utils::IteratorType>(2, utils::IteratorType::parallel),
            build)
            .getResult(0);
    return GatherOp::create(
        b, RankedTensorType::get({sizes[0], sizes[1], 2}, element),
        tableOf(b, table, element), rows);
  };
  unsigned d = dimension;
  AffineMap both = alongDimension(b, type, {d, d + 1});
  return mapComplex(b, type,
                    {signal, pick(tables[0], true), pick(tables[1], false)},
                    {sameNumber(b, type), both, both},
                    [](ArrayRef<Expr> re, ArrayRef<Expr> im) {
                      return multiply({re[0], im[0]},
                                      multiply({re[1], im[1]}, {re[2], im[2]}));
                    });
}

/// N = N0 N1: element n0 N1 + n1 becomes number n0, n1 of a matrix. Its columns
/// are transformed, number k0, n1 is multiplied with exp(-2 pi i k0 n1 / N),
/// the rows are transformed, and number k0, k1 is element k0 + N0 k1.
static Value splitTransform(ImplicitLocOpBuilder &b, FftOp op) {
  RankedTensorType type = typeOf(op.getSource());
  int64_t d = op.getTransformed();
  int64_t length = type.getDimSize(d);
  int64_t first = chooseSplit(length, type.getElementType());
  SmallVector<ReassociationIndices> groups;
  SmallVector<int64_t> shape(type.getShape());
  shape[d] = length / first;
  shape.insert(shape.begin() + d, first);
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (i == d)
      groups.push_back({i, i + 1});
    else
      groups.push_back({i + (i > d)});
  }
  Value matrix = tensor::ExpandShapeOp::create(b, type.clone(shape),
                                               op.getSource(), groups);
  Value columns = makeFft(b, matrix, op.getInverse(), d, d);
  Value turned = twiddlesBetween(b, columns, op.getInverse(), d);
  if (op.getPlaced() == d)
    return FftOp::create(b, op.getResult().getType(), turned, Value(),
                         op.getInverseAttr(), b.getI64IntegerAttr(d + 1),
                         b.getI64IntegerAttr(d));
  Value rows = makeFft(b, turned, op.getInverse(), d + 1, d);
  Value result = tensor::CollapseShapeOp::create(b, type, rows, groups);
  return collapse(b, moveDimension(b, result, d, op.getPlaced()),
                  op.getResult().getType());
}

/// k n = (k^2 + n^2 - (k - n)^2) / 2, so a transform is a product with a chirp,
/// a convolution with its conjugate, and the product again.
static Value transformByChirp(ImplicitLocOpBuilder &b, FftOp op) {
  Value signal = moveDimension(b, op.getSource(), op.getTransformed(),
                               typeOf(op.getSource()).getRank() - 2);
  RankedTensorType type = typeOf(signal);
  Type element = type.getElementType();
  int64_t d = type.getRank() - 2, length = type.getDimSize(d);
  int64_t size = nextSmooth(2 * length - 1);
  int sign = op.getInverse() ? -1 : 1;
  LongSignal before = chirp(length, -sign), after = before;
  if (op.getInverse())
    for (LongComplex &factor : after)
      factor /= length;
  Value product = multiplyAlong(b, signal, tableOf(b, before, element), d);
  SmallVector<OpFoldResult> low(type.getRank(), b.getIndexAttr(0)), high = low;
  high[d] = b.getIndexAttr(size - length);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
  RankedTensorType padded = withSize(type, d, size);
  Value extended = tensor::PadOp::create(b, padded, product, low, high, zero);
  Value table = tableOf(b, chirpSpectrum(chirp(length, sign), size), element);
  Value spectrum = readElements(
      b, table, padded,
      alongDimension(b, padded,
                     {static_cast<unsigned>(d), static_cast<unsigned>(d + 1)}));
  Value convolved = ConvolveOp::create(b, padded, extended, spectrum, Value());
  Value kept = takeFirst(b, convolved, d, length);
  Value result = multiplyAlong(b, kept, tableOf(b, after, element), d);
  return collapse(b, moveDimension(b, result, d, op.getPlaced()),
                  op.getResult().getType());
}

namespace {
struct ExpandFft : OpRewritePattern<FftOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(FftOp op,
                                PatternRewriter &rewriter) const override {
    if (auto stages = stagesOf(op.getSource(), op.getTransformed()))
      return addTwiddles(op, *stages, rewriter);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    int64_t length = typeOf(op.getSource()).getDimSize(op.getTransformed());
    rewriter.replaceOp(op, isSmooth(length) ? splitTransform(b, op)
                                            : transformByChirp(b, op));
    return success();
  }
};

struct ExpandConvolve : OpRewritePattern<ConvolveOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvolveOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = typeOf(op.getSource());
    int64_t d = type.getRank() - 2;
    if (auto stages = stagesOf(op.getSource(), d))
      return addTwiddles(op, *stages, rewriter);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value spectrum = transformAlong(b, op.getSource(), /*inverse=*/false, d);
    Value product =
        multiplyNumbers(b, spectrum, op.getSpectrum(), sameNumber(b, type));
    rewriter.replaceOp(op, transformAlong(b, product, /*inverse=*/true, d));
    return success();
  }
};
} // namespace

void gpuvm::populateExpandFftPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandFft, ExpandConvolve>(patterns.getContext());
}
