//===- KernelText.cpp - a kernel as SPIR-V assembly and as GLSL
//---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/view/KernelText.h"

#include "runtime/base/Printable.h"
#include "runtime/plan/KernelReflection.h"
#include "runtime/plan/KnownModule.h"
#include "runtime/plan/SpirvTools.h"

namespace vm {

std::string assemblyOf(const Kernel &kernel) {
  KnownModule known = toKnownModule(kernel.spirv);
  SpirvContext context(known.environment);
  SpirvDiagnostic diagnostic;
  spv_text text = nullptr;
  uint32_t options = SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES |
                     SPV_BINARY_TO_TEXT_OPTION_INDENT;
  spv_result_t result =
      spvBinaryToText(context.get(), known.words.data(), known.words.size(),
                      options, &text, diagnostic.out());
  std::string assembly = result == SPV_SUCCESS
                             ? printableLines({text->str, text->length})
                             : "; " + diagnostic.firstLine() + "\n";
  spvTextDestroy(text);
  return assembly;
}

Result<std::string> glslOf(const Kernel &kernel) {
  Result<std::string> glsl = decompileToGlsl(kernel.name, kernel.spirv);
  return glsl.ok() ? Result<std::string>(printableLines(*glsl)) : glsl;
}

} // namespace vm
