//===- ProfileReport.cpp - a profile as a table and as JSON ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/profile/ProfileReport.h"

#include "runtime/plan/CommandWords.h"
#include "runtime/plan/PlanText.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace vm {

using Json = nlohmann::ordered_json;

//===--- Table ------------------------------------------------------------===//

/// The first few of `names`, and how many more there are.
static std::string listText(const std::vector<std::string> &names) {
  constexpr size_t kShown = 3;
  size_t shown = std::min(names.size(), kShown);
  std::string text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + ptrdiff_t(shown), "+"));
  if (names.size() > shown)
    text += fmt::format(" (and {} more)", names.size() - shown);
  return text;
}

static std::vector<std::string>
stageNames(const Plan &plan, const std::vector<uint32_t> &stages) {
  std::vector<std::string> names;
  for (uint32_t stage : stages)
    names.push_back(plan.stages[stage].name);
  return names;
}

static std::vector<std::string> locations(const Plan &plan,
                                          const ProfiledWork &work) {
  std::vector<std::string> list;
  for (uint32_t stage : work.stages) {
    const std::string &location = plan.stages[stage].location;
    if (!location.empty() &&
        std::find(list.begin(), list.end(), location) == list.end())
      list.push_back(location);
  }
  return list;
}

/// A row of cells, without the white space at its end.
static void addRow(std::string &text, const std::string &row) {
  text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
}

static void addWork(std::string &text, const Profile &profile,
                    const Plan &plan) {
  size_t width = 6;
  for (const ProfiledWork &work : profile.work)
    width = std::max(width, work.name.size());
  constexpr const char *kRow = "{:<{}}  {:>6}  {:>11}  {:>11}  {:>11}  {:>11}  "
                               "{:>6}  {:>8}  {:<24}  {}";
  addRow(text,
         fmt::format(kRow, "kernel", width, "calls", "total_us", "p10_us",
                     "p90_us", "mean_us", "share", "GB/s", "stages", "source"));
  auto micro = [](double us) { return fmt::format("{:.2f}", us); };
  for (const ProfiledWork &work : profile.work) {
    if (work.totalUs.p90 == 0)
      continue;
    double speed = work.gigabytesPerSecond();
    addRow(text,
           fmt::format(kRow, work.name, width, work.calls,
                       micro(work.totalUs.median), micro(work.totalUs.p10),
                       micro(work.totalUs.p90), micro(work.meanUs()),
                       fmt::format("{:.1f}%", 100 * work.share),
                       speed > 0 ? micro(speed) : "",
                       listText(stageNames(plan, work.stages)),
                       listText(locations(plan, work))));
  }
}

static void addStages(std::string &text, const Profile &profile,
                      const Plan &plan) {
  size_t width = 5;
  for (const Stage &stage : plan.stages)
    width = std::max(width, stage.name.size());
  constexpr const char *kRow = "{:<{}}  {:>11}  {:>11}  {:<24}  {}";
  addRow(text, fmt::format(kRow, "stage", width, "alone_us", "fused_us",
                           "kernels", "source"));
  for (size_t i = 0; i < profile.stages.size(); ++i) {
    const ProfiledStage &stage = profile.stages[i];
    addRow(text, fmt::format(kRow, plan.stages[i].name, width,
                             fmt::format("{:.2f}", stage.aloneUs.median),
                             fmt::format("{:.2f}", stage.fusedUs.median),
                             listText(stage.work), plan.stages[i].location));
  }
}

std::string profileTable(const Profile &profile, const Plan &plan,
                         const DeviceInfo &device) {
  std::string text = fmt::format(
      "profile of {} on {}: {} executions, {:.2f} us each on the device (p10 "
      "{:.2f}, p90 {:.2f})\n",
      plan.program, device.name, profile.executions, profile.totalUs.median,
      profile.totalUs.p10, profile.totalUs.p90);
  if (profile.untimed)
    text += fmt::format("{} commands of each are past the capacity ({} "
                        "timestamps); their time is in (rest)\n",
                        profile.untimed, CommandTimer::kMaxTimestamps);
  if (profile.hostBytes)
    text += fmt::format("{} bytes of the plan lie in host memory\n",
                        profile.hostBytes);
  addWork(text, profile, plan);
  addStages(text, profile, plan);
  return text;
}

//===--- JSON -------------------------------------------------------------===//

static Json toJson(const Spread &spread) {
  return {{"median", spread.median}, {"p10", spread.p10}, {"p90", spread.p90}};
}

static Json workJson(const ProfiledWork &work, const Plan &plan) {
  return {{"name", work.name},
          {"calls", work.calls},
          {"total_us", toJson(work.totalUs)},
          {"mean_us", work.meanUs()},
          {"share", work.share},
          {"bytes", work.bytes},
          {"gbps", work.gigabytesPerSecond()},
          {"stages", stageNames(plan, work.stages)},
          {"locations", locations(plan, work)}};
}

static Json stageJson(const ProfiledStage &profile, const Stage &stage) {
  return {{"name", stage.name},
          {"instance", stage.instance},
          {"location", stage.location},
          {"alone_us", toJson(profile.aloneUs)},
          {"fused_us", toJson(profile.fusedUs)},
          {"kernels", profile.work}};
}

static Json commandJson(const ProfiledCommand &profile, const Plan &plan) {
  const Command &command = plan.commands[profile.command];
  Json json = {{"index", profile.command},
               {"name", workName(plan, command)},
               {"stages", stageNames(plan, command.stages)},
               {"calls", profile.calls},
               {"total_us", toJson(profile.totalUs)},
               {"bytes", profile.bytes}};
  if (auto *barrier = std::get_if<Barrier>(&command.op)) {
    json["reasons"] = Json::array();
    for (const BarrierReason &reason : barrier->reasons)
      json["reasons"].push_back(reasonText(plan, reason));
  }
  return json;
}

std::string profileJson(const Profile &profile, const Plan &plan,
                        const DeviceInfo &device) {
  Json json = {{"program", plan.program},
               {"device", device.name},
               {"driver", device.driver},
               {"executions", profile.executions},
               {"total_us", toJson(profile.totalUs)},
               {"untimed_commands", profile.untimed},
               {"host_bytes", profile.hostBytes},
               {"kernels", Json::array()},
               {"stages", Json::array()},
               {"commands", Json::array()}};
  for (const ProfiledWork &work : profile.work)
    json["kernels"].push_back(workJson(work, plan));
  for (size_t i = 0; i < profile.stages.size(); ++i)
    json["stages"].push_back(stageJson(profile.stages[i], plan.stages[i]));
  for (const ProfiledCommand &command : profile.commands)
    json["commands"].push_back(commandJson(command, plan));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace vm
