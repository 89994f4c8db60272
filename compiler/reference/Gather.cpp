//===- Gather.cpp - rows picked by their numbers --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Evaluate.h"
#include "dialects/gpuvm/Gpuvm.h"

#include <cstring>

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::reference;

static SmallVector<int32_t> numbersOf(const vm::HostTensor &tensor) {
  SmallVector<int32_t> numbers(tensor.numElements());
  std::memcpy(numbers.data(), tensor.bytes.data(), tensor.bytes.size());
  return numbers;
}

Results gpuvm::reference::evaluateGather(GatherOp op, const Environment &env) {
  Tensor source = env.get(op.getSource());
  vm::HostTensor result = *makeZero(op.getResult().getType());
  int64_t count = source->shape[0];
  uint64_t rowBytes = source->bytes.size() / count;
  uint8_t *next = result.bytes.data();
  for (int64_t row : numbersOf(*env.get(op.getRows()))) {
    if (row < 0)
      row = 0;
    if (row >= count)
      row = count - 1;
    std::memcpy(next, source->bytes.data() + row * rowBytes, rowBytes);
    next += rowBytes;
  }
  return SmallVector<Tensor>{share(std::move(result))};
}

vm::HostTensor gpuvm::reference::storeRows(vm::HostTensor whole,
                                           const vm::HostTensor &rows,
                                           int64_t position) {
  int64_t count = whole.shape[0];
  uint64_t rowBytes = whole.bytes.size() / count;
  for (int64_t i = 0; i < rows.shape[0]; ++i)
    if (position + i >= 0 && position + i < count)
      std::memcpy(whole.bytes.data() + (position + i) * rowBytes,
                  rows.bytes.data() + i * rowBytes, rowBytes);
  return whole;
}
