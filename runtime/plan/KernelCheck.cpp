//===- KernelCheck.cpp - a kernel's SPIR-V against its declaration --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/KernelCheck.h"

#include "runtime/base/Printable.h"
#include "runtime/plan/BuiltInCheck.h"
#include "runtime/plan/KernelFeatures.h"
#include "runtime/plan/KernelReflection.h"
#include "runtime/plan/KernelScan.h"
#include "runtime/plan/KnownModule.h"
#include "runtime/plan/Limits.h"
#include "runtime/plan/SpirvTools.h"

#include <fmt/format.h>

#include <algorithm>

namespace vm {
namespace {

template <typename... Args>
Status bad(fmt::format_string<Args...> format, Args &&...args) {
  return Status(Code::BadInput,
                fmt::format(format, std::forward<Args>(args)...));
}

/// Names for all ids, as messages have them, take as long as the validation.
bool isValid(const SpirvContext &context, spv_const_binary_t &binary) {
  SpirvDiagnostic unnamed;
  spv_validator_options options = spvValidatorOptionsCreate();
  spvValidatorOptionsSetFriendlyNames(options, false);
  spv_result_t result =
      spvValidateWithOptions(context.get(), options, &binary, unnamed.out());
  spvValidatorOptionsDestroy(options);
  return result == SPV_SUCCESS;
}

Status validate(const Kernel &kernel) {
  KnownModule known = toKnownModule(kernel.spirv);
  SpirvContext context(known.environment);
  SpirvDiagnostic diagnostic;
  spv_const_binary_t binary = {known.words.data(), known.words.size()};
  if (isValid(context, binary) ||
      spvValidate(context.get(), &binary, diagnostic.out()) == SPV_SUCCESS)
    return {};
  return bad("Kernel \"{}\" is not valid SPIR-V ({}).", kernel.name,
             diagnostic.firstLine());
}

std::string sizeString(const std::array<uint32_t, 3> &size) {
  return fmt::format("{}x{}x{}", size[0], size[1], size[2]);
}

Status checkEntryPoint(const Kernel &kernel, const KernelFacts &facts,
                       const ReflectedKernel &reflected) {
  if (reflected.entryPoints.size() != 1)
    return bad("Kernel \"{}\" has {} entry points (1 is needed).", kernel.name,
               reflected.entryPoints.size());
  if (reflected.entryPoints[0] != kernel.entryPoint)
    return bad("Kernel \"{}\" has entry point \"{}\" and declares \"{}\".",
               kernel.name, printable(reflected.entryPoints[0]),
               kernel.entryPoint);
  if (!reflected.isCompute)
    return bad("Kernel \"{}\" has an entry point that is not a compute shader "
               "(GLCompute is needed).",
               kernel.name);
  auto size = facts.workgroupSize.value_or(reflected.localSize);
  if (size != kernel.localSize)
    return bad("Kernel \"{}\" has local size {} and declares {}.", kernel.name,
               sizeString(size), sizeString(kernel.localSize));
  if (facts.workgroupMemoryBytes > kernel.workgroupMemoryBytes)
    return bad("Kernel \"{}\" uses {} bytes of workgroup memory and declares "
               "{}.",
               kernel.name, facts.workgroupMemoryBytes,
               kernel.workgroupMemoryBytes);
  return {};
}

/// The declaration of a binding, and what all its variables do together.
struct BindingUse {
  const Binding *declared = nullptr;
  bool found = false;
  bool writable = false;
};

Status checkBuffer(const Kernel &kernel, const ReflectedBuffer &buffer) {
  if (buffer.isLegacy)
    return bad("Kernel \"{}\" has binding {} in storage class Uniform "
               "(StorageBuffer is needed).",
               kernel.name, buffer.binding);
  if (buffer.set != 0)
    return bad("Kernel \"{}\" has binding {} in descriptor set {} (0 is "
               "needed).",
               kernel.name, buffer.binding, buffer.set);
  if (buffer.isArray)
    return bad("Kernel \"{}\" has an array of buffers at binding {} (one "
               "binding a window is needed).",
               kernel.name, buffer.binding);
  return {};
}

Status checkAccess(const Kernel &kernel, const ReflectedBuffer &buffer,
                   const KernelFacts::Buffer &access, const Binding &declared) {
  if (!declared.writes && !buffer.nonWritable)
    return bad("Kernel \"{}\" declares that it does not write binding {}, and "
               "a variable of it is not NonWritable.",
               kernel.name, buffer.binding);
  if (access.writes && (!declared.writes || buffer.nonWritable))
    return bad("Kernel \"{}\" writes binding {}, which is declared read-only.",
               kernel.name, buffer.binding);
  if (access.reads && !declared.reads)
    return bad("Kernel \"{}\" reads binding {} and declares that it does not.",
               kernel.name, buffer.binding);
  return {};
}

Status checkBindings(const Kernel &kernel, const KernelFacts &facts,
                     const ReflectedKernel &reflected) {
  std::vector<BindingUse> uses;
  for (const Binding &binding : kernel.bindings)
    uses.push_back({&binding, false, false});
  for (const ReflectedBuffer &buffer : reflected.buffers) {
    VM_RETURN_IF_ERROR(checkBuffer(kernel, buffer));
    auto use = std::lower_bound(uses.begin(), uses.end(), buffer.binding,
                                [](const BindingUse &u, uint32_t binding) {
                                  return u.declared->binding < binding;
                                });
    if (use == uses.end() || use->declared->binding != buffer.binding)
      return bad("Kernel \"{}\" uses binding {} and does not declare it.",
                 kernel.name, buffer.binding);
    auto access = facts.buffers.find(buffer.id);
    if (access != facts.buffers.end())
      VM_RETURN_IF_ERROR(
          checkAccess(kernel, buffer, access->second, *use->declared));
    use->found = true;
    use->writable |= !buffer.nonWritable;
  }
  for (const BindingUse &use : uses) {
    if (!use.found)
      return bad("Kernel \"{}\" declares binding {} and has no variable for "
                 "it.",
                 kernel.name, use.declared->binding);
    if (use.declared->writes && !use.writable)
      return bad("Kernel \"{}\" declares that it writes binding {}, and all "
                 "variables of it are NonWritable.",
                 kernel.name, use.declared->binding);
  }
  return {};
}

} // namespace

Status checkKernel(const Kernel &kernel) {
  uint64_t bytes = kernel.spirv.size() * sizeof(uint32_t);
  if (bytes > limits::kMaxSpirvBytes)
    return bad("The SPIR-V of kernel \"{}\" has {} bytes (1 to {} are "
               "allowed).",
               kernel.name, bytes, limits::kMaxSpirvBytes);
  auto facts = scanKernel(kernel.name, kernel.spirv);
  if (!facts.ok())
    return facts.status();
  VM_RETURN_IF_ERROR(checkFeatures(kernel, *facts));
  VM_RETURN_IF_ERROR(validate(kernel));
  VM_RETURN_IF_ERROR(checkBuiltIns(kernel));
  auto reflected = reflectKernel(kernel.name, kernel.spirv);
  if (!reflected.ok())
    return reflected.status();
  VM_RETURN_IF_ERROR(checkEntryPoint(kernel, *facts, *reflected));
  if (!reflected->otherResources.empty())
    return bad("Kernel \"{}\" has {} (only storage buffers are allowed).",
               kernel.name, reflected->otherResources[0]);
  return checkBindings(kernel, *facts, *reflected);
}

Status checkKernels(const Plan &plan, const Deadline &deadline) {
  for (const Kernel &kernel : plan.kernels) {
    VM_RETURN_IF_ERROR(checkKernel(kernel));
    VM_RETURN_IF_ERROR(deadline.check("Checking the kernels"));
  }
  return {};
}

} // namespace vm
