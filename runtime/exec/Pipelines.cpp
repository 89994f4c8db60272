//===- Pipelines.cpp - a plan's kernels as compute pipelines --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Set layout, pipeline layout, shader module, pipeline.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Pipelines.h"

#include "runtime/base/AddressSpace.h"
#include "runtime/exec/PipelineCache.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

namespace vm {

static Status createSetLayout(const Device &device, const Kernel &kernel,
                              Pipeline &out) {
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (const Binding &binding : kernel.bindings) {
    VkDescriptorSetLayoutBinding entry = {};
    entry.binding = binding.binding;
    entry.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    entry.descriptorCount = 1;
    entry.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    bindings.push_back(entry);
  }
  VkDescriptorSetLayoutCreateInfo info = {
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  info.bindingCount = static_cast<uint32_t>(bindings.size());
  info.pBindings = bindings.data();
  VkDescriptorSetLayout layout = VK_NULL_HANDLE;
  VM_RETURN_IF_VK_ERROR(device.vk()->vkCreateDescriptorSetLayout(
                            device.handle(), &info, nullptr, &layout),
                        "create a descriptor set layout");
  out.setLayout = Owned<VkDescriptorSetLayout>(
      device, layout, device.vk()->vkDestroyDescriptorSetLayout);
  return {};
}

static Status createLayout(const Device &device, uint32_t pushConstantBytes,
                           Pipeline &out) {
  VkPushConstantRange constants = {VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                   pushConstantBytes};
  VkDescriptorSetLayout setLayout = out.setLayout.get();
  VkPipelineLayoutCreateInfo info = {
      VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.setLayoutCount = 1;
  info.pSetLayouts = &setLayout;
  info.pushConstantRangeCount = pushConstantBytes ? 1 : 0;
  info.pPushConstantRanges = &constants;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VM_RETURN_IF_VK_ERROR(device.vk()->vkCreatePipelineLayout(
                            device.handle(), &info, nullptr, &layout),
                        "create a pipeline layout");
  out.layout = Owned<VkPipelineLayout>(device, layout,
                                       device.vk()->vkDestroyPipelineLayout);
  return {};
}

static bool needs(const Kernel &kernel, Feature feature) {
  return std::find(kernel.features.begin(), kernel.features.end(), feature) !=
         kernel.features.end();
}

/// SPIR-V that the loader has validated, and a driver does not take: a fault of
/// the driver, after which the device goes on.
static Status checkCompiled(const Device &device, VkResult result) {
  Status status = checkVulkan(result, "compile SPIR-V for the device");
  if (status.ok() || status.code() == Code::OutOfMemory ||
      result == VK_ERROR_DEVICE_LOST)
    return status;
  return Status(Code::NoDevice,
                fmt::format("The driver of device \"{}\" refuses to compile it "
                            "({}); another driver may not.",
                            device.info().name, toString(result)));
}

static Status compile(const Device &device, const Kernel &kernel,
                      VkPipelineCache cache, Pipeline &out) {
  VkShaderModuleCreateInfo moduleInfo = {
      VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  moduleInfo.codeSize = kernel.spirv.size() * sizeof(uint32_t);
  moduleInfo.pCode = kernel.spirv.data();
  VkShaderModule handle = VK_NULL_HANDLE;
  VM_RETURN_IF_ERROR(checkCompiled(
      device, device.vk()->vkCreateShaderModule(device.handle(), &moduleInfo,
                                                nullptr, &handle)));
  Owned<VkShaderModule> module(device, handle,
                               device.vk()->vkDestroyShaderModule);
  device.setName(VK_OBJECT_TYPE_SHADER_MODULE,
                 reinterpret_cast<uint64_t>(handle), kernel.name);

  VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = handle,
                .pName = kernel.entryPoint.c_str()}};
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
  subgroup.requiredSubgroupSize = 32;
  if (needs(kernel, Feature::Subgroup32)) {
    info.stage.flags =
        VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    info.stage.pNext = &subgroup;
  }
  info.layout = out.layout.get();
  VkPipeline pipeline = VK_NULL_HANDLE;
  VM_RETURN_IF_ERROR(checkCompiled(
      device, device.vk()->vkCreateComputePipelines(
                  device.handle(), cache, 1, &info, nullptr, &pipeline)));
  out.pipeline =
      Owned<VkPipeline>(device, pipeline, device.vk()->vkDestroyPipeline);
  device.setName(VK_OBJECT_TYPE_PIPELINE, reinterpret_cast<uint64_t>(pipeline),
                 kernel.name);
  return {};
}

Status checkMemoryToCompile(const Device &device, const Kernel &kernel) {
  // llvmpipe took 55 MiB for a kernel of 74 KB.
  constexpr uint64_t kAtLeast = 32u << 20, kForEachByte = 1024;
  if (!device.info().lavapipe)
    return {};
  uint64_t bytes = kernel.spirv.size() * sizeof(uint32_t);
  return checkAddressSpace(kAtLeast + kForEachByte * bytes, "compile a kernel");
}

static Status build(const Device &device, const Kernel &kernel,
                    VkPipelineCache cache, uint32_t pushConstantBytes,
                    Pipeline &out) {
  VM_RETURN_IF_ERROR(checkMemoryToCompile(device, kernel));
  VM_RETURN_IF_ERROR(createSetLayout(device, kernel, out));
  VM_RETURN_IF_ERROR(createLayout(device, pushConstantBytes, out));
  return compile(device, kernel, cache, out);
}

Result<Pipeline> createPipeline(const Device &device, const Kernel &kernel,
                                VkPipelineCache cache,
                                uint32_t pushConstantBytes) {
  Pipeline pipeline;
  Status status = build(device, kernel, cache, pushConstantBytes, pipeline);
  if (!status.ok())
    return status.withContext(
        fmt::format("building kernel \"{}\"", kernel.name));
  return pipeline;
}

namespace {
/// Threads that take the next kernel each, until there is none or one fails.
class ParallelBuild {
public:
  ParallelBuild(const Device &device, const std::vector<Kernel> &kernels,
                std::span<const uint32_t> numbers, VkPipelineCache cache,
                const CompileProgress &progress,
                std::vector<Pipeline> &pipelines)
      : device_(device), kernels_(kernels), numbers_(numbers), cache_(cache),
        progress_(progress), pipelines_(pipelines), failed_(numbers.size()) {}

  Status run();

private:
  std::vector<std::jthread> startThreads(size_t count);
  void work();
  Status buildOne(uint32_t kernel);
  void finishOne(size_t index, Status status);

  const Device &device_;
  const std::vector<Kernel> &kernels_;
  std::span<const uint32_t> numbers_;
  VkPipelineCache cache_; ///< Drivers synchronize it.
  const CompileProgress &progress_;
  std::vector<Pipeline> &pipelines_;
  std::atomic<size_t> next_ = 0;
  std::mutex mutex_; ///< Of what follows.
  size_t numDone_ = 0;
  size_t failed_; ///< The first one in the order of `numbers_`.
  Status failure_;
};
} // namespace

Status ParallelBuild::buildOne(uint32_t kernel) {
  Result<Pipeline> pipeline = createPipeline(device_, kernels_[kernel], cache_);
  if (pipeline.ok())
    pipelines_[kernel] = std::move(*pipeline);
  return pipeline.status();
}

void ParallelBuild::finishOne(size_t index, Status status) {
  std::lock_guard lock(mutex_);
  if (progress_ && status.ok())
    progress_(++numDone_, numbers_.size());
  if (status.ok() || index > failed_)
    return;
  failed_ = index;
  failure_ = std::move(status);
  next_ = numbers_.size();
}

void ParallelBuild::work() {
  for (size_t i = next_++; i < numbers_.size(); i = next_++) {
    try {
      finishOne(i, buildOne(numbers_[i]));
    } catch (const std::bad_alloc &) {
      // Short enough to need no memory of its own.
      finishOne(i, Status(Code::OutOfMemory, "No host memory."));
    }
  }
}

/// At most `count`: where the host has no more, those that there are do it all.
std::vector<std::jthread> ParallelBuild::startThreads(size_t count) {
  std::vector<std::jthread> threads;
  try {
    for (size_t i = 0; i < count; ++i)
      threads.emplace_back([this] {
        DriverCall::isOurThread();
        work();
      });
  } catch (const std::system_error &) {
    return threads;
  }
  return threads;
}

Status ParallelBuild::run() {
  size_t numThreads = std::min<size_t>(
      std::max(std::thread::hardware_concurrency(), 1u), numbers_.size());
  {
    std::vector<std::jthread> others = startThreads(numThreads - 1);
    work();
  } // Which waits for the others.
  return failure_;
}

Status Pipelines::compile(const Device &device,
                          const std::vector<Kernel> &kernels,
                          std::span<const uint32_t> numbers,
                          const std::string &cacheDirectory,
                          const CompileProgress &progress) {
  if (numbers.empty())
    return {};
  Result<PipelineCache> cache = PipelineCache::open(device, cacheDirectory);
  if (!cache.ok())
    return cache.status();
  ParallelBuild build(device, kernels, numbers, cache->get(), progress,
                      pipelines_);
  VM_RETURN_IF_ERROR(build.run());
  cache->save();
  return {};
}

} // namespace vm
