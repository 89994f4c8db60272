//===- Qwen2.cpp - Qwen2 and Qwen2.5, dense -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/model/Model.h"

namespace vm::llm {

ReadArchitecture read_qwen2;

Status read_qwen2(const ModelKeys & /*keys*/, Model &model) {
  model.rotation = Rotation::Halves;
  model.hasBias = true;
  return {};
}

} // namespace vm::llm
