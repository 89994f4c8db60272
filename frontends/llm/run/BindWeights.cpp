//===- BindWeights.cpp - the weights of a model in a plan -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/run/BindWeights.h"

using namespace vm;
using namespace vm::llm;

Status vm::llm::bindWeights(DevicePlan &plan, const GgufFile &file,
                            const Model &model) {
  std::vector<ModelTensor> tensors = tensorsOf(model);
  std::vector<gpuvm_file_range> ranges;
  for (const ModelTensor &tensor : tensors) {
    const GgufTensor *place = file.findTensor(tensor.name);
    ranges.push_back({sizeof(gpuvm_file_range), tensor.name.c_str(), 0,
                      place->sizeBytes, place->offset});
  }
  return plan.bindRanges(file.path(), ranges);
}
