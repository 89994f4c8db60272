//===- Bench.h - how fast prompts are read and answers made -----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/run/ModelRun.h"

#include <string>

namespace vm::chat {

/// Prints llama-bench's table: pp512 and tg128, tokens a second, the mean of
/// five and their standard deviation, after one that is not counted.
Status bench(llm::ModelRun &run, const llm::GgufFile &file,
             const llm::Model &model);

} // namespace vm::chat
