//===- IterationSpace.cpp - points of a loop nest and their elements ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/IterationSpace.h"

using namespace mlir;
using namespace mlir::gpuvm::reference;

static int64_t rowMajorOffset(ArrayRef<int64_t> shape,
                              ArrayRef<int64_t> index) {
  int64_t offset = 0;
  for (auto [dim, i] : llvm::zip_equal(shape, index))
    offset = offset * dim + i;
  return offset;
}

void Access::findCoefficients() {
  map.walkExprs([&](AffineExpr expr) {
    AffineExprKind kind = expr.getKind();
    isLinear &= kind != AffineExprKind::Mod &&
                kind != AffineExprKind::FloorDiv &&
                kind != AffineExprKind::CeilDiv;
  });
  if (!isLinear)
    return;
  SmallVector<int64_t> point(map.getNumDims(), 0);
  base = rowMajorOffset(shape, map.compose(point));
  for (unsigned d = 0; d < point.size(); ++d) {
    point[d] = 1;
    int64_t step = rowMajorOffset(shape, map.compose(point)) - base;
    if (step != 0)
      coefficients.push_back({d, step});
    point[d] = 0;
  }
}

std::optional<int64_t> Access::linearize(ArrayRef<int64_t> point) const {
  SmallVector<int64_t> index = map.compose(point);
  for (auto [dim, i] : llvm::zip_equal(shape, index))
    if (i < 0 || i >= dim)
      return std::nullopt;
  return rowMajorOffset(shape, index);
}

/// False if an element is outside the tensor.
bool Access::findOffsets(const ScalarCode &code, int64_t count) {
  if (isLinear) {
    std::fill_n(offsets.begin(), count, base);
    for (auto [loop, coefficient] : coefficients)
      for (int64_t i = 0; i < count; ++i)
        offsets[i] += coefficient * code.indices(loop)[i];
    return true;
  }
  SmallVector<int64_t> point(map.getNumDims());
  for (int64_t i = 0; i < count; ++i) {
    for (unsigned d = 0; d < point.size(); ++d)
      point[d] = code.indices(d)[i];
    std::optional<int64_t> offset = linearize(point);
    if (!offset)
      return false;
    offsets[i] = *offset;
  }
  return true;
}

void LoopNest::fillRun(const ScalarCode &code, int64_t first,
                       int64_t count) const {
  SmallVector<int64_t> index = getIndex(first);
  for (int64_t i = 0; i < count; ++i) {
    for (auto [loop, value] : llvm::zip_equal(loops, index))
      code.indices(loop)[i] = value;
    for (size_t d = loops.size(); d-- > 0;) {
      if (++index[d] < ranges[d])
        break;
      index[d] = 0;
    }
  }
}

void LoopNest::fillSame(const ScalarCode &code, int64_t iteration,
                        int64_t count) const {
  for (auto [loop, value] : llvm::zip_equal(loops, getIndex(iteration)))
    std::fill_n(code.indices(loop), count, value);
}

FailureOr<SmallVector<int64_t>>
gpuvm::reference::findLoopRanges(linalg::GenericOp op, const Environment &env) {
  SmallVector<int64_t> sizes;
  for (Value operand : op->getOperands())
    llvm::append_range(sizes, env.get(operand)->shape);
  SmallVector<int64_t> ranges = op.getShapesToLoopsMap().compose(sizes);
  for (OpOperand &operand : op->getOpOperands())
    for (auto [index, size] :
         llvm::zip_equal(op.getMatchingIndexingMap(&operand).getResults(),
                         env.get(operand.get())->shape))
      if (auto loop = dyn_cast<AffineDimExpr>(index);
          loop && ranges[loop.getPosition()] != size)
        return op.emitOpError("has operands with ")
               << ranges[loop.getPosition()] << " and " << size << " rows";
  return ranges;
}
