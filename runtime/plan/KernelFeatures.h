//===- KernelFeatures.h - SPIR-V capabilities against declared features ---===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device check believes the features that the manifest declares, so a
// module must not use anything beyond them. What no feature covers and Vulkan
// 1.2 does not guarantee is refused.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/KernelScan.h"
#include "runtime/plan/Plan.h"

namespace vm {

/// Ok if the capabilities, extensions and execution modes of the module are
/// covered by `kernel.features`.
Status checkFeatures(const Kernel &kernel, const KernelFacts &facts);

/// The features that the module's capabilities and execution modes ask for,
/// sorted; what no feature covers is left to checkFeatures.
std::vector<Feature> requiredFeatures(const KernelFacts &facts);

} // namespace vm
