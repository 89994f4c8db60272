//===- Timestamps.cpp - when the phases of an execution end ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ticks of timestampPeriod nanoseconds in timestampValidBits bits, which wrap.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Timestamps.h"

#include "runtime/plan/Plan.h"

#include <bit>

namespace vm {

Result<Timestamps> Timestamps::create(const Device &device, uint32_t count) {
  Timestamps result;
  result.device_ = &device;
  result.count_ = count;
  if (device.info().timestampBits == 0 || count == 0)
    return result;
  VkQueryPoolCreateInfo info = {VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = count;
  VkQueryPool pool = VK_NULL_HANDLE;
  VM_RETURN_IF_VK_ERROR(
      device.vk()->vkCreateQueryPool(device.handle(), &info, nullptr, &pool),
      "create a query pool for timestamps");
  result.pool_ =
      Owned<VkQueryPool>(device, pool, device.vk()->vkDestroyQueryPool);
  return result;
}

void Timestamps::recordReset(VkCommandBuffer commands, uint32_t first,
                             uint32_t count) const {
  if (available())
    device_->vk()->vkCmdResetQueryPool(commands, pool_.get(), first, count);
}

void Timestamps::record(VkCommandBuffer commands, uint32_t index) const {
  if (available())
    device_->vk()->vkCmdWriteTimestamp(
        commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool_.get(), index);
}

/// The bits of a timestamp that count.
static uint64_t validBits(const DeviceInfo &info) {
  uint32_t bits = info.timestampBits;
  return bits >= 64 ? UINT64_MAX : (uint64_t(1) << bits) - 1;
}

void Timestamps::recordTo(VkCommandBuffer commands, uint32_t index,
                          VkBuffer buffer, VkDeviceSize offset) const {
  recordReset(commands, index, 1);
  record(commands, index);
  auto period = static_cast<float>(device_->info().timestampPeriodNs);
  uint64_t rest[] = {validBits(device_->info()),
                     std::bit_cast<uint32_t>(period)};
  static_assert(sizeof(uint64_t) + sizeof(rest) == kClockBytes);
  device_->vk()->vkCmdUpdateBuffer(commands, buffer, offset + sizeof(uint64_t),
                                   sizeof(rest), rest);
  device_->vk()->vkCmdCopyQueryPoolResults(
      commands, pool_.get(), index, 1, buffer, offset, sizeof(uint64_t),
      VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
}

Result<std::vector<uint64_t>> Timestamps::readTicks(uint32_t count) const {
  if (!available() || count == 0)
    return std::vector<uint64_t>();
  std::vector<uint64_t> ticks(count);
  VM_RETURN_IF_VK_ERROR(device_->vk()->vkGetQueryPoolResults(
                            device_->handle(), pool_.get(), 0, count,
                            ticks.size() * sizeof(uint64_t), ticks.data(),
                            sizeof(uint64_t),
                            VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                        "read timestamps");
  return ticks;
}

Result<std::vector<double>> Timestamps::read() const {
  Result<std::vector<uint64_t>> ticks = readTicks(count_);
  if (!ticks.ok())
    return ticks.status();
  std::vector<double> nanoseconds;
  for (uint64_t tick : *ticks)
    nanoseconds.push_back(
        nanosecondsBetween(device_->info(), ticks->front(), tick));
  return nanoseconds;
}

double nanosecondsBetween(const DeviceInfo &info, uint64_t fromTicks,
                          uint64_t toTicks) {
  return static_cast<double>((toTicks - fromTicks) & validBits(info)) *
         info.timestampPeriodNs;
}

} // namespace vm
