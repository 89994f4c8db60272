//===- Pipelines.cpp - a plan's kernels as compute pipelines --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Set layout, pipeline layout, shader module, pipeline.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Pipelines.h"

#include "runtime/exec/PipelineCache.h"

#include <fmt/format.h>

#include <algorithm>

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
  VM_RETURN_IF_VK_ERROR(device.vk().vkCreateDescriptorSetLayout(
                            device.handle(), &info, nullptr, &layout),
                        "create a descriptor set layout");
  out.setLayout = Owned<VkDescriptorSetLayout>(
      device, layout, device.vk().vkDestroyDescriptorSetLayout);
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
  VM_RETURN_IF_VK_ERROR(device.vk().vkCreatePipelineLayout(
                            device.handle(), &info, nullptr, &layout),
                        "create a pipeline layout");
  out.layout = Owned<VkPipelineLayout>(device, layout,
                                       device.vk().vkDestroyPipelineLayout);
  return {};
}

static bool needs(const Kernel &kernel, Feature feature) {
  return std::find(kernel.features.begin(), kernel.features.end(), feature) !=
         kernel.features.end();
}

static Status compile(const Device &device, const Kernel &kernel,
                      VkPipelineCache cache, Pipeline &out) {
  VkShaderModuleCreateInfo moduleInfo = {
      VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  moduleInfo.codeSize = kernel.spirv.size() * sizeof(uint32_t);
  moduleInfo.pCode = kernel.spirv.data();
  VkShaderModule handle = VK_NULL_HANDLE;
  VM_RETURN_IF_VK_ERROR(device.vk().vkCreateShaderModule(
                            device.handle(), &moduleInfo, nullptr, &handle),
                        "create a shader module");
  Owned<VkShaderModule> module(device, handle,
                               device.vk().vkDestroyShaderModule);
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
  VM_RETURN_IF_VK_ERROR(
      device.vk().vkCreateComputePipelines(device.handle(), cache, 1, &info,
                                           nullptr, &pipeline),
      "compile SPIR-V for the device");
  out.pipeline =
      Owned<VkPipeline>(device, pipeline, device.vk().vkDestroyPipeline);
  device.setName(VK_OBJECT_TYPE_PIPELINE, reinterpret_cast<uint64_t>(pipeline),
                 kernel.name);
  return {};
}

static Status build(const Device &device, const Kernel &kernel,
                    VkPipelineCache cache, uint32_t pushConstantBytes,
                    Pipeline &out) {
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

Result<Pipelines> Pipelines::create(const Device &device,
                                    const std::vector<Kernel> &kernels,
                                    const std::string &cacheDirectory) {
  Result<PipelineCache> cache = PipelineCache::open(device, cacheDirectory);
  if (!cache.ok())
    return cache.status();
  Pipelines result;
  for (const Kernel &kernel : kernels) {
    Result<Pipeline> pipeline = createPipeline(device, kernel, cache->get());
    if (!pipeline.ok())
      return pipeline.status();
    result.pipelines_.push_back(std::move(*pipeline));
  }
  cache->save();
  return result;
}

} // namespace vm
