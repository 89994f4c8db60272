//===- KernelVerifier.cpp - kernel declarations ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Limits.h"
#include "runtime/plan/PlanNames.h"
#include "runtime/plan/VerifierHelpers.h"

#include <algorithm>
#include <array>
#include <set>

namespace vm::verify {
namespace {

Status verifyLocalSize(const Kernel &kernel) {
  const auto &[x, y, z] = kernel.localSize;
  for (unsigned axis = 0; axis < 3; ++axis) {
    uint32_t size = kernel.localSize[axis];
    if (size < 1 || size > limits::kMaxLocalSize)
      return bad("Kernel \"{}\" has local size {} along axis {} (1 to {} are "
                 "allowed).",
                 kernel.name, size, axis, limits::kMaxLocalSize);
  }
  uint64_t invocations = uint64_t(x) * y * z;
  if (invocations > limits::kMaxLocalSize)
    return bad("Kernel \"{}\" has {} invocations per workgroup (at most {} are "
               "allowed).",
               kernel.name, invocations, limits::kMaxLocalSize);
  return {};
}

Status verifyFeatures(const Kernel &kernel) {
  for (size_t i = 0; i < kernel.features.size(); ++i) {
    Feature feature = kernel.features[i];
    if (static_cast<size_t>(feature) >= kNumFeatures)
      return bad("Kernel \"{}\" needs an unknown feature ({}).", kernel.name,
                 static_cast<unsigned>(feature));
    if (i > 0 && feature <= kernel.features[i - 1])
      return bad("The features of kernel \"{}\" are not sorted and unique "
                 "(\"{}\" follows \"{}\").",
                 kernel.name, toString(feature),
                 toString(kernel.features[i - 1]));
  }
  return {};
}

/// Sorted bindings visit the windows of one region in order, so a window index
/// is dense if it is the number of windows seen before it.
Status verifyBindings(const Kernel &kernel) {
  VM_RETURN_IF_ERROR(
      checkCount(fmt::format("bindings of kernel \"{}\"", kernel.name),
                 kernel.bindings.size(), limits::kMaxBindings));
  std::array<uint32_t, kNumRegions> windows = {};
  for (size_t i = 0; i < kernel.bindings.size(); ++i) {
    const Binding &binding = kernel.bindings[i];
    if (i > 0 && binding.binding <= kernel.bindings[i - 1].binding)
      return bad("The bindings of kernel \"{}\" are not sorted and unique ({} "
                 "follows {}).",
                 kernel.name, binding.binding, kernel.bindings[i - 1].binding);
    Region region = regionOfBinding(binding.binding);
    uint32_t expected = windows[binding.binding % kNumRegions]++;
    if (windowOfBinding(binding.binding) != expected)
      return bad("Kernel \"{}\" binds window {} of region {} at binding {} "
                 "(window {} is next, at binding {}).",
                 kernel.name, windowOfBinding(binding.binding),
                 toString(region), binding.binding, expected,
                 binding.binding % kNumRegions + kNumRegions * expected);
    if (region == Region::Heap && binding.writes)
      return bad("Kernel \"{}\" writes binding {} of region heap (heap is "
                 "immutable).",
                 kernel.name, binding.binding);
  }
  return {};
}

Status verifyUnfinished(const Kernel &kernel) {
  if (!kernel.unfinished)
    return {};
  for (const Binding &binding : kernel.bindings)
    if (binding.binding == *kernel.unfinished && binding.writes)
      return {};
  return bad("Kernel \"{}\" says in binding {} whether a loop is unfinished, "
             "and does not write such a binding.",
             kernel.name, *kernel.unfinished);
}

/// A variant may say which devices it is for and how many workgroups it has.
Status verifyLaunch(const Kernel &kernel) {
  constexpr uint32_t kMostGroups = limits::kMaxGroups;
  if (kernel.device && *kernel.device > kLastDeviceKind)
    return bad("Kernel \"{}\" is for an unknown kind of device ({}).",
               kernel.name, static_cast<unsigned>(*kernel.device));
  if (kernel.groups && (*kernel.groups == 0 || *kernel.groups > kMostGroups))
    return bad("Kernel \"{}\" has {} workgroups (1 to {} are allowed).",
               kernel.name, *kernel.groups, kMostGroups);
  return {};
}

/// What only variants are for comes last, so that it can be left out.
Status verifyVariants(const Plan &plan, const Deadline &deadline) {
  size_t count = 0;
  for (const Kernel &kernel : plan.kernels) {
    VM_RETURN_IF_ERROR(
        checkCount(fmt::format("variants of kernel \"{}\"", kernel.name),
                   kernel.variants.size(), limits::kMaxVariants));
    count += kernel.variants.size();
  }
  std::vector<bool> taken(plan.kernels.size());
  for (const Kernel &kernel : plan.kernels)
    for (uint32_t number : kernel.variants) {
      if (number >= plan.kernels.size())
        return bad("Kernel \"{}\" names the variant {} (the plan has {} "
                   "kernels).",
                   kernel.name, number, plan.kernels.size());
      const Kernel &variant = plan.kernels[number];
      if (plan.kernels.size() - number > count || taken[number])
        return bad("Kernel \"{}\" has the variant \"{}\", which is not one of "
                   "the last {} kernels or is a variant already.",
                   kernel.name, variant.name, count);
      if (!variant.variants.empty())
        return bad("Kernel \"{}\" has the variant \"{}\", which has variants "
                   "of its own.",
                   kernel.name, variant.name);
      taken[number] = true;
    }
  for (size_t i = 0; i < plan.kernels.size(); ++i)
    if (!taken[i] && (plan.kernels[i].device || plan.kernels[i].groups))
      return bad("Kernel \"{}\" is for some devices or has workgroups of its "
                 "own, and is not a variant.",
                 plan.kernels[i].name);
  auto isVariant = [&](uint32_t kernel) {
    return kernel < taken.size() && taken[kernel];
  };
  for (size_t i = 0; i < plan.commands.size(); ++i) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    const auto *direct = std::get_if<Dispatch>(&plan.commands[i].op);
    const auto *indirect = std::get_if<DispatchIndirect>(&plan.commands[i].op);
    if ((direct && isVariant(direct->kernel)) ||
        (indirect && isVariant(indirect->kernel)))
      return bad("Command {} dispatches a variant of a kernel (the device "
                 "decides whether it runs).",
                 i);
    if (indirect && indirect->kernel < plan.kernels.size())
      for (uint32_t variant : plan.kernels[indirect->kernel].variants)
        if (plan.kernels[variant].groups)
          return bad("Command {} has the device count the workgroups of kernel "
                     "\"{}\", whose variant \"{}\" has a number of its own.",
                     i, plan.kernels[indirect->kernel].name,
                     plan.kernels[variant].name);
  }
  for (const Stage &stage : plan.stages) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    if (std::any_of(stage.kernels.begin(), stage.kernels.end(), isVariant))
      return bad("Stage \"{}\" names a variant of a kernel.", stage.name);
  }
  return {};
}

Status verifySpirvSize(const Kernel &kernel) {
  uint64_t bytes = kernel.spirv.size() * sizeof(uint32_t);
  if (bytes == 0 || bytes > limits::kMaxSpirvBytes)
    return bad("The SPIR-V of kernel \"{}\" has {} bytes (1 to {} are "
               "allowed).",
               kernel.name, bytes, limits::kMaxSpirvBytes);
  return {};
}

} // namespace

Status verifyKernels(const Plan &plan, const Deadline &deadline) {
  VM_RETURN_IF_ERROR(
      checkCount("kernels", plan.kernels.size(), limits::kMaxKernels));
  std::set<std::string_view> names;
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    const Kernel &kernel = plan.kernels[i];
    VM_RETURN_IF_ERROR(
        checkName(fmt::format("The name of kernel {}", i), kernel.name));
    if (!names.insert(kernel.name).second)
      return bad("Two kernels have the name \"{}\".", kernel.name);
    VM_RETURN_IF_ERROR(
        checkName(fmt::format("The entry point of kernel \"{}\"", kernel.name),
                  kernel.entryPoint));
    VM_RETURN_IF_ERROR(verifyLocalSize(kernel));
    VM_RETURN_IF_ERROR(verifyFeatures(kernel));
    VM_RETURN_IF_ERROR(verifyBindings(kernel));
    VM_RETURN_IF_ERROR(verifyUnfinished(kernel));
    VM_RETURN_IF_ERROR(verifyLaunch(kernel));
    VM_RETURN_IF_ERROR(verifySpirvSize(kernel));
  }
  return verifyVariants(plan, deadline);
}

} // namespace vm::verify
