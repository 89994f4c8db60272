//===- Pack.cpp - linalg.pack and linalg.unpack ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A packed tensor has the tiles of another: its outer dimensions say which
// tile, in an order of their own, its inner ones where in it.
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Evaluate.h"
#include "compiler/reference/TensorIndex.h"

using namespace mlir;
using namespace mlir::gpuvm::reference;
using vm::HostTensor;

/// Where the element at `packed` lies in the tensor that is not packed.
template <typename OpTy>
static SmallVector<int64_t> findUnpacked(OpTy op, ArrayRef<int64_t> packed) {
  size_t rank = packed.size() - op.getInnerDimsPos().size();
  SmallVector<int64_t> index(rank);
  for (size_t i = 0; i < rank; ++i) {
    ArrayRef<int64_t> order = op.getOuterDimsPerm();
    index[order.empty() ? i : order[i]] = packed[i];
  }
  for (auto [i, dim] : llvm::enumerate(op.getInnerDimsPos()))
    index[dim] = index[dim] * op.getStaticInnerTiles()[i] + packed[rank + i];
  return index;
}

static bool isInside(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  return llvm::all_of_zip(index, shape,
                          [](int64_t i, int64_t size) { return i < size; });
}

Results gpuvm::reference::evaluate(linalg::PackOp op, const Environment &env) {
  Tensor source = env.get(op.getSource());
  HostTensor result = *env.get(op.getDest());
  Tensor padding =
      op.getPaddingValue() ? env.get(op.getPaddingValue()) : Tensor();
  int64_t next = 0;
  forEachIndex(result.shape, [&](ArrayRef<int64_t> packed) {
    SmallVector<int64_t> index = findUnpacked(op, packed);
    if (isInside(index, source->shape))
      copyElement(result, next, *source, linearize(source->shape, index));
    else if (padding)
      copyElement(result, next, *padding, 0);
    ++next;
  });
  return SmallVector<Tensor>{share(std::move(result))};
}

Results gpuvm::reference::evaluate(linalg::UnPackOp op,
                                   const Environment &env) {
  Tensor source = env.get(op.getSource());
  HostTensor result = *env.get(op.getDest());
  int64_t next = 0;
  forEachIndex(source->shape, [&](ArrayRef<int64_t> packed) {
    SmallVector<int64_t> index = findUnpacked(op, packed);
    if (isInside(index, result.shape))
      copyElement(result, linearize(result.shape, index), *source, next);
    ++next;
  });
  return SmallVector<Tensor>{share(std::move(result))};
}
