//===- HostTensor.cpp - a tensor in host memory ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/io/HostTensor.h"

#include "runtime/plan/PlanNames.h"

using namespace vm;

uint64_t HostTensor::numElements() const {
  uint64_t count = 1;
  for (int64_t dim : shape)
    count *= static_cast<uint64_t>(dim);
  return count;
}

std::string HostTensor::typeString() const {
  return vm::typeString(dtype, shape);
}

void vm::keepRows(HostTensor &tensor, int64_t rows) {
  uint64_t rowBytes = tensor.bytes.size() / tensor.shape.front();
  tensor.shape.front() = rows;
  tensor.bytes.resize(rows * rowBytes);
}
