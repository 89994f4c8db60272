//===- DeviceTrace.cpp - executions on the host's clock -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/profile/DeviceTrace.h"

#include "runtime/exec/Timestamps.h"
#include "runtime/plan/CommandWords.h"
#include "runtime/plan/PlanText.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace vm {

using Json = nlohmann::ordered_json;

//===--- What a command is ------------------------------------------------===//

static Json reasonJson(const Plan &plan, const BarrierReason &reason) {
  return {{"kind", toString(reason.kind)},
          {"first", reason.first},
          {"first_stage", stageLabel(plan, plan.commands[reason.first])},
          {"second", reason.second},
          {"second_stage", stageLabel(plan, plan.commands[reason.second])},
          {"region", toString(reason.window.region)},
          {"offset", reason.window.offset},
          {"bytes", reason.window.length}};
}

static std::string argumentsOf(const Plan &plan, uint32_t index) {
  const Command &command = plan.commands[index];
  Json json = {{"command", index}};
  if (auto *barrier = std::get_if<Barrier>(&command.op)) {
    json["reasons"] = Json::array();
    for (const BarrierReason &reason : barrier->reasons)
      json["reasons"].push_back(reasonJson(plan, reason));
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  json["stage"] = stageLabel(plan, command);
  json["source"] = Json::array();
  for (uint32_t stage : command.stages)
    if (!plan.stages[stage].location.empty())
      json["source"].push_back(plan.stages[stage].location);
  json["bytes"] = windowBytes(plan, command);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

DeviceTrace::DeviceTrace(const Plan &plan, const DeviceInfo &info)
    : info_(info) {
  for (uint32_t i = 0; i < plan.commands.size(); ++i) {
    names_.push_back(workName(plan, plan.commands[i]));
    arguments_.push_back(argumentsOf(plan, i));
  }
}

//===--- When it ran ------------------------------------------------------===//

namespace {
/// Where an execution starts on the host's clock.
struct Placement {
  double startNs;
  double uncertaintyNs;
};
} // namespace

static Placement placeByClocks(const DeviceInfo &info, uint64_t startTicks,
                               const ClockSample &clocks) {
  // The sample may come after the start or before it.
  double since = nanosecondsBetween(info, startTicks, clocks.deviceTicks);
  double until = nanosecondsBetween(info, clocks.deviceTicks, startTicks);
  double offset = since <= until ? -since : until;
  return {static_cast<double>(clocks.hostNs) + offset,
          static_cast<double>(clocks.uncertaintyNs)};
}

static Placement placeByBounds(double durationNs,
                               const ExecutionBounds &bounds) {
  double slack =
      static_cast<double>(bounds.doneNs - bounds.submitNs) - durationNs;
  slack = std::max(0.0, slack);
  return {static_cast<double>(bounds.submitNs) + slack / 2, slack / 2};
}

void DeviceTrace::add(const CommandTimes &commands, const ExecutionTimes &times,
                      const ExecutionBounds &bounds) {
  uint64_t number = executions_++;
  if (number > 0 && events_.size() + commands.commands.size() > kMaxEvents) {
    ++leftOut_;
    return;
  }
  double uploadNs = times.uploadUs * 1000;
  double computeNs = uploadNs + times.deviceUs * 1000;
  double endNs = computeNs + times.downloadUs * 1000;
  Placement placement =
      bounds.clocks ? placeByClocks(info_, commands.startTicks, *bounds.clocks)
                    : placeByBounds(endNs, bounds);
  calibrated_ &= bounds.clocks.has_value();
  uncertaintyNs_ =
      std::max(uncertaintyNs_,
               static_cast<uint64_t>(std::ceil(placement.uncertaintyNs)));
  auto startNs = static_cast<uint64_t>(std::max(0.0, placement.startNs));
  auto addEvent = [&](std::string name, double begin, double end,
                      std::optional<uint32_t> command = std::nullopt) {
    events_.push_back(
        {std::move(name), startNs + static_cast<uint64_t>(std::round(begin)),
         startNs + static_cast<uint64_t>(std::round(end)), command});
  };
  addEvent(fmt::format("execution {}", number), 0, endNs);
  addEvent("(upload)", 0, uploadNs);
  for (const CommandTime &time : commands.commands)
    addEvent(time.ran ? names_[time.command] : names_[time.command] + " (idle)",
             time.startNs, time.endNs, time.command);
  addEvent("(download)", computeNs, endNs);
}

} // namespace vm
