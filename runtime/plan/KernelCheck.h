//===- KernelCheck.h - a kernel's SPIR-V against its declaration ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hazard check and the device check rely on what the manifest says about a
// kernel, so the manifest must be right. The module is validated (SPIRV-Tools),
// reflected (SPIRV-Cross) and its pointers are followed to the loads and stores
// of every binding. docs/plan-format.md numbers the rules K1..Kn.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Deadline.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

namespace vm {

/// Checks one kernel: valid SPIR-V for Vulkan 1.2, one entry point with the
/// declared name and local size, exactly the declared storage buffers of set 0
/// and no other resource, no more accesses, features and workgroup memory than
/// declared. Code::BadInput with the first difference.
Status checkKernel(const Kernel &kernel);

/// checkKernel on every kernel of a plan.
Status checkKernels(const Plan &plan, const Deadline &deadline = {});

} // namespace vm
