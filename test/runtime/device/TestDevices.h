//===- TestDevices.h - devices written by hand ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DeviceInfos with the figures of real devices, for tests of decisions.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/device/DeviceInfo.h"

namespace vm::test {

/// Mesa's CPU device as Debian 12 has it: everything, in small.
DeviceInfo makeLavapipe();
/// A discrete GPU with separate memory types and a small visible part.
DeviceInfo makeDiscreteGpu();
/// A small integrated GPU without f64, with unified memory.
DeviceInfo makeIntegratedGpu();

} // namespace vm::test
