//===- GgmlType.h - types of tensors in model files -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All of ggml's types by name, so that a message can name one that nothing here
// computes with.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"

#include <cstdint>
#include <string_view>

namespace vm::llm {

/// The values are those in files.
enum class GgmlType : uint32_t {
#define GGML_TYPE(name, code, elements, bytes) name = code,
#include "frontends/llm/gguf/GgmlTypes.def"
};
inline constexpr GgmlType kLastGgmlType = GgmlType::Q2_0;

/// A row of a tensor is blocks of equal size, one after the other.
struct GgmlBlock {
  std::string_view name; ///< Of the type, as ggml.h spells it: "Q4_K".
  uint32_t elements = 0;
  uint32_t bytes = 0;
};

GgmlBlock blockOf(GgmlType type);
inline std::string_view nameOf(GgmlType type) { return blockOf(type).name; }

/// The type whose value is `code`, or BadInput with a sentence that names what
/// was removed from ggml.
Result<GgmlType> toGgmlType(uint32_t code);

} // namespace vm::llm
