//===- PlanVerifier.cpp - the structural rules of a plan ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/PlanVerifier.h"

#include "runtime/base/Printable.h"
#include "runtime/plan/Limits.h"
#include "runtime/plan/VerifierHelpers.h"

#include <algorithm>
#include <set>

namespace vm {
namespace {

using namespace verify;

Status verifyProgram(const Plan &plan) {
  VM_RETURN_IF_ERROR(checkName("The name of the program", plan.program));
  for (unsigned i = 0; i < kNumRegions; ++i)
    if (plan.regionBytes[i] > limits::kMaxRegionBytes)
      return bad("Region {} has {} bytes (at most {} are allowed).",
                 toString(static_cast<Region>(i)), plan.regionBytes[i],
                 limits::kMaxRegionBytes);
  VM_RETURN_IF_ERROR(checkCount("ranks", plan.ranks, limits::kMaxRanks));
  return checkCount("instances", plan.instances, limits::kMaxInstances);
}

Status verifyStage(const Stage &stage, const Plan &plan,
                   const Deadline &deadline) {
  VM_RETURN_IF_ERROR(checkText(
      fmt::format("The location of stage \"{}\"", stage.name), stage.location));
  if (stage.instance >= plan.instances)
    return bad("Stage \"{}\" is instance {} (the plan has {}).", stage.name,
               stage.instance, plan.instances);
  for (uint32_t kernel : stage.kernels) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    if (kernel >= plan.kernels.size())
      return bad("Stage \"{}\" uses kernel {} (the plan has {}).", stage.name,
                 kernel, plan.kernels.size());
  }
  return {};
}

Status verifyStages(const Plan &plan, const Deadline &deadline) {
  VM_RETURN_IF_ERROR(
      checkCount("stages", plan.stages.size(), limits::kMaxStages));
  std::set<std::string_view> names;
  for (size_t i = 0; i < plan.stages.size(); ++i) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    const Stage &stage = plan.stages[i];
    VM_RETURN_IF_ERROR(
        checkName(fmt::format("The name of stage {}", i), stage.name));
    if (!names.insert(stage.name).second)
      return bad("Two stages have the name \"{}\".", stage.name);
    VM_RETURN_IF_ERROR(verifyStage(stage, plan, deadline));
  }
  return {};
}

Window windowOf(const InitialData &data) {
  return {data.region, data.offset, data.bytes.size()};
}

/// Chunks are ordered by region and offset, and so compared with one neighbour.
Status verifyData(const Plan &plan, const Deadline &deadline) {
  const auto &chunks = plan.initialData;
  VM_RETURN_IF_ERROR(
      checkCount("data chunks", chunks.size(), limits::kMaxDataChunks));
  for (size_t i = 0; i < chunks.size(); ++i) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    Window window = windowOf(chunks[i]);
    VM_RETURN_IF_ERROR(
        checkWindow(fmt::format("Data chunk {}", i), window, plan));
    if (i == 0)
      continue;
    Window before = windowOf(chunks[i - 1]);
    if (overlap(before, window))
      return bad("Data chunk {} overlaps data chunk {} at byte {} of region "
                 "{}.",
                 i, i - 1, std::max(before.offset, window.offset),
                 toString(window.region));
    if (std::tie(before.region, before.offset) >
        std::tie(window.region, window.offset))
      return bad("Data chunk {} comes before data chunk {} in memory (chunks "
                 "are sorted by region and offset).",
                 i, i - 1);
  }
  return {};
}

/// Its text is printable, line ends and tabs aside.
Status verifyModule(const Plan &plan, const Deadline &deadline) {
  std::string_view text = plan.module;
  if (text.size() > limits::kMaxModuleBytes)
    return bad("The module has {} bytes (at most {} are allowed).", text.size(),
               limits::kMaxModuleBytes);
  for (size_t begin = 0, end = 0; end != text.npos; begin = end + 1) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    end = text.find_first_of("\n\t", begin);
    if (!isPrintable(text.substr(begin, end - begin)))
      return bad("The module holds a control character or is not UTF-8.");
  }
  return {};
}

Status verifyParameters(const Plan &plan, const Deadline &deadline) {
  VM_RETURN_IF_ERROR(
      checkCount("parameters", plan.parameters.size(), limits::kMaxParameters));
  std::set<std::string_view> names;
  for (const Parameter &parameter : plan.parameters) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    VM_RETURN_IF_ERROR(checkName("The name of a parameter", parameter.name));
    if (!names.insert(parameter.name).second)
      return bad("Two parameters have the name \"{}\".", parameter.name);
    VM_RETURN_IF_ERROR(
        checkName(fmt::format("The value of parameter \"{}\"", parameter.name),
                  parameter.value));
  }
  return {};
}

} // namespace

Status verifyPlan(const Plan &plan, const Deadline &deadline) {
  VM_RETURN_IF_ERROR(verifyProgram(plan));
  VM_RETURN_IF_ERROR(verifyPrograms(plan, deadline));
  VM_RETURN_IF_ERROR(verifySlots(plan, deadline));
  VM_RETURN_IF_ERROR(verifyKernels(plan, deadline));
  VM_RETURN_IF_ERROR(verifyStages(plan, deadline));
  VM_RETURN_IF_ERROR(verifyData(plan, deadline));
  VM_RETURN_IF_ERROR(verifyModule(plan, deadline));
  VM_RETURN_IF_ERROR(verifyParameters(plan, deadline));
  return verifyCommands(plan, deadline);
}

} // namespace vm
