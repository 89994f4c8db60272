//===- CopySpeed.cpp - the copy speed of a device -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One submit for each number of workgroups: copies with a barrier and a
// timestamp between them.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/CopySpeed.h"

#include "copySpeedSpirv.h"
#include "runtime/exec/Descriptors.h"
#include "runtime/exec/Pipelines.h"
#include "runtime/exec/Submission.h"
#include "runtime/exec/Timestamps.h"

#include <fmt/format.h>

#include <algorithm>

namespace vm {

static constexpr uint32_t kWarmUps = 2;
static constexpr uint32_t kRepeats = 11;
/// Enough to tell a good number of workgroups from a bad one.
static constexpr uint32_t kTrials = 2;
/// Windows 0 and 1 of one region: see Plan.h for the numbering.
static constexpr uint32_t kSourceBinding = 0, kTargetBinding = 5;
static constexpr uint64_t kBytesPerLane = 16;

uint64_t defaultCopyBytes(const DeviceInfo &info) {
  // Ten times the last-level cache of an H200 (50 MB); a CPU device needs
  // little to leave its caches and takes its time.
  uint64_t bytes = info.type == DeviceType::Cpu ? 64u << 20 : 512u << 20;
  bytes = std::min(bytes, info.limits.maxStorageBufferRange);
  return std::min(bytes, info.deviceHeapBytes() / 4);
}

static Kernel copyKernel() {
  Kernel kernel;
  kernel.name = "copy speed";
  kernel.bindings = {{kSourceBinding, true, false},
                     {kTargetBinding, false, true}};
  kernel.spirv.assign(std::begin(copySpeedSpirv), std::end(copySpeedSpirv));
  return kernel;
}

namespace {
/// Everything one measurement needs on the device.
class CopyBench {
public:
  CopyBench(const Device &device, uint64_t bytes)
      : device_(device), bytes_(bytes) {}

  Status prepare();
  /// Device times of `repeats` (at most kRepeats) copies, after kWarmUps more.
  Result<Spread> measure(uint32_t workgroups, uint32_t repeats,
                         uint64_t timeoutNs);

private:
  Status createBuffers();
  Status createSet();
  Status record(uint32_t workgroups, uint32_t copies);

  const Device &device_;
  uint64_t bytes_;
  Buffer source_, target_;
  Pipeline pipeline_;
  Owned<VkDescriptorPool> pool_;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  Timestamps timestamps_;
  Submission submission_;
};
} // namespace

static constexpr BarrierScope kComputeToCompute = {
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
    VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
    VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};

Status CopyBench::createBuffers() {
  for (Buffer *buffer : {&source_, &target_}) {
    Result<Buffer> created = Buffer::create(
        device_, bytes_, MemoryRole::DeviceOnly,
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
        "the copy speed measurement");
    if (!created.ok())
      return created.status();
    *buffer = std::move(*created);
  }
  return {};
}

Status CopyBench::createSet() {
  Result<Owned<VkDescriptorPool>> pool = createDescriptorPool(device_, 1, 2);
  if (!pool.ok())
    return pool.status();
  pool_ = std::move(*pool);
  VkDescriptorSetLayout layout = pipeline_.setLayout.get();
  VkDescriptorSetAllocateInfo info = {
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  info.descriptorPool = pool_.get();
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout;
  VM_RETURN_IF_VK_ERROR(
      device_.vk()->vkAllocateDescriptorSets(device_.handle(), &info, &set_),
      "allocate a descriptor set");
  writeDescriptor(device_, set_, kSourceBinding,
                  {source_.get(), 0, bytes_, nullptr});
  writeDescriptor(device_, set_, kTargetBinding,
                  {target_.get(), 0, bytes_, nullptr});
  return {};
}

Status CopyBench::prepare() {
  VM_RETURN_IF_ERROR(createBuffers());
  Result<Pipeline> pipeline =
      createPipeline(device_, copyKernel(), VK_NULL_HANDLE, sizeof(uint32_t));
  if (!pipeline.ok())
    return pipeline.status();
  pipeline_ = std::move(*pipeline);
  VM_RETURN_IF_ERROR(createSet());
  Result<Timestamps> timestamps =
      Timestamps::create(device_, kWarmUps + kRepeats + 1);
  if (!timestamps.ok())
    return timestamps.status();
  timestamps_ = std::move(*timestamps);
  if (!timestamps_.available())
    return Status(Code::NoDevice,
                  fmt::format("The device \"{}\" has no clock to measure the "
                              "copy speed with (timestampValidBits is 0).",
                              device_.info().name));
  Result<Submission> submission = Submission::create(device_, "copy speed");
  if (!submission.ok())
    return submission.status();
  submission_ = std::move(*submission);
  return {};
}

Status CopyBench::record(uint32_t workgroups, uint32_t copies) {
  DriverTable vk = device_.vk();
  VM_RETURN_IF_ERROR(submission_.begin(/*reusable=*/false));
  VkCommandBuffer commands = submission_.commands();
  uint32_t count = static_cast<uint32_t>(bytes_ / kBytesPerLane);
  timestamps_.recordReset(commands);
  vk->vkCmdFillBuffer(commands, source_.get(), 0, bytes_, 0x01020304);
  vk->vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                        pipeline_.pipeline.get());
  vk->vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                              pipeline_.layout.get(), 0, 1, &set_, 0, nullptr);
  vk->vkCmdPushConstants(commands, pipeline_.layout.get(),
                         VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(count), &count);
  recordBarrier(device_, commands, kComputeToCompute);
  timestamps_.record(commands, 0);
  for (uint32_t i = 1; i <= kWarmUps + kRepeats; ++i) {
    // Every timestamp is written, so that all can be read.
    if (i > copies) {
      timestamps_.record(commands, i);
      continue;
    }
    vk->vkCmdDispatch(commands, workgroups, 1, 1);
    recordBarrier(device_, commands, kComputeToCompute);
    timestamps_.record(commands, i);
  }
  return submission_.end();
}

Result<Spread> CopyBench::measure(uint32_t workgroups, uint32_t repeats,
                                  uint64_t timeoutNs) {
  VM_RETURN_IF_ERROR(record(workgroups, kWarmUps + repeats));
  VM_RETURN_IF_ERROR(submission_.submit());
  Status done = submission_.wait(timeoutNs);
  if (submission_.inFlight())
    device_.abandon();
  VM_RETURN_IF_ERROR(done);
  Result<std::vector<double>> times = timestamps_.read();
  if (!times.ok())
    return times.status();
  std::vector<double> microseconds;
  for (uint32_t i = kWarmUps + 1; i <= kWarmUps + repeats; ++i)
    microseconds.push_back(((*times)[i] - (*times)[i - 1]) / 1000);
  return spreadOf(std::move(microseconds));
}

Result<CopySpeed> measureCopySpeed(const Device &device, uint64_t bytes,
                                   uint64_t timeoutNs) {
  if (bytes == 0)
    bytes = defaultCopyBytes(device.info());
  uint64_t limit = device.info().limits.maxStorageBufferRange;
  if (bytes > limit)
    return Status(Code::NoDevice,
                  fmt::format("A copy of {} bytes is longer than "
                              "maxStorageBufferRange allows ({} bytes).",
                              bytes, limit));
  bytes = std::max(bytes / kBytesPerLane * kBytesPerLane, kBytesPerLane);
  CopyBench bench(device, bytes);
  VM_RETURN_IF_ERROR(bench.prepare());

  CopySpeed best;
  best.bytes = 2 * bytes;
  // Few, fat workgroups suit a CPU device, many a GPU.
  for (uint32_t workgroups : {16u, 128u, 1024u, 8192u, 32768u, 131072u}) {
    if (workgroups > device.info().limits.maxGroups[0])
      continue;
    Result<Spread> spread = bench.measure(workgroups, kTrials, timeoutNs);
    if (!spread.ok())
      return spread.status();
    if (best.workgroups && spread->median >= best.copyUs.median)
      continue;
    best.workgroups = workgroups;
    best.copyUs = *spread;
  }
  Result<Spread> spread = bench.measure(best.workgroups, kRepeats, timeoutNs);
  if (!spread.ok())
    return spread.status();
  best.copyUs = *spread;
  if (best.copyUs.median > 0)
    best.gigabytesPerSecond =
        static_cast<double>(best.bytes) / best.copyUs.median / 1000;
  return best;
}

} // namespace vm
