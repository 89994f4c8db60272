//===- FaultInjection.h - makes Vulkan calls fail on purpose --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands between the runtime and Vulkan: volk's loader functions are variables,
// and from them the runtime gets all others. The layers below see nothing of a
// call that is made to fail, so validation goes on reporting what leaks.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/device/VulkanApi.h"

#include <cstdint>
#include <string>

namespace vm::test {

/// The ways in which calls fail; each function knows those that Vulkan's
/// specification lists for it, and pipelines are refused without a reason too.
enum class Fault { HostMemory, DeviceMemory, DeviceLost, Refusal };
constexpr Fault kFaults[] = {Fault::HostMemory, Fault::DeviceMemory,
                             Fault::DeviceLost};
VkResult resultOf(Fault fault);

/// From now on instances and devices get the interposed functions. Vulkan must
/// have been loaded, that is, a VM booted.
void interposeVulkan();

/// Makes the `index`-th call (from 0) that can fail like this do so, once.
void injectFault(Fault fault, uint64_t index);
/// Ends that. The function that was made to fail; "" if there was no such call.
std::string endInjection();

/// Objects that exist now: created minus destroyed, all kinds together.
int64_t liveVulkanObjects();

} // namespace vm::test
