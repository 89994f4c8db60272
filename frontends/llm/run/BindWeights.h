//===- BindWeights.h - the weights of a model in a plan -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/engine/DevicePlan.h"
#include "frontends/llm/gguf/GgufFile.h"
#include "frontends/llm/model/Model.h"

namespace vm::llm {

/// Binds all tensors of the file's model, which are inputs of their names.
Status bindWeights(DevicePlan &plan, const GgufFile &file, const Model &model);

} // namespace vm::llm
