//===- Submission.cpp - a command buffer and the fence it signals ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only place of the runtime that calls vkQueueSubmit.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Submission.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <tuple>

namespace vm {

Result<Submission> Submission::create(const Device &device, const char *name) {
  Submission result;
  result.device_ = &device;
  result.took_ = std::make_unique<std::atomic<uint64_t>>(0);
  VkCommandPoolCreateInfo poolInfo = {
      VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  poolInfo.queueFamilyIndex = *device.info().computeQueueFamily;
  VkCommandPool pool = VK_NULL_HANDLE;
  VM_RETURN_IF_VK_ERROR(device.vk()->vkCreateCommandPool(
                            device.handle(), &poolInfo, nullptr, &pool),
                        "create a command pool");
  result.pool_ =
      Owned<VkCommandPool>(device, pool, device.vk()->vkDestroyCommandPool);

  Result<VkCommandBuffer> commands = result.allocate(name);
  if (!commands.ok())
    return commands.status();
  result.commands_ = *commands;

  VkFenceCreateInfo fenceInfo = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence fence = VK_NULL_HANDLE;
  VM_RETURN_IF_VK_ERROR(
      device.vk()->vkCreateFence(device.handle(), &fenceInfo, nullptr, &fence),
      "create a fence");
  result.fence_ = Owned<VkFence>(device, fence, device.vk()->vkDestroyFence);
  return result;
}

Status Submission::begin(bool reusable) {
  VM_RETURN_IF_VK_ERROR(
      device_->vk()->vkResetCommandPool(device_->handle(), pool_.get(), 0),
      "reset a command pool");
  VkCommandBufferBeginInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  info.flags = reusable ? 0 : VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  return checkVulkan(device_->vk()->vkBeginCommandBuffer(commands_, &info),
                     "begin a command buffer");
}

Result<VkCommandBuffer> Submission::allocate(const char *name) {
  VkCommandBufferAllocateInfo info = {
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  info.commandPool = pool_.get();
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VM_RETURN_IF_VK_ERROR(device_->vk()->vkAllocateCommandBuffers(
                            device_->handle(), &info, &commands),
                        "allocate a command buffer");
  device_->setName(VK_OBJECT_TYPE_COMMAND_BUFFER,
                   reinterpret_cast<uint64_t>(commands), name);
  return commands;
}

Result<VkCommandBuffer> Submission::beginOther(const char *name,
                                               bool repeatedly) {
  Result<VkCommandBuffer> commands = allocate(name);
  if (!commands.ok())
    return commands;
  VkCommandBufferBeginInfo begin = {
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  begin.flags = repeatedly ? VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT : 0;
  VM_RETURN_IF_VK_ERROR(device_->vk()->vkBeginCommandBuffer(*commands, &begin),
                        "begin a command buffer");
  return commands;
}

Status Submission::end(VkCommandBuffer commands) {
  return checkVulkan(device_->vk()->vkEndCommandBuffer(commands),
                     "end a command buffer");
}

Status Submission::submit(std::span<const VkCommandBuffer> list) {
  VkFence fence = fence_.get();
  VM_RETURN_IF_VK_ERROR(
      device_->vk()->vkResetFences(device_->handle(), 1, &fence),
      "reset a fence");
  VkSubmitInfo info = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
  info.commandBufferCount = static_cast<uint32_t>(list.size());
  info.pCommandBuffers = list.data();
  ++submitCount_;
  took_->store(0);
  submitTime_ = std::chrono::steady_clock::now();
  VM_RETURN_IF_VK_ERROR(
      device_->vk()->vkQueueSubmit(device_->queue(), 1, &info, fence),
      "submit commands to the device");
  inFlight_ = true;
  return {};
}

/// Asks for a while whether the device is done: on an H200 being woken up takes
/// 20 us longer, 200 us after a millisecond of sleep, and the next submit runs
/// on a core that has slowed down. Not where asking takes time from the device.
void Submission::spin(uint64_t timeoutNs) const {
  if (timeoutNs == 0 || device_->info().type == DeviceType::Cpu)
    return;
  using Clock = std::chrono::steady_clock;
  constexpr uint64_t kPatienceNs = 5'000'000;
  Clock::time_point end =
      Clock::now() + std::chrono::nanoseconds(std::min(timeoutNs, kPatienceNs));
  while (device_->vk()->vkGetFenceStatus(device_->handle(), fence_.get()) ==
             VK_NOT_READY &&
         Clock::now() < end) {
  }
}

VkResult Submission::waitForFence(uint64_t timeoutNs, bool spinFirst) const {
  DriverTable vk = device_->vk();
  VkFence fence = fence_.get();
  VkResult result = vk->vkGetFenceStatus(device_->handle(), fence);
  if (timeoutNs == 0 || result != VK_NOT_READY)
    return result;
  if (spinFirst)
    spin(timeoutNs);
  result =
      vk->vkWaitForFences(device_->handle(), 1, &fence, VK_TRUE, timeoutNs);
  if (result == VK_SUCCESS)
    took_->store(
        std::chrono::nanoseconds(std::chrono::steady_clock::now() - submitTime_)
            .count());
  return result;
}

Result<bool> Submission::waitFor(uint64_t timeoutNs) {
  if (!inFlight_)
    return true;
  VkResult result = waitForFence(timeoutNs, /*spinFirst=*/true);
  if (result == VK_TIMEOUT || result == VK_NOT_READY)
    return false;
  // A lost device has ended all work; another failure says nothing about it.
  if (result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST)
    inFlight_ = false;
  VM_RETURN_IF_VK_ERROR(result, "wait for the device");
  return true;
}

bool Submission::sleep(uint64_t timeoutNs, bool spinFirst) const {
  VkResult result = waitForFence(timeoutNs, spinFirst);
  return result != VK_TIMEOUT && result != VK_NOT_READY;
}

Status Submission::wait(uint64_t timeoutNs) {
  Result<bool> done = waitFor(timeoutNs);
  if (done.ok() && !*done)
    return timeoutFailure(*device_, timeoutNs);
  return done.status();
}

bool Submission::stillInFlight() {
  std::ignore = waitFor(0);
  return inFlight_;
}

Status timeoutFailure(const Device &device, uint64_t timeoutNs) {
  return Status(Code::DeviceLost,
                fmt::format("The device \"{}\" is not done within the "
                            "timeout ({} ms).",
                            device.info().name, timeoutNs / 1000000));
}

void recordBarrier(const Device &device, VkCommandBuffer commands,
                   const BarrierScope &scope) {
  VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  barrier.srcAccessMask = scope.sourceAccess;
  barrier.dstAccessMask = scope.destinationAccess;
  device.vk()->vkCmdPipelineBarrier(commands, scope.sourceStages,
                                    scope.destinationStages, 0, 1, &barrier, 0,
                                    nullptr, 0, nullptr);
}

} // namespace vm
