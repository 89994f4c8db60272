//===- GgmlType.cpp - types of tensors in model files ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/gguf/GgmlType.h"

#include <fmt/format.h>

namespace vm::llm {

GgmlBlock blockOf(GgmlType type) {
  switch (type) {
#define GGML_TYPE(name, code, elements, bytes)                                 \
  case GgmlType::name:                                                         \
    return {#name, elements, bytes};
#include "frontends/llm/gguf/GgmlTypes.def"
  }
  return {};
}

Result<GgmlType> toGgmlType(uint32_t code) {
  switch (code) {
#define GGML_TYPE(name, code, elements, bytes)                                 \
  case code:                                                                   \
    return GgmlType::name;
#define GGML_REMOVED_TYPE(name, code)                                          \
  case code:                                                                   \
    return Status(Code::BadInput,                                              \
                  "The type " #code " (" #name ") was removed from ggml.");
#include "frontends/llm/gguf/GgmlTypes.def"
  }
  return Status(Code::BadInput,
                fmt::format("ggml has no type {} (its types are 0 to {}).",
                            code, static_cast<uint32_t>(kLastGgmlType)));
}

} // namespace vm::llm
