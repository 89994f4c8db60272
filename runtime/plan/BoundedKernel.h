//===- BoundedKernel.h - kernels that stay within their memory ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device with robust buffer access keeps a kernel within its storage buffers.
// Nothing keeps it within its workgroup and private memory, which on a CPU
// device lie in the host's heap and stack, and nothing clears them. So a
// kernel from a stranger is rewritten before a driver sees it:
//
//  - An index of an access chain or of a vector's element that is not known to
//    be in range (ValueRanges.h) becomes the smaller one of itself, as an
//    unsigned number, and the last element's.
//  - Private and function variables without initializers get zeros; undefined
//    values become zeros. Workgroup memory is cleared where the device can.
//  - A kernel that this cannot be said of is refused: pointers that do not come
//    from variables, and cooperative matrices in workgroup memory that their
//    array cannot hold.
//
// SPIRV-Tools' graphics-robust-access does part of this, but reads no module
// with cooperative matrices, and clears nothing.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

#include <cstdint>
#include <span>
#include <vector>

namespace vm {

/// The words of `kernel`, which must have passed checkKernel, with bounds.
/// Code::BadInput: see above.
Result<std::vector<uint32_t>> boundKernel(const Kernel &kernel);

/// The same for all kernels of a plan, in place.
Status boundKernels(Plan &plan);

/// The words of a valid module whose Workgroup variables are cleared before a
/// workgroup starts (VK_KHR_zero_initialize_workgroup_memory).
std::vector<uint32_t> withClearedWorkgroup(std::span<const uint32_t> spirv);

} // namespace vm
