//===- TensorIndex.h - the elements of a tensor by their indices ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "compiler/reference/Tensor.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::gpuvm::reference {

/// Calls `visit` with every index below `shape`, row-major.
inline void forEachIndex(ArrayRef<int64_t> shape,
                         function_ref<void(ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t> index(shape.size(), 0);
  if (llvm::is_contained(shape, 0))
    return;
  while (true) {
    visit(index);
    size_t d = shape.size();
    while (d-- > 0) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
    if (d == static_cast<size_t>(-1))
      return;
  }
}

/// The number of the element at `index`, row-major.
inline int64_t linearize(ArrayRef<int64_t> shape, ArrayRef<int64_t> index) {
  int64_t offset = 0;
  for (auto [dim, i] : llvm::zip_equal(shape, index))
    offset = offset * dim + i;
  return offset;
}

inline void copyElement(vm::HostTensor &to, int64_t toIndex,
                        const vm::HostTensor &from, int64_t fromIndex) {
  uint64_t size = byteSize(to.dtype);
  std::memcpy(to.bytes.data() + toIndex * size,
              from.bytes.data() + fromIndex * size, size);
}

} // namespace mlir::gpuvm::reference
