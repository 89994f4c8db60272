//===- NpyFuzz.cpp - any bytes through the .npy reader -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that is accepted must be sound: its bytes are its type's bytes, and
// what is written from it reads back the same.
//
//===----------------------------------------------------------------------===//

#include "runtime/io/NpyHeader.h"

#include <cstdlib>

using namespace vm;

static void require(bool condition) {
  if (!condition)
    abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<HostTensor> tensor = parseNpy({data, size});
  if (!tensor.ok()) {
    require(tensor.status().code() == Code::BadInput);
    require(tensor.status().message().ends_with('.'));
    return 0;
  }
  require(tensor->bytes.size() ==
          tensor->numElements() * byteSize(tensor->dtype));
  std::vector<uint8_t> file = formatNpyHeader(tensor->dtype, tensor->shape);
  file.insert(file.end(), tensor->bytes.begin(), tensor->bytes.end());
  Result<HostTensor> back = parseNpy(file);
  require(back.ok() && back->dtype == tensor->dtype &&
          back->shape == tensor->shape && back->bytes == tensor->bytes);
  return 0;
}
