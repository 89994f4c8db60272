//===- PlanDiff.cpp - what is different in two plans
//--------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/view/PlanDiff.h"

#include "runtime/plan/CommandWords.h"
#include "runtime/plan/ManifestJson.h"
#include "runtime/plan/PlanNames.h"
#include "runtime/plan/PlanText.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace vm {
namespace {

using Json = nlohmann::ordered_json;

/// Something with a name: its properties, in the order in which they are shown.
using Properties = std::vector<std::pair<std::string, Json>>;
using Named = std::map<std::string, Properties>;

Json pair(const Json &before, const Json &after) {
  return Json::array({before, after});
}

Json toJson(const Properties &properties) {
  Json object = Json::object();
  for (const auto &[name, value] : properties)
    object[name] = value;
  return object;
}

/// {"name": .., "property": [before, after], ..}, or null if nothing changed.
Json changeOf(const std::string &name, const Properties &before,
              const Properties &after) {
  Json change = {{"name", name}};
  for (size_t i = 0; i < before.size(); ++i)
    if (before[i].second != after[i].second)
      change[before[i].first] = pair(before[i].second, after[i].second);
  return change.size() > 1 ? change : Json();
}

/// What was added, removed and changed.
Json compare(const Named &before, const Named &after) {
  Json added = Json::array(), removed = Json::array(), changed = Json::array();
  for (const auto &[name, properties] : before) {
    auto there = after.find(name);
    if (there == after.end()) {
      Json object = {{"name", name}};
      object.update(toJson(properties));
      removed.push_back(std::move(object));
    } else if (Json change = changeOf(name, properties, there->second);
               !change.is_null())
      changed.push_back(std::move(change));
  }
  for (const auto &[name, properties] : after)
    if (!before.contains(name)) {
      Json object = {{"name", name}};
      object.update(toJson(properties));
      added.push_back(std::move(object));
    }
  return {{"added", std::move(added)},
          {"removed", std::move(removed)},
          {"changed", std::move(changed)}};
}

//===--- What has a name --------------------------------------------------===//

const uint32_t *kernelOf(const Command &command) {
  if (auto *op = std::get_if<Dispatch>(&command.op))
    return &op->kernel;
  if (auto *op = std::get_if<DispatchIndirect>(&command.op))
    return &op->kernel;
  return nullptr;
}

/// The commands of a kernel.
struct Use {
  uint64_t commands = 0;
  uint64_t groups = 0; ///< Of those whose number is in the plan.
  uint64_t bytes = 0;  ///< That they read and write, each once.
};

std::vector<Use> usesOfKernels(const Plan &plan) {
  std::vector<Use> uses(plan.kernels.size());
  for (const Command &command : plan.commands)
    if (const uint32_t *kernel = kernelOf(command)) {
      Use &use = uses[*kernel];
      ++use.commands;
      use.bytes += windowBytes(plan, command);
      if (auto *op = std::get_if<Dispatch>(&command.op))
        use.groups += uint64_t(op->groups[0]) * op->groups[1] * op->groups[2];
    }
  return uses;
}

/// Differs if the words do.
std::string hashOf(const std::vector<uint32_t> &words) {
  return fmt::format(
      "{:016x}", XXH3_64bits(words.data(), words.size() * sizeof(uint32_t)));
}

Json namesOf(const Plan &plan, const std::vector<uint32_t> &kernels) {
  Json names = Json::array();
  for (uint32_t kernel : kernels)
    names.push_back(plan.kernels[kernel].name);
  return names;
}

Json featuresOf(const Kernel &kernel) {
  Json names = Json::array();
  for (Feature feature : kernel.features)
    names.push_back(toString(feature));
  return names;
}

Named kernelsOf(const Plan &plan) {
  Named named;
  std::vector<Use> uses = usesOfKernels(plan);
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    const Kernel &kernel = plan.kernels[i];
    named[kernel.name] = {
        {"commands", uses[i].commands},
        {"groups", uses[i].groups},
        {"bytes", uses[i].bytes},
        {"local_size", kernel.localSize},
        {"workgroup_memory_bytes", kernel.workgroupMemoryBytes},
        {"features", featuresOf(kernel)},
        {"variants", namesOf(plan, kernel.variants)},
        {"spirv_bytes", kernel.spirv.size() * sizeof(uint32_t)},
        {"spirv_hash", hashOf(kernel.spirv)}};
  }
  return named;
}

Named stagesOf(const Plan &plan) {
  Named named;
  for (const Stage &stage : plan.stages)
    named[stage.name] = {{"kernels", namesOf(plan, stage.kernels)},
                         {"location", stage.location}};
  return named;
}

template <typename T>
void addSlots(Named &named, const char *kind, const std::vector<T> &slots) {
  for (const T &slot : slots)
    named[fmt::format("{} {}", kind, slot.name)] = {
        {"type", typeString(slot)}, {"window", windowText(slot.window)}};
}

/// `message of filter`, `operand 0 of filter`: registers with a place.
Named messagesOf(const Plan &plan) {
  constexpr uint32_t kOutbox = 30, kInbox = 31;
  std::map<uint32_t, std::string> stages;
  for (const Stage &stage : plan.stages)
    stages[stage.instance] = stage.name;
  Named named;
  for (const RegisterSlot &slot : plan.registers) {
    const std::string &stage = stages[slot.instance];
    std::string name = slot.reg == kOutbox ? "message of " + stage
                       : slot.reg == kInbox
                           ? "inbox of " + stage
                           : fmt::format("operand {} of {}", slot.reg, stage);
    named[name] = {{"type", typeString(slot)},
                   {"window", windowText(slot.window)}};
  }
  return named;
}

Named slotsOf(const Plan &plan) {
  Named named = messagesOf(plan);
  addSlots(named, "input", plan.inputs);
  addSlots(named, "output", plan.outputs);
  addSlots(named, "symbol", plan.symbols);
  return named;
}

//===--- What has none ----------------------------------------------------===//

/// `RAW filter (filter_map) -> revenue (revenue_reduce), 4096 bytes of
/// registers`: a reason without the numbers of commands and without a place.
std::string reasonWords(const Plan &plan, const BarrierReason &reason) {
  auto words = [&](uint32_t index) {
    const Command &command = plan.commands[index];
    std::string work = workName(plan, command); // "(copy)" if no kernel.
    return stageLabel(plan, command) + " " +
           (kernelOf(command) ? "(" + work + ")" : work);
  };
  return fmt::format("{} {} -> {}, {} bytes of {}", toString(reason.kind),
                     words(reason.first), words(reason.second),
                     reason.window.length, toString(reason.window.region));
}

/// How often each is there.
std::map<std::string, int64_t> reasonsOf(const Plan &plan) {
  std::map<std::string, int64_t> reasons;
  for (const Command &command : plan.commands)
    if (auto *barrier = std::get_if<Barrier>(&command.op))
      for (const BarrierReason &reason : barrier->reasons)
        ++reasons[reasonWords(plan, reason)];
  return reasons;
}

Json compareReasons(const Plan &before, const Plan &after) {
  std::map<std::string, int64_t> more = reasonsOf(after);
  for (const auto &[reason, count] : reasonsOf(before))
    more[reason] -= count;
  Json added = Json::array(), removed = Json::array();
  for (const auto &[reason, count] : more)
    if (count != 0)
      (count > 0 ? added : removed)
          .push_back({{"reason", reason}, {"count", std::abs(count)}});
  return {{"added", std::move(added)}, {"removed", std::move(removed)}};
}

/// Commands by what they do: dispatches, barriers, ...
std::map<std::string, uint64_t> countsOf(const Plan &plan) {
  constexpr const char *kNames[] = {"dispatches",
                                    "indirect dispatches",
                                    "barriers",
                                    "copies",
                                    "fills",
                                    "repeats",
                                    "clocks",
                                    "exchanges",
                                    "ends of exchanges",
                                    "nothing"};
  static_assert(std::size(kNames) ==
                std::variant_size_v<decltype(Command::op)>);
  std::map<std::string, uint64_t> counts;
  for (const Command &command : plan.commands)
    ++counts[kNames[command.op.index()]];
  counts["commands"] = plan.commands.size();
  counts["stages"] = plan.stages.size();
  counts["kernels"] = plan.kernels.size();
  return counts;
}

Json compareCounts(const Plan &before, const Plan &after) {
  std::map<std::string, uint64_t> counts = countsOf(before),
                                  others = countsOf(after);
  for (const auto &[name, count] : others)
    counts.try_emplace(name, 0);
  Json object = Json::object();
  for (const auto &[name, count] : counts)
    if (count != others[name])
      object[name] = pair(count, others[name]);
  return object;
}

uint64_t trafficOf(const Plan &plan) {
  uint64_t bytes = 0;
  for (const Command &command : plan.commands)
    bytes += windowBytes(plan, command);
  return bytes;
}

Json compareBytes(const Plan &before, const Plan &after) {
  Json object = Json::object();
  auto add = [&](const char *name, uint64_t a, uint64_t b) {
    if (a != b)
      object[name] = pair(a, b);
  };
  for (unsigned i = 0; i < kNumRegions; ++i)
    add(toString(static_cast<Region>(i)), before.regionBytes[i],
        after.regionBytes[i]);
  add("read and written", trafficOf(before), trafficOf(after));
  return object;
}

bool haveSameData(const Plan &before, const Plan &after) {
  return std::ranges::equal(before.initialData, after.initialData,
                            [](const InitialData &a, const InitialData &b) {
                              return a.region == b.region &&
                                     a.offset == b.offset && a.bytes == b.bytes;
                            });
}

bool haveSameCode(const Plan &before, const Plan &after) {
  return std::ranges::equal(
      before.kernels, after.kernels,
      [](const Kernel &a, const Kernel &b) { return a.spirv == b.spirv; });
}

//===--- Times ------------------------------------------------------------===//

/// {"name", "us": [before, after]}: medians; `is_noise` if the spreads (p10 to
/// p90) meet.
Json timesOf(const std::string &name, const nlohmann::json &before,
             const nlohmann::json &after) {
  double a = before["median"], b = after["median"];
  bool isNoise = before["p10"] <= after["p90"] && after["p10"] <= before["p90"];
  return {{"name", name}, {"us", {a, b}}, {"is_noise", isNoise}};
}

const nlohmann::json &noTime() {
  static const nlohmann::json none = {{"median", 0}, {"p10", 0}, {"p90", 0}};
  return none;
}

/// By name; what only one of them has took no time in the other.
Json compareTimes(const nlohmann::json &before, const nlohmann::json &after,
                  const char *list, const char *time) {
  std::map<std::string,
           std::pair<const nlohmann::json *, const nlohmann::json *>>
      times;
  for (const nlohmann::json &work : before[list])
    times[work["name"]] = {&work[time], &noTime()};
  for (const nlohmann::json &work : after[list])
    times.try_emplace(work["name"], &noTime(), nullptr).first->second.second =
        &work[time];
  std::vector<Json> rows;
  for (const auto &[name, pair] : times)
    rows.push_back(timesOf(name, *pair.first, *pair.second));
  auto difference = [](const Json &row) {
    return -std::abs(row["us"][1].get<double>() - row["us"][0].get<double>());
  };
  std::ranges::stable_sort(rows, {}, difference);
  return rows;
}

Json compareTimes(const nlohmann::json &before, const nlohmann::json &after) {
  return {{"devices", {before["device"], after["device"]}},
          {"total", timesOf("total", before["total_us"], after["total_us"])},
          {"kernels", compareTimes(before, after, "kernels", "total_us")},
          {"stages_alone", compareTimes(before, after, "stages", "alone_us")},
          {"stages_fused", compareTimes(before, after, "stages", "fused_us")}};
}

} // namespace

nlohmann::ordered_json diffPlans(const PlanSide &before,
                                 const PlanSide &after) {
  const Plan &a = before.plan, &b = after.plan;
  bool sameData = haveSameData(a, b), sameModule = a.module == b.module;
  bool sameManifest = manifestToJson(a) == manifestToJson(b);
  Json diff = {
      {"same", sameManifest && sameData && sameModule && haveSameCode(a, b)},
      {"programs", {a.program, b.program}},
      {"counts", compareCounts(a, b)},
      {"kernels", compare(kernelsOf(a), kernelsOf(b))},
      {"stages", compare(stagesOf(a), stagesOf(b))},
      {"slots", compare(slotsOf(a), slotsOf(b))},
      {"barriers", compareReasons(a, b)},
      {"bytes", compareBytes(a, b)},
      {"same_initial_data", sameData},
      {"same_module", sameModule}};
  diff["times"] = before.profile && after.profile
                      ? compareTimes(*before.profile, *after.profile)
                      : Json();
  return diff;
}

} // namespace vm
