//===- BuiltInCheck.h - the built-in variables of a kernel ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SPIRV-Tools of Debian 12 lets some have a type that is not theirs, which
// drivers do not expect: llvmpipe crashes on a LocalInvocationIndex of vectors.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

namespace vm {

/// Code::BadInput if the kernel, which SPIRV-Tools has validated, has built-in
/// variables of other types than Vulkan's, or others than compute kernels have.
Status checkBuiltIns(const Kernel &kernel);

} // namespace vm
