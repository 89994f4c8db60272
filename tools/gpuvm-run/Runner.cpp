//===- Runner.cpp - executes a loaded plan, and measures ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-run/Runner.h"

#include "runtime/profile/ProfileReport.h"
#include "runtime/ranks/Gather.h"

#include <algorithm>

namespace vm::run {

Runner::Runner(Vm &vm, const CommandLine &options, Observers &observers)
    : vm_(vm), device_(*vm.device()), executor_(*vm.executor()),
      options_(options), observers_(observers), profiler_(executor_.plan()) {
  if (!options.tracePath.empty())
    observers.device.emplace(executor_.plan(), device_.info());
}

//===--- Observing --------------------------------------------------------===//

uint64_t Runner::submits() const {
  return executor_.counters().executionSubmits +
         executor_.counters().hostAccessSubmits;
}

Status Runner::wait() {
  HostSpan span(&observers_.host, "wait");
  if (!watch_)
    return executor_.wait();
  for (bool done = false; !done;) {
    Result<bool> result = executor_.waitFor(Watch::kPatienceNs);
    if (!result.ok())
      return result.status();
    done = *result;
    if (done)
      watch_->countExecution();
    VM_RETURN_IF_ERROR(watch_->look());
  }
  return {};
}

Status Runner::observe(RunStats &stats) {
  stats.submits = std::max(stats.submits, submits() - submitsBefore_);
  submitsBefore_ = submits();
  stats.recorded = executor_.counters().recorded;
  stats.iterations.push_back(executor_.lastTimes());
  return timesCommands(options_) ? observeTimes() : Status();
}

Status Runner::observeTimes() {
  ExecutionBounds bounds;
  bounds.doneNs = hostNowNs();
  bounds.submitNs =
      bounds.doneNs - static_cast<uint64_t>(executor_.lastTimes().wallUs * 1e3);
  HostSpan span(&observers_.host, "read times");
  Result<CommandTimes> times = executor_.commandTimes();
  if (!times.ok())
    return times.status();
  profiler_.add(*times, executor_.lastTimes());
  if (!observers_.device)
    return {};
  Result<std::optional<ClockSample>> clocks = sampleClocks(device_);
  if (!clocks.ok())
    return clocks.status();
  bounds.clocks = *clocks;
  observers_.device->add(*times, executor_.lastTimes(), bounds);
  return {};
}

std::string Runner::profileText() const {
  if (options_.profile == ProfileFormat::None)
    return "";
  Profile profile = profiler_.finish();
  profile.hostBytes = executor_.hostBytes();
  return options_.profile == ProfileFormat::Json
             ? profileJson(profile, executor_.plan(), device_.info())
             : profileTable(profile, executor_.plan(), device_.info());
}

Status Runner::finish() {
  observers_.profile = profileText();
  return watch_ ? watch_->finish() : Status();
}

//===--- Iterations -------------------------------------------------------===//

Status Runner::execute(uint32_t program) {
  {
    HostSpan span(&observers_.host, "submit");
    VM_RETURN_IF_ERROR(executor_.submit(program));
  }
  return wait();
}

/// What is measured on all ranks begins at one time.
Status Runner::meetRanks() {
  Communicator &ranks = executor_.ranks();
  return ranks.size() == 1
             ? Status()
             : agree(ranks, {}, loadTimeoutNs(executor_.timeoutNs()));
}

Status Runner::run(std::span<const uint32_t> programs, RunStats &stats) {
  if (options_.watchSeconds)
    watch_.emplace(vm_, options_,
                   (options_.warmup + options_.iterations) * programs.size());
  {
    HostSpan span(&observers_.host, "warm up");
    for (uint64_t i = 0; i < options_.warmup; ++i)
      for (uint32_t program : programs)
        VM_RETURN_IF_ERROR(execute(program));
  }
  VM_RETURN_IF_ERROR(meetRanks());
  submitsBefore_ = submits();
  for (uint64_t i = 0; i < options_.iterations; ++i)
    for (uint32_t program : programs) {
      VM_RETURN_IF_ERROR(execute(program));
      VM_RETURN_IF_ERROR(observe(stats));
    }
  return finish();
}

//===--- Streams ----------------------------------------------------------===//

Status Runner::stream(Bindings &bindings, RunStats &stats) {
  if (options_.watchSeconds)
    watch_.emplace(vm_, options_,
                   bindings.streams.front().reader.numChunks().value_or(0));
  std::vector<StreamInput> inputs;
  for (StreamedInput &stream : bindings.streams)
    inputs.push_back({stream.index, [&](uint64_t, std::span<uint8_t> bytes) {
                        HostSpan span(&observers_.host, "refill");
                        return stream.reader.read(bytes);
                      }});
  // Another thread drains; its spans are added when it has ended.
  constexpr uint32_t kDrainTrack = 1;
  std::vector<HostEvent> drained;
  auto addDrained = [&] {
    for (HostEvent &event : drained)
      observers_.host.add(std::move(event));
    drained.clear();
  };
  std::vector<StreamOutput> outputs;
  for (StreamedOutput &stream : bindings.streamOutputs)
    outputs.push_back(
        {stream.index, [&](uint64_t, std::span<const uint8_t> bytes) {
           uint64_t beginNs = hostNowNs();
           Status status = stream.writer.write(bytes);
           drained.push_back({"drain", beginNs, hostNowNs(), kDrainTrack});
           return status;
         }});
  StreamOptions options;
  options.drainBesides = true;
  options.wait = [&] {
    addDrained();
    return wait();
  };
  options.executed = [&] { return observe(stats); };
  submitsBefore_ = submits();
  Result<StreamTotals> totals = runStream(executor_, inputs, outputs, options);
  if (!totals.ok())
    return totals.status();
  addDrained();
  stats.stream = *totals;
  for (StreamedOutput &stream : bindings.streamOutputs)
    VM_RETURN_IF_ERROR(stream.writer.finish());
  return finish();
}

} // namespace vm::run
