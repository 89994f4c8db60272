//===- Descriptors.cpp - the windows of every dispatch --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the different sets first, so that a loop unrolled into thousands of
// dispatches of the same windows needs one.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Descriptors.h"

#include "runtime/plan/PlanText.h"
#include "runtime/plan/Repeats.h"

#include <algorithm>
#include <map>
#include <string>

namespace vm {

namespace {
/// What one descriptor set is for.
struct SetUse {
  uint32_t kernel;
  std::vector<BoundWindow> windows;

  bool operator<(const SetUse &other) const {
    if (kernel != other.kernel)
      return kernel < other.kernel;
    return std::lexicographical_compare(
        windows.begin(), windows.end(), other.windows.begin(),
        other.windows.end(), [](const BoundWindow &a, const BoundWindow &b) {
          auto key = [](const BoundWindow &bound) {
            return std::tuple(bound.binding, bound.window.region,
                              bound.window.offset, bound.window.length);
          };
          return key(a) < key(b);
        });
  }
};
} // namespace

static std::optional<SetUse> setUseOf(const Command &command,
                                      const Turns &turns) {
  SetUse use;
  if (auto *op = std::get_if<Dispatch>(&command.op))
    use = {op->kernel, op->windows};
  else if (auto *op = std::get_if<DispatchIndirect>(&command.op))
    use = {op->kernel, op->windows};
  else
    return std::nullopt;
  for (BoundWindow &bound : use.windows)
    bound.window = turns.at(bound.window);
  return use;
}

/// Visits each command in each state of the windows around it.
template <typename Visit>
static void forEachState(const Plan &plan, CommandRange range, Turns &turns,
                         Visit &visit) {
  for (size_t i = range.begin; i < range.end; ++i) {
    auto *repeat = std::get_if<Repeat>(&plan.commands[i].op);
    if (!repeat) {
      visit(i, turns);
      continue;
    }
    CommandRange body = {i + 1, i + 1 + repeat->commands};
    // More than `times` where a loop is recorded in blocks.
    for (uint32_t t = 0; t < periodOf(*repeat); ++t) {
      turns.rotate(*repeat, t, /*begins=*/true);
      forEachState(plan, body, turns, visit);
      turns.rotate(*repeat, t, /*begins=*/false);
    }
    i = body.end - 1;
  }
}

Result<Owned<VkDescriptorPool>> createDescriptorPool(const Device &device,
                                                     uint32_t sets,
                                                     uint32_t descriptors) {
  VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                               std::max(descriptors, 1u)};
  VkDescriptorPoolCreateInfo info = {
      VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  info.maxSets = std::max(sets, 1u);
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  VM_RETURN_IF_VK_ERROR(device.vk()->vkCreateDescriptorPool(
                            device.handle(), &info, nullptr, &pool),
                        "create a descriptor pool");
  return Owned<VkDescriptorPool>(device, pool,
                                 device.vk()->vkDestroyDescriptorPool);
}

void writeDescriptor(const Device &device, VkDescriptorSet set,
                     uint32_t binding, const BufferRange &range) {
  VkDescriptorBufferInfo buffer = {range.buffer, range.offset, range.length};
  VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.dstSet = set;
  write.dstBinding = binding;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = &buffer;
  device.vk()->vkUpdateDescriptorSets(device.handle(), 1, &write, 0, nullptr);
}

static constexpr const char *kWriting = "Writing the descriptors";

Result<Descriptors> Descriptors::create(const Device &device, const Plan &plan,
                                        CommandRange commands,
                                        const Pipelines &pipelines,
                                        const Regions &regions,
                                        const Deadline &deadline) {
  Descriptors result;
  std::map<SetUse, uint32_t> indices;
  std::vector<VkDescriptorSetLayout> layouts;
  std::vector<std::string> names;
  uint32_t descriptors = 0;
  constexpr size_t kNone = SIZE_MAX;
  result.firstCommand_ = commands.begin;
  result.firstState_.assign(commands.end - commands.begin, kNone);
  auto visit = [&](size_t i, const Turns &turns) {
    std::optional<SetUse> use;
    if (!deadline.isOver())
      use = setUseOf(plan.commands[i], turns);
    if (!use)
      return;
    size_t &first = result.firstState_[i - commands.begin];
    if (first == kNone) {
      first = result.setOfState_.size();
      result.setOfState_.resize(first + turns.numStates());
    }
    auto [entry, isNew] =
        indices.emplace(*use, static_cast<uint32_t>(layouts.size()));
    result.setOfState_[first + turns.state()] = entry->second;
    if (!isNew)
      return;
    layouts.push_back(pipelines[use->kernel].setLayout.get());
    names.push_back("windows of " + stageLabel(plan, plan.commands[i]));
    descriptors += static_cast<uint32_t>(use->windows.size());
  };
  Turns turns;
  forEachState(plan, commands, turns, visit);
  if (layouts.empty())
    return result;
  VM_RETURN_IF_ERROR(deadline.check(kWriting));

  Result<Owned<VkDescriptorPool>> pool = createDescriptorPool(
      device, static_cast<uint32_t>(layouts.size()), descriptors);
  if (!pool.ok())
    return pool.status();
  result.pool_ = std::move(*pool);
  VkDescriptorSetAllocateInfo info = {
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  info.descriptorPool = result.pool_.get();
  info.descriptorSetCount = static_cast<uint32_t>(layouts.size());
  info.pSetLayouts = layouts.data();
  result.sets_.resize(layouts.size());
  VM_RETURN_IF_VK_ERROR(device.vk()->vkAllocateDescriptorSets(
                            device.handle(), &info, result.sets_.data()),
                        "allocate descriptor sets");
  for (size_t i = 0; i < names.size(); ++i)
    device.setName(VK_OBJECT_TYPE_DESCRIPTOR_SET,
                   reinterpret_cast<uint64_t>(result.sets_[i]), names[i]);
  for (const auto &[use, index] : indices) {
    VM_RETURN_IF_ERROR(deadline.check(kWriting));
    for (const BoundWindow &bound : use.windows)
      writeDescriptor(device, result.sets_[index], bound.binding,
                      regions.locate(bound.window));
  }
  return result;
}

} // namespace vm
