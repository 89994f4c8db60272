//===- SpirvTools.h - RAII for the C interface of SPIRV-Tools -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Printable.h"

#include <spirv-tools/libspirv.h>

#include <cstdint>
#include <span>
#include <string>

namespace vm {

class SpirvContext {
public:
  explicit SpirvContext(spv_target_env environment)
      : context(spvContextCreate(environment)) {}
  ~SpirvContext() { spvContextDestroy(context); }
  SpirvContext(const SpirvContext &) = delete;
  SpirvContext &operator=(const SpirvContext &) = delete;
  spv_context get() const { return context; }

private:
  spv_context context;
};

class SpirvDiagnostic {
public:
  SpirvDiagnostic() = default;
  ~SpirvDiagnostic() { spvDiagnosticDestroy(diagnostic); }
  SpirvDiagnostic(const SpirvDiagnostic &) = delete;
  SpirvDiagnostic &operator=(const SpirvDiagnostic &) = delete;
  spv_diagnostic *out() { return &diagnostic; }

  /// The message without the disassembled instructions below it and without a
  /// full stop at its end.
  std::string firstLine() const {
    std::string text = diagnostic ? diagnostic->error : "no message";
    text = text.substr(0, text.find('\n'));
    return printable(text.substr(0, text.find_last_not_of(". ") + 1), 200);
  }

private:
  spv_diagnostic diagnostic = nullptr;
};

/// The text of a SPIR-V literal string, whose first character is the lowest
/// byte of the first word.
inline std::string spirvString(std::span<const uint32_t> words) {
  std::string text;
  for (uint32_t word : words)
    for (unsigned shift = 0; shift < 32; shift += 8) {
      char character = static_cast<char>(word >> shift);
      if (character == '\0')
        return text;
      text += character;
    }
  return text;
}

/// Extended instructions that compute nothing (SPV_KHR_non_semantic_info).
inline bool isNonSemantic(spv_ext_inst_type_t type) {
  return type == SPV_EXT_INST_TYPE_NONSEMANTIC_CLSPVREFLECTION ||
         type == SPV_EXT_INST_TYPE_NONSEMANTIC_SHADER_DEBUGINFO_100 ||
         type == SPV_EXT_INST_TYPE_NONSEMANTIC_UNKNOWN;
}

} // namespace vm
