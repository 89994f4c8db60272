//===- Gather.cpp - rows picked by their numbers --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Evaluate.h"
#include "dialects/gpuvm/Gpuvm.h"

#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::reference;

static SmallVector<int32_t> numbersOf(const vm::HostTensor &tensor) {
  SmallVector<int32_t> numbers(tensor.numElements());
  std::memcpy(numbers.data(), tensor.bytes.data(), tensor.bytes.size());
  return numbers;
}

Results gpuvm::reference::evaluate(GatherOp op, const Environment &env) {
  Tensor source = env.get(op.getSource()), rows = env.get(op.getRows());
  if (failed(requireSpecified(op, rows)))
    return failure();
  vm::HostTensor result = *makeZero(
      op.getResult().getType(), rows->shape.empty() ? 0 : rows->shape.front());
  int64_t last = withAllRows(typeOf(op.getSource())).getDimSize(0) - 1;
  uint64_t bytes = rowBytes(*source);
  uint64_t width = bytes / byteSize(source->dtype);
  std::vector<uint8_t> flags(result.numElements());
  CausePtr cause = source.unspecified() ? source.unspecified()->cause : nullptr;
  for (auto [place, number] : llvm::enumerate(numbersOf(*rows))) {
    int64_t row = std::clamp<int64_t>(number, 0, last);
    bool isThere = row < source->shape.front();
    if (!isThere && !cause)
      cause = std::make_shared<const Cause>(
          Cause{op, "picks row " + std::to_string(row) + " of " +
                        std::to_string(source->shape.front())});
    uint8_t *own = flags.data() + place * width;
    if (!isThere)
      std::memset(own, 1, width);
    else if (source.flags())
      std::memcpy(own, source.flags() + row * width, width);
    if (isThere)
      std::memcpy(result.bytes.data() + place * bytes,
                  source->bytes.data() + row * bytes, bytes);
  }
  return SmallVector<Tensor>{
      share(std::move(result), makeUnspecified(std::move(flags), cause))};
}

vm::HostTensor gpuvm::reference::storeRows(vm::HostTensor whole,
                                           const vm::HostTensor &rows,
                                           int64_t position) {
  int64_t count = whole.shape[0];
  uint64_t bytes = rowBytes(whole);
  for (int64_t i = 0; i < rows.shape[0]; ++i)
    if (position + i >= 0 && position + i < count)
      std::memcpy(whole.bytes.data() + (position + i) * bytes,
                  rows.bytes.data() + i * bytes, bytes);
  return whole;
}
