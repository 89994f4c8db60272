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

#include <algorithm>
#include <map>
#include <tuple>

namespace vm {

/// The first command that dispatches each kernel.
static std::map<uint32_t, size_t> firstDispatches(const Plan &plan) {
  std::map<uint32_t, size_t> result;
  for (size_t i = 0; i < plan.commands.size(); ++i) {
    const auto &op = plan.commands[i].op;
    if (const auto *direct = std::get_if<Dispatch>(&op))
      result.emplace(direct->kernel, i);
    else if (const auto *indirect = std::get_if<DispatchIndirect>(&op))
      result.emplace(indirect->kernel, i);
  }
  return result;
}

/// A driver that needs longer than this for a kernel that the loader takes
/// (limits::kMaxInlinedInstructions) does not end: the largest kernels of the
/// tests take seconds. A longer timeout says that the machine is slow, or busy.
static constexpr uint64_t kLeastCompileNs = 60'000'000'000;

static Status compile(const Device &device, const Pipeline &pipeline,
                      VkDescriptorSet set, uint64_t timeoutNs,
                      Submission &submission) {
  VM_RETURN_IF_ERROR(submission.begin(/*reusable=*/false));
  const VolkDeviceTable &vk = device.vk();
  VkCommandBuffer commands = submission.commands();
  vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                       pipeline.pipeline.get());
  vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                             pipeline.layout.get(), 0, 1, &set, 0, nullptr);
  vk.vkCmdDispatch(commands, 0, 0, 0);
  VM_RETURN_IF_ERROR(submission.end());
  VM_RETURN_IF_ERROR(submission.submit());
  Status status = submission.wait(timeoutNs);
  // The wait can fail for want of memory; the compilation goes on.
  if (status.code() == Code::OutOfMemory)
    std::ignore = submission.waitFor(timeoutNs);
  return status;
}

Status warmUp(const Device &device, const Plan &plan,
              const Pipelines &pipelines, const Descriptors &descriptors,
              const CompileProgress &progress, uint64_t timeoutNs,
              Submission &submission) {
  std::map<uint32_t, size_t> commands = firstDispatches(plan);
  size_t done = 0;
  for (auto [kernel, command] : commands) {
    if (progress)
      progress(done++, commands.size());
    Status status = checkMemoryToCompile(device, plan.kernels[kernel]);
    if (status.ok())
      status =
          compile(device, pipelines[kernel], descriptors.forCommand(command),
                  std::max(timeoutNs, kLeastCompileNs), submission);
    if (!status.ok())
      return status.withContext(
          fmt::format("compiling kernel \"{}\"", plan.kernels[kernel].name));
  }
  if (progress)
    progress(done, commands.size());
  return {};
}

} // namespace vm
