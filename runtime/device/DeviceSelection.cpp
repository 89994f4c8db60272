//===- DeviceSelection.cpp - the choice of a device -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filter by what the user wants, refuse what cannot run the plan, take the best
// of the rest.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/DeviceSelection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace vm {

//===--- Refusals ---------------------------------------------------------===//

namespace {
/// Collects the reasons why one device cannot do what is needed.
class Refuser {
public:
  explicit Refuser(const DeviceInfo &info) : info_(info) {}

  void checkBasics() {
    if (info_.apiMajor < 1 || (info_.apiMajor == 1 && info_.apiMinor < 2))
      add(fmt::format("It offers Vulkan {}.{}, older than the oldest version "
                      "that works (1.2).",
                      info_.apiMajor, info_.apiMinor));
    if (!info_.computeQueueFamily)
      add("It has no queue family with compute support.");
  }

  void checkFeature(const FeatureNeed &need) {
    if (!info_.has(need.feature))
      add(fmt::format("Kernel \"{}\" needs the feature {} ({}), which the "
                      "device does not have.",
                      need.kernel, toString(need.feature),
                      describe(need.feature)));
  }

  /// `verb` and `unit` make the sentence: "<user> <verb> <value> <unit>, more
  /// than <limitName> allows (<limit> <first word of unit>)."
  void checkLimit(const LimitNeed &need, uint64_t limit, const char *verb,
                  std::string_view unit, const char *limitName) {
    if (need.value > limit)
      add(fmt::format("{} {} {} {}, more than {} allows ({} {}).", need.user,
                      verb, need.value, unit, limitName, limit,
                      unit.substr(0, unit.find(' '))));
  }

  void add(std::string reason) { reasons.push_back(std::move(reason)); }

  std::vector<std::string> reasons;

private:
  const DeviceInfo &info_;
};
} // namespace

static void checkMemory(Refuser &refuser, const DeviceInfo &info,
                        const Requirements &needs) {
  uint64_t heap = info.deviceHeapBytes();
  refuser.checkLimit(needs.windowBytes, info.limits.maxStorageBufferRange, "is",
                     "bytes long", "maxStorageBufferRange");
  refuser.checkLimit(needs.regionBytes, heap, "takes", "bytes",
                     "the device's largest memory heap");
  if (needs.regionBytes.value <= heap && needs.totalRegionBytes > heap)
    refuser.add(fmt::format("The five regions take {} bytes together, more "
                            "than the device's largest memory heap allows ({} "
                            "bytes).",
                            needs.totalRegionBytes, heap));
}

static void checkWorkgroups(Refuser &refuser, const DeviceLimits &limits,
                            const Requirements &needs) {
  static const char *const kLocalSizeNames[] = {"maxComputeWorkGroupSize[0]",
                                                "maxComputeWorkGroupSize[1]",
                                                "maxComputeWorkGroupSize[2]"};
  static const char *const kGroupNames[] = {"maxComputeWorkGroupCount[0]",
                                            "maxComputeWorkGroupCount[1]",
                                            "maxComputeWorkGroupCount[2]"};
  refuser.checkLimit(needs.storageBuffers, limits.maxStorageBuffersPerStage,
                     "binds", "windows", "maxPerStageDescriptorStorageBuffers");
  refuser.checkLimit(needs.workgroupMemory, limits.maxWorkgroupMemory, "uses",
                     "bytes of workgroup memory", "maxComputeSharedMemorySize");
  refuser.checkLimit(needs.invocations, limits.maxWorkgroupInvocations, "has",
                     "invocations in a workgroup",
                     "maxComputeWorkGroupInvocations");
  for (unsigned axis = 0; axis < 3; ++axis) {
    refuser.checkLimit(needs.localSize[axis], limits.maxLocalSize[axis],
                       "has a local size of", "invocations",
                       kLocalSizeNames[axis]);
    refuser.checkLimit(needs.groups[axis], limits.maxGroups[axis], "has",
                       "workgroups", kGroupNames[axis]);
  }
}

std::vector<std::string> refusalReasons(const DeviceInfo &info,
                                        const Requirements &needs) {
  Refuser refuser(info);
  refuser.checkBasics();
  for (const FeatureNeed &need : needs.features)
    refuser.checkFeature(need);
  if (needs.clock && info.timestampBits == 0)
    refuser.add("The plan reads the clock, and the device's queue has none "
                "(timestampValidBits is 0).");
  checkMemory(refuser, info, needs);
  checkWorkgroups(refuser, info.limits, needs);
  return std::move(refuser.reasons);
}

//===--- Choice -----------------------------------------------------------===//

/// Smaller is better: a real GPU before anything that computes on the host.
static unsigned rank(const DeviceInfo &info) {
  switch (info.type) {
  case DeviceType::Discrete:
    return 0;
  case DeviceType::Integrated:
    return 1;
  case DeviceType::Virtual:
    return 2;
  case DeviceType::Other:
    return 3;
  case DeviceType::Cpu:
    break;
  }
  return info.lavapipe ? 4 : 5;
}

static std::string lower(std::string_view text) {
  std::string result(text);
  for (char &c : result)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

static bool isWanted(const DeviceInfo &info, uint32_t index,
                     std::string_view wanted) {
  std::string text = lower(wanted);
  if (text.empty())
    return true;
  if (text == "cpu")
    return info.type == DeviceType::Cpu;
  if (text == "gpu")
    return info.type != DeviceType::Cpu;
  if (text == "lavapipe")
    return info.lavapipe;
  uint32_t number = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size())
    return number == index;
  return lower(info.name).find(text) != std::string::npos;
}

static std::string listDevices(std::span<const DeviceInfo> devices) {
  std::string list;
  for (size_t i = 0; i < devices.size(); ++i)
    list += fmt::format("{}{}: {}", i ? ", " : "", i, devices[i].name);
  return list;
}

static Status noDeviceStatus(std::span<const DeviceInfo> devices,
                             const Selection &selection,
                             std::string_view wanted) {
  if (devices.empty())
    return Status(Code::NoDevice, "This machine has no Vulkan device.");
  if (selection.refusals.empty())
    return Status(Code::NoDevice,
                  fmt::format("No device matches \"{}\" (there are: {}).",
                              wanted, listDevices(devices)));
  std::string text = "No device can run this plan.";
  for (const Refusal &refusal : selection.refusals) {
    text += fmt::format(" Device {} \"{}\":", refusal.device,
                        devices[refusal.device].name);
    for (const std::string &reason : refusal.reasons)
      text += " " + reason;
  }
  return Status(Code::NoDevice, text);
}

Selection selectDevice(std::span<const DeviceInfo> devices,
                       const Requirements &needs, std::string_view wanted,
                       uint32_t number) {
  Selection selection;
  std::vector<uint32_t> best;
  for (uint32_t i = 0; i < devices.size(); ++i) {
    if (!isWanted(devices[i], i, wanted))
      continue;
    if (auto reasons = refusalReasons(devices[i], needs); !reasons.empty())
      selection.refusals.push_back({i, std::move(reasons)});
    else if (best.empty() || rank(devices[i]) < rank(devices[best.front()]))
      best = {i};
    else if (rank(devices[i]) == rank(devices[best.front()]))
      best.push_back(i);
  }
  if (!best.empty())
    selection.device = best[number % best.size()];
  else
    selection.status = noDeviceStatus(devices, selection, wanted);
  return selection;
}

} // namespace vm
