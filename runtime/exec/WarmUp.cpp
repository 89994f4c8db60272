//===- WarmUp.cpp - compiles what a driver leaves for the first dispatch --===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// llvmpipe_launch_grid (Mesa 22.3 to 25.0) updates its derived state, which
// generates the code, before it looks at the number of workgroups.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/WarmUp.h"

#include <fmt/format.h>

#include <ctime>
#include <tuple>

namespace vm {

std::map<uint32_t, size_t> firstDispatches(const Plan &plan,
                                           CommandRange commands) {
  std::map<uint32_t, size_t> result;
  for (size_t i = commands.begin; i < commands.end; ++i) {
    const auto &op = plan.commands[i].op;
    if (const auto *direct = std::get_if<Dispatch>(&op))
      result.emplace(direct->kernel, i);
    else if (const auto *indirect = std::get_if<DispatchIndirect>(&op))
      result.emplace(indirect->kernel, i);
  }
  return result;
}

/// CPU time of the process, which compiles for it.
static uint64_t processTimeNs() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(now.tv_nsec);
}

/// Waits until the process has computed for `timeoutNs` since then: a machine
/// that is busy with something else takes longer by the clock. What takes 16
/// times as long by the clock does not compile.
static Result<bool> waitForCompiler(Submission &submission,
                                    uint64_t timeoutNs) {
  constexpr uint64_t kPatience = 16;
  uint64_t start = processTimeNs();
  for (uint64_t i = 0; i < kPatience; ++i) {
    Result<bool> done = submission.waitFor(timeoutNs);
    if (!done.ok() || *done || processTimeNs() - start >= timeoutNs)
      return done;
  }
  return false;
}

static Status compile(const Device &device, const Pipeline &pipeline,
                      VkDescriptorSet set, uint64_t timeoutNs,
                      Submission &submission) {
  VM_RETURN_IF_ERROR(submission.begin(/*reusable=*/false));
  DriverTable vk = device.vk();
  VkCommandBuffer commands = submission.commands();
  vk->vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                        pipeline.pipeline.get());
  vk->vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                              pipeline.layout.get(), 0, 1, &set, 0, nullptr);
  vk->vkCmdDispatch(commands, 0, 0, 0);
  VM_RETURN_IF_ERROR(submission.end());
  VM_RETURN_IF_ERROR(submission.submit());
  Result<bool> done = waitForCompiler(submission, timeoutNs);
  // The wait can fail for want of memory; the compilation goes on.
  if (done.status().code() == Code::OutOfMemory)
    std::ignore = waitForCompiler(submission, timeoutNs);
  if (done.ok() && !*done)
    return timeoutFailure(device, timeoutNs);
  return done.status();
}

Status warmUp(const Device &device, const Plan &plan, CommandRange commands,
              std::span<const uint32_t> kernels, const Pipelines &pipelines,
              const Descriptors &descriptors, const CompileProgress &progress,
              uint64_t timeoutNs, Submission &submission) {
  std::map<uint32_t, size_t> first = firstDispatches(plan, commands);
  size_t done = 0;
  for (uint32_t kernel : kernels) {
    if (progress)
      progress(done++, kernels.size());
    Status status = checkMemoryToCompile(device, plan.kernels[kernel]);
    if (status.ok())
      status = compile(device, pipelines[kernel],
                       descriptors.forCommand(first.at(kernel)), timeoutNs,
                       submission);
    if (!status.ok())
      return status.withContext(
          fmt::format("compiling kernel \"{}\"", plan.kernels[kernel].name));
  }
  if (progress)
    progress(done, kernels.size());
  return {};
}

} // namespace vm
