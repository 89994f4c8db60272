//===- ExpandRealFft.cpp - transforms of real signals ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An even number of real elements is taken for half as many complex ones (Press
// et al., "Numerical Recipes", section 12.3). With x = even + i odd, the
// spectra E and O of both halves are the symmetric and the antisymmetric part
// of the transform, and that of the signal is E[k] + exp(-2 pi i k / N) O[k].
// An odd number of elements is transformed as it is.
//
//===----------------------------------------------------------------------===//

#include "passes/expand/ExpandFft.h"
#include "passes/expand/FftTables.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Whether the number at this index of `dimension` is wanted: the first one.
static Expr isFirst(const ExprBuilder &b, int64_t dimension) {
  return b.make<linalg::IndexOp>(dimension) == 0;
}

namespace {
/// The maps for `mapComplex` over numbers of `rank` dimensions with parts.
struct Maps {
  ImplicitLocOpBuilder &b;
  int64_t rank;
  AffineMap here() {
    return b.getMultiDimIdentityMap(rank).getMajorSubMap(rank - 1);
  }
  /// At `last` - k of the transformed dimension.
  AffineMap reversed(int64_t last) {
    SmallVector<AffineExpr> results(here().getResults());
    results.back() = last - results.back();
    return AffineMap::get(rank, 0, results, b.getContext());
  }
  AffineMap frequency() {
    return b.getMultiDimIdentityMap(rank).getSubMap(
        {static_cast<unsigned>(rank - 2)});
  }
};
} // namespace

/// exp(-2 pi i k / length) / 2 for k = 0 .. count - 1.
static Value halfTwiddles(ImplicitLocOpBuilder &b, int64_t length,
                          int64_t count, Type element) {
  LongSignal table;
  for (int64_t k = 0; k < count; ++k)
    table.push_back(rootOfUnity(k, length) * 0.5L);
  return arith::ConstantOp::create(b, toAttribute(table, element));
}

/// The groups of dimensions of real elements that are taken for complex ones.
static SmallVector<ReassociationIndices> pairUp(int64_t rank) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d < rank; ++d)
    groups.push_back({d});
  groups.back().push_back(rank);
  return groups;
}

//===----------------------------------------------------------------------===//
// gpuvm.rfft
//===----------------------------------------------------------------------===//

static Value transformPairs(ImplicitLocOpBuilder &b, RfftOp op) {
  RankedTensorType from = typeOf(op.getSource()), to = typeOf(op.getResult());
  int64_t rank = to.getRank(), d = rank - 2;
  int64_t half = from.getShape().back() / 2;
  Value pairs = tensor::ExpandShapeOp::create(
      b, withSize(to, d, half), op.getSource(), pairUp(from.getRank()));
  Value spectrum = transformAlong(b, pairs, /*inverse=*/false, d);
  Value again = takeFirst(b, spectrum, d, 1); // It is periodic.
  spectrum = tensor::ConcatOp::create(b, to, d, ValueRange{spectrum, again});
  Maps maps{b, rank};
  return mapComplex(b, to,
                    {spectrum, spectrum,
                     halfTwiddles(b, 2 * half, half + 1, to.getElementType())},
                    {maps.here(), maps.reversed(half), maps.frequency()},
                    [](ArrayRef<Expr> re, ArrayRef<Expr> im) -> Parts {
                      Parts odd = {im[0] + im[1], re[1] - re[0]};
                      Parts turned = multiply({re[2], im[2]}, odd);
                      return {0.5 * (re[0] + re[1]) + turned.re,
                              0.5 * (im[0] - im[1]) + turned.im};
                    });
}

/// Elements as the real parts of numbers whose imaginary parts are zero.
static Value toComplex(ImplicitLocOpBuilder &b, Value source) {
  RankedTensorType from = typeOf(source);
  SmallVector<int64_t> shape(from.getShape());
  shape.push_back(2);
  int64_t rank = shape.size();
  AffineMap all = b.getMultiDimIdentityMap(rank);
  Value init = tensor::EmptyOp::create(b, shape, from.getElementType());
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto build = [&](OpBuilder &nested, Location loc, ValueRange args) {
    Expr isReal = isFirst(ExprBuilder(nested, loc), rank - 1);
    linalg::YieldOp::create(nested, loc, Value(select(isReal, args[0], 0)));
  };
  return linalg::GenericOp::create(b, from.clone(shape), source, init,
                                   ArrayRef{all.getMajorSubMap(rank - 1), all},
                                   loops, build)
      .getResult(0);
}

namespace {
struct ExpandRfft : OpRewritePattern<RfftOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RfftOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    RankedTensorType type = typeOf(op.getResult());
    int64_t d = type.getRank() - 2;
    if (typeOf(op.getSource()).getShape().back() % 2 == 0) {
      rewriter.replaceOp(op, transformPairs(b, op));
      return success();
    }
    Value spectrum = transformAlong(b, toComplex(b, op.getSource()),
                                    /*inverse=*/false, d);
    rewriter.replaceOp(op, takeFirst(b, spectrum, d, type.getDimSize(d)));
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// gpuvm.irfft
//===----------------------------------------------------------------------===//

static Value pairsFromSpectrum(ImplicitLocOpBuilder &b, IrfftOp op) {
  RankedTensorType from = typeOf(op.getSource()), to = typeOf(op.getResult());
  int64_t rank = from.getRank(), d = rank - 2, half = to.getShape().back() / 2;
  Maps maps{b, rank};
  Value packed =
      mapComplex(b, withSize(from, d, half),
                 {takeFirst(b, op.getSource(), d, half), op.getSource(),
                  halfTwiddles(b, 2 * half, half, from.getElementType())},
                 {maps.here(), maps.reversed(half), maps.frequency()},
                 [&](ArrayRef<Expr> re, ArrayRef<Expr> im) -> Parts {
                   // The imaginary parts of the first and the last number do
                   // not count.
                   Expr zero = im[0].constant(0),
                        isEnd = isFirst(im[0].builder(), d);
                   Expr first = select(isEnd, zero, im[0]);
                   Expr last = select(isEnd, zero, im[1]);
                   Parts odd = {re[0] - re[1], first + last};
                   Expr turnedRe = re[2] * odd.re;
                   turnedRe = turnedRe + im[2] * odd.im;
                   Expr turnedIm = re[2] * odd.im;
                   turnedIm = turnedIm - im[2] * odd.re;
                   return {0.5 * (re[0] + re[1]) - turnedIm,
                           0.5 * (first - last) + turnedRe};
                 });
  return FftOp::create(b, to, packed, Value(), b.getUnitAttr(),
                       b.getI64IntegerAttr(d), b.getI64IntegerAttr(d));
}

/// Frequencies first .. first - count + 1, downwards, with their signs changed.
static Value mirrored(ImplicitLocOpBuilder &b, Value spectrum, int64_t first,
                      int64_t count) {
  RankedTensorType type = typeOf(spectrum);
  int64_t d = type.getRank() - 2;
  return mapComplex(b, withSize(type, d, count), {spectrum},
                    {Maps{b, type.getRank()}.reversed(first)},
                    [](ArrayRef<Expr> re, ArrayRef<Expr> im) -> Parts {
                      return {re[0], -im[0]};
                    });
}

static Value oddFromSpectrum(ImplicitLocOpBuilder &b, IrfftOp op) {
  RankedTensorType from = typeOf(op.getSource()), to = typeOf(op.getResult());
  int64_t rank = from.getRank(), d = rank - 2;
  int64_t length = to.getShape().back(), kept = from.getDimSize(d);
  Value spectrum = mapComplex(
      b, from, {op.getSource()}, {Maps{b, rank}.here()},
      [&](ArrayRef<Expr> re, ArrayRef<Expr> im) -> Parts {
        return {re[0], select(isFirst(im[0].builder(), d), 0, im[0])};
      });
  if (length > 1)
    spectrum = tensor::ConcatOp::create(
        b, withSize(from, d, length), d,
        ValueRange{spectrum, mirrored(b, spectrum, kept - 1, length - kept)});
  Value signal = transformAlong(b, spectrum, /*inverse=*/true, d);
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(rank, b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(b.getContext(), to.getShape());
  sizes.push_back(b.getIndexAttr(1)); // The real parts.
  return tensor::ExtractSliceOp::create(b, to, signal, offsets, sizes, strides);
}

namespace {
struct ExpandIrfft : OpRewritePattern<IrfftOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(IrfftOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    bool isEven = typeOf(op.getResult()).getShape().back() % 2 == 0;
    rewriter.replaceOp(op, isEven ? pairsFromSpectrum(b, op)
                                  : oddFromSpectrum(b, op));
    return success();
  }
};
} // namespace

void gpuvm::populateExpandRealFftPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandRfft, ExpandIrfft>(patterns.getContext());
}
