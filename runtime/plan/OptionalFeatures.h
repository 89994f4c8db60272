//===- OptionalFeatures.h - optional features of kernels --------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel asks the driver to keep signs of zero, infinities and NaNs by an
// execution mode, which is valid only on devices with a feature. Its code is
// the same without it, and so are results without such numbers: only where
// results are to be the same to the bit, which takes the rounding mode as well,
// it needs the feature.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/plan/Plan.h"
#include "runtime/plan/SpirvDefinitions.h"

#include <vector>

namespace vm {

/// Whether `kernel` names `feature` and can do without it: it is
/// signed_zero_inf_nan_32 or _64, and round_to_even of that width is not named.
bool isOptional(const Kernel &kernel, Feature feature);

/// The module `spirv`, which is valid, without the execution mode that stands
/// for an optional feature, and what only that mode needs.
std::vector<uint32_t> withoutFeature(SpirvWords spirv, Feature feature);

/// Takes from the kernels of `plan` the optional features that are not among
/// `there`.
void dropOptionalFeatures(Plan &plan, const std::vector<Feature> &there);

} // namespace vm
