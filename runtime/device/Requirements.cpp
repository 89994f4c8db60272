//===- Requirements.cpp - device requirements of a plan -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass over kernels, regions and commands.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/Requirements.h"

#include "runtime/base/CheckedMath.h"
#include "runtime/plan/OptionalFeatures.h"

#include <fmt/format.h>

#include <algorithm>

namespace vm {

void LimitNeed::raise(uint64_t newValue, const std::string &newUser) {
  if (newValue <= value)
    return;
  value = newValue;
  user = newUser;
}

static std::string kernelSubject(const Kernel &kernel) {
  return fmt::format("Kernel \"{}\"", kernel.name);
}

static void addFeatures(Requirements &needs, const Kernel &kernel) {
  for (Feature feature : kernel.features) {
    if (isOptional(kernel, feature))
      continue;
    bool known = std::any_of(
        needs.features.begin(), needs.features.end(),
        [&](const FeatureNeed &need) { return need.feature == feature; });
    if (!known)
      needs.features.push_back({feature, kernel.name});
  }
}

static void addKernel(Requirements &needs, const Kernel &kernel) {
  std::string subject = kernelSubject(kernel);
  addFeatures(needs, kernel);
  needs.storageBuffers.raise(kernel.bindings.size(), subject);
  needs.workgroupMemory.raise(kernel.workgroupMemoryBytes, subject);
  uint64_t invocations = 1;
  for (unsigned axis = 0; axis < 3; ++axis) {
    needs.localSize[axis].raise(kernel.localSize[axis], subject);
    invocations =
        checkedMul(invocations, kernel.localSize[axis]).value_or(UINT64_MAX);
  }
  needs.invocations.raise(invocations, subject);
}

Requirements requirementsOf(const Kernel &kernel) {
  Requirements needs;
  addKernel(needs, kernel);
  return needs;
}

static void addWindows(Requirements &needs, const Plan &plan, uint32_t kernel,
                       const std::vector<BoundWindow> &windows) {
  for (const BoundWindow &bound : windows)
    needs.windowBytes.raise(
        bound.window.length,
        fmt::format("The window at byte {} of region {} that kernel \"{}\" "
                    "binds at binding {}",
                    bound.window.offset, toString(bound.window.region),
                    plan.kernels[kernel].name, bound.binding));
}

static void addDispatch(Requirements &needs, const Plan &plan,
                        const Dispatch &dispatch) {
  if (dispatch.kernel >= plan.kernels.size())
    return;
  addWindows(needs, plan, dispatch.kernel, dispatch.windows);
  std::string subject =
      "A dispatch of kernel \"" + plan.kernels[dispatch.kernel].name + "\"";
  for (unsigned axis = 0; axis < 3; ++axis)
    needs.groups[axis].raise(dispatch.groups[axis], subject);
}

Requirements requirementsOf(const Plan &plan,
                            const std::array<uint64_t, kNumRegions> &onHost) {
  Requirements needs;
  std::vector<bool> isVariant(plan.kernels.size());
  for (const Kernel &kernel : plan.kernels)
    for (uint32_t variant : kernel.variants)
      if (variant < isVariant.size())
        isVariant[variant] = true;
  for (size_t i = 0; i < plan.kernels.size(); ++i)
    if (!isVariant[i])
      addKernel(needs, plan.kernels[i]);
  std::sort(needs.features.begin(), needs.features.end(),
            [](const FeatureNeed &a, const FeatureNeed &b) {
              return a.feature < b.feature;
            });
  for (unsigned i = 0; i < kNumRegions; ++i) {
    uint64_t bytes = plan.regionBytes[i] - onHost[i];
    needs.regionBytes.raise(
        bytes, fmt::format("Region {}", toString(static_cast<Region>(i))));
    needs.totalRegionBytes =
        checkedAdd(needs.totalRegionBytes, bytes).value_or(UINT64_MAX);
  }
  for (const Command &command : plan.commands) {
    if (auto *dispatch = std::get_if<Dispatch>(&command.op))
      addDispatch(needs, plan, *dispatch);
    else if (auto *indirect = std::get_if<DispatchIndirect>(&command.op);
             indirect && indirect->kernel < plan.kernels.size())
      addWindows(needs, plan, indirect->kernel, indirect->windows);
    needs.clock |= std::holds_alternative<Clock>(command.op);
  }
  return needs;
}

} // namespace vm
