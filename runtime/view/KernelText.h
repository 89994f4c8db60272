//===- KernelText.h - a kernel as SPIR-V assembly and as GLSL
//-----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

#include <string>

namespace vm {

/// SPIR-V assembly with names for people; the reason as a comment where
/// SPIRV-Tools has none.
std::string assemblyOf(const Kernel &kernel);

/// GLSL with its lines printable; Code::BadInput if SPIRV-Cross cannot express
/// the kernel.
Result<std::string> glslOf(const Kernel &kernel);

} // namespace vm
