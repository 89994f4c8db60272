//===- Variants.h - the kernels of a plan that suit a device ----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/device/DeviceInfo.h"

namespace vm {

/// Puts the first variant of each kernel that `info` can run in its place and
/// drops the others; afterwards no kernel has variants. Commands that the
/// device does without become LeftOut; a kernel that only they dispatched has
/// no SPIR-V. `plan` is verified.
void chooseVariants(Plan &plan, const DeviceInfo &info);

/// Leaves every kernel of `plan` as it is, and drops the variants.
void dropVariants(Plan &plan);

} // namespace vm
