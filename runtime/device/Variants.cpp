//===- Variants.cpp - the kernels of a plan that suit a device ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/Variants.h"

#include "runtime/device/DeviceSelection.h"

#include <algorithm>
#include <optional>

namespace vm {

/// Drops the windows that are for other kernels than the one that was chosen.
template <typename Op> static void fitWindows(const Plan &plan, Op &dispatch) {
  const std::vector<Binding> &bindings = plan.kernels[dispatch.kernel].bindings;
  std::erase_if(dispatch.windows, [&](const BoundWindow &bound) {
    auto binding = std::lower_bound(
        bindings.begin(), bindings.end(), bound.binding,
        [](const Binding &b, uint32_t number) { return b.binding < number; });
    return binding == bindings.end() || binding->binding != bound.binding;
  });
}

/// Leaves out the commands that the device does without, and the code of the
/// kernels that no command dispatches any more.
static void leaveOutCommands(Plan &plan, const DeviceInfo &info) {
  std::vector<bool> isNeeded(plan.kernels.size(), true);
  auto kernelOf = [](const Command &command) -> const uint32_t * {
    if (const auto *direct = std::get_if<Dispatch>(&command.op))
      return &direct->kernel;
    const auto *indirect = std::get_if<DispatchIndirect>(&command.op);
    return indirect ? &indirect->kernel : nullptr;
  };
  for (Command &command : plan.commands) {
    if (!command.unless || std::find(info.features.begin(), info.features.end(),
                                     *command.unless) == info.features.end())
      continue;
    if (const uint32_t *kernel = kernelOf(command))
      isNeeded[*kernel] = false;
    command.op = LeftOut();
  }
  for (const Command &command : plan.commands)
    if (const uint32_t *kernel = kernelOf(command))
      isNeeded[*kernel] = true;
  for (size_t i = 0; i < plan.kernels.size(); ++i)
    if (!isNeeded[i])
      plan.kernels[i] = {.name = std::move(plan.kernels[i].name)};
}

/// Whether the device is of the kind that the kernel is for, and has all that
/// it needs.
static bool canRun(const DeviceInfo &info, const Kernel &kernel) {
  DeviceKind own =
      info.type == DeviceType::Cpu ? DeviceKind::Cpu : DeviceKind::Gpu;
  return kernel.device.value_or(own) == own &&
         refusalReasons(info, requirementsOf(kernel)).empty();
}

/// Puts `chosen`, if there is one for a kernel, in the place of the kernel.
template <typename ChooseFn>
static void replaceKernels(Plan &plan, ChooseFn chosen) {
  size_t count = 0;
  for (Kernel &kernel : plan.kernels) {
    std::vector<uint32_t> variants = std::move(kernel.variants);
    count += variants.size();
    if (std::optional<uint32_t> variant = chosen(variants))
      kernel = std::move(plan.kernels[*variant]);
    kernel.variants.clear();
  }
  plan.kernels.resize(plan.kernels.size() - count); // They are the last ones.
  for (Command &command : plan.commands) {
    if (auto *direct = std::get_if<Dispatch>(&command.op)) {
      fitWindows(plan, *direct);
      if (std::optional<uint32_t> groups = plan.kernels[direct->kernel].groups)
        direct->groups = {*groups, 1, 1};
    } else if (auto *indirect = std::get_if<DispatchIndirect>(&command.op)) {
      fitWindows(plan, *indirect);
    }
  }
}

void chooseVariants(Plan &plan, const DeviceInfo &info) {
  replaceKernels(plan, [&](const std::vector<uint32_t> &variants) {
    auto chosen =
        std::find_if(variants.begin(), variants.end(), [&](uint32_t number) {
          return canRun(info, plan.kernels[number]);
        });
    return chosen == variants.end() ? std::nullopt : std::optional(*chosen);
  });
  leaveOutCommands(plan, info);
}

void dropVariants(Plan &plan) {
  replaceKernels(plan, [](const std::vector<uint32_t> &) {
    return std::optional<uint32_t>();
  });
}

} // namespace vm
