//===- Profile.cpp - profiles of executions -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The spread of a group of commands is that of their sums, execution by
// execution: medians of parts do not add up to the median of the whole.
//
//===----------------------------------------------------------------------===//

#include "runtime/profile/Profile.h"

#include "runtime/plan/CommandWords.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace vm {

double ProfiledWork::meanUs() const {
  return calls ? totalUs.median / static_cast<double>(calls) : 0;
}

double ProfiledWork::gigabytesPerSecond() const {
  return totalUs.median > 0 ? static_cast<double>(bytes) / totalUs.median / 1e3
                            : 0;
}

float Profiler::Sample::totalUs() const {
  float sum = uploadUs + downloadUs + restUs + idleUs;
  for (float us : commandUs)
    sum += us;
  return sum;
}

void Profiler::add(const CommandTimes &commands, const ExecutionTimes &times) {
  size_t size = plan_.commands.size();
  if (!samples_.empty() && (samples_.size() + 1) * size > maxSamples_)
    return;
  Sample sample;
  sample.uploadUs = static_cast<float>(times.uploadUs);
  sample.downloadUs = static_cast<float>(times.downloadUs);
  sample.commandUs.resize(size);
  calls_.resize(size);
  double sum = 0;
  for (const CommandTime &time : commands.commands) {
    double us = (time.endNs - time.startNs) / 1000;
    sum += us;
    (time.ran ? sample.commandUs[time.command] : sample.idleUs) +=
        static_cast<float>(us);
    ++(time.ran ? calls_[time.command] : idleCalls_);
  }
  sample.restUs = static_cast<float>(std::max(0.0, times.deviceUs - sum));
  untimed_ = commands.untimed;
  samples_.push_back(std::move(sample));
}

/// Of one execution; executions of a plan may differ in where repeats end.
uint64_t Profiler::callsOf(uint64_t ofAll) const {
  return (ofAll + samples_.size() - 1) / samples_.size();
}

/// Of each execution, the time of some commands together.
std::vector<double> Profiler::sumsOf(const Group &commands) const {
  std::vector<double> sums;
  for (const Sample &sample : samples_) {
    double sum = 0;
    for (uint32_t command : commands)
      sum += sample.commandUs[command];
    sums.push_back(sum);
  }
  return sums;
}

void Profiler::profileCommands(Profile &profile) const {
  for (uint32_t i = 0; i < calls_.size(); ++i) {
    if (calls_[i] == 0)
      continue;
    uint64_t bytes = calls_[i] * windowBytes(plan_, plan_.commands[i]);
    profile.commands.push_back({i, callsOf(calls_[i]), bytes / samples_.size(),
                                spreadOf(sumsOf({i}))});
  }
}

/// Adds the indices of `more` to the sorted set `to`.
static void unite(std::vector<uint32_t> &to,
                  const std::vector<uint32_t> &more) {
  to.insert(to.end(), more.begin(), more.end());
  std::sort(to.begin(), to.end());
  to.erase(std::unique(to.begin(), to.end()), to.end());
}

void Profiler::profileWork(Profile &profile) const {
  std::map<std::string, std::pair<ProfiledWork, Group>> byName;
  for (const ProfiledCommand &command : profile.commands) {
    const Command &op = plan_.commands[command.command];
    auto &[work, group] = byName[workName(plan_, op)];
    work.calls += command.calls;
    work.bytes += command.bytes;
    unite(work.stages, op.stages);
    group.push_back(command.command);
  }
  double allUs = 0;
  for (const Sample &sample : samples_)
    allUs += sample.totalUs();
  auto add = [&](ProfiledWork work, std::vector<double> sums) {
    double sum = std::accumulate(sums.begin(), sums.end(), 0.0);
    work.share = allUs > 0 ? sum / allUs : 0;
    work.totalUs = spreadOf(std::move(sums));
    profile.work.push_back(std::move(work));
  };
  for (auto &[name, entry] : byName) {
    entry.first.name = name;
    add(std::move(entry.first), sumsOf(entry.second));
  }
  auto addPhase = [&](const char *name, float Sample::*field, uint64_t calls) {
    std::vector<double> values;
    for (const Sample &sample : samples_)
      values.push_back(sample.*field);
    ProfiledWork work;
    work.name = name;
    work.calls = calls;
    add(std::move(work), std::move(values));
  };
  addPhase("(upload)", &Sample::uploadUs, 1);
  addPhase("(download)", &Sample::downloadUs, 1);
  if (idleCalls_)
    addPhase("(idle)", &Sample::idleUs, callsOf(idleCalls_));
  addPhase("(rest)", &Sample::restUs, std::max<uint64_t>(1, untimed_));
  std::stable_sort(profile.work.begin(), profile.work.end(),
                   [](const ProfiledWork &a, const ProfiledWork &b) {
                     return a.totalUs.median > b.totalUs.median;
                   });
}

void Profiler::profileStages(Profile &profile) const {
  std::vector<Group> alone(plan_.stages.size());
  std::vector<Group> fused(plan_.stages.size());
  profile.stages.resize(plan_.stages.size());
  for (const ProfiledCommand &command : profile.commands) {
    const Command &op = plan_.commands[command.command];
    for (uint32_t stage : op.stages) {
      (op.stages.size() == 1 ? alone : fused)[stage].push_back(command.command);
      std::vector<std::string> &work = profile.stages[stage].work;
      std::string name = workName(plan_, op);
      if (std::find(work.begin(), work.end(), name) == work.end())
        work.push_back(std::move(name));
    }
  }
  for (size_t i = 0; i < profile.stages.size(); ++i) {
    profile.stages[i].aloneUs = spreadOf(sumsOf(alone[i]));
    profile.stages[i].fusedUs = spreadOf(sumsOf(fused[i]));
  }
}

Profile Profiler::finish() const {
  Profile profile;
  profile.executions = samples_.size();
  profile.untimed = untimed_;
  std::vector<double> totals;
  for (const Sample &sample : samples_)
    totals.push_back(sample.totalUs());
  profile.totalUs = spreadOf(std::move(totals));
  profileCommands(profile);
  profileWork(profile);
  profileStages(profile);
  return profile;
}

} // namespace vm
